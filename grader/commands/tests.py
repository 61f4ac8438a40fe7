"""`ol tests`: the course tests on the learner's module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from grader.commands.checking import checked
from grader.commands.delivery import delivery
from grader.commands.options import common, sandbox_option, timeout_option

if TYPE_CHECKING:
    from grader.commands.options import Common


@click.command(short_help="Run the course tests on your module.")
@click.argument("lesson")
@click.option("-k", "chosen", metavar="EXPR", default="", help="Only tests whose names fit, as in pytest.")
@timeout_option("For all of the tests.")
@sandbox_option
@common
def command(common: Common, **asked: Any) -> int:
    """Run the course tests of LESSON on your module.

    Each test is shown with its kind: unit, golden (values from a real model), gradcheck (gradients against
    central differences), property or boundary. One that fails says what goes wrong later on because of it.

    \b
    Examples:
      ol tests L7.1
      ol tests L7.1 -k "hand_example or golden"
      ol tests L7.1 --ref-deps       with the course's earlier lessons in place of yours

    Exit codes: 0 all of them pass, 1 not all do.
    """
    places = delivery(common)
    done, _wanted = checked(common, places, only="course", seed=0, **asked)
    if places.screen:
        from grader.console import make_console  # noqa: PLC0415 - only for a screen
        from grader.writers import terminal  # noqa: PLC0415 - as above

        view = terminal.View(verbose=common.verbose, course_only=True, folder=str(done.lesson.course_tests))
        terminal.write(done.report, make_console(no_color=common.no_color), view)
    places.deliver(done.report)
    return done.report.exit_code
