"""`ol check`: everything about a lesson, on one screen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.commands.checking import checked, log_attempt
from grader.commands.delivery import delivery
from grader.commands.feedback_options import LEVELS
from grader.commands.options import (
    common,
    jobs_option,
    pin_option,
    sandbox_option,
    seed_option,
    timeout_option,
)
from grader.writers import FORMATS

if TYPE_CHECKING:
    from grader.commands.delivery import Delivery
    from grader.commands.options import Common
    from grader.pipeline import Checked, Request
    from grader.report import Report


@click.command(short_help="Check your module and grade your tests.")
@click.argument("lesson")
@click.option("--only", type=click.Choice(["course", "mutation"]), help="Only this part of the check.")
@click.option(
    "--tests",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Grade this file or folder, not the workspace's tests; no attempt is logged.",
)
@click.option(
    "--feedback",
    type=click.Choice(LEVELS),
    default="hints",
    show_default=True,
    help="How much of the faults to tell.",
)
@click.option("--watch", is_flag=True, help="Check again whenever a file of the workspace is saved.")
@click.option("--matrix", is_flag=True, help="Run every test on every fault, and name all that kill it.")
@seed_option("Repeat a check: its report names its seed.")
@jobs_option("Runs at a time; else one for each core.")
@timeout_option("For one run of your tests on a correct program.")
@sandbox_option
@pin_option
@click.option(
    "--format",
    "formats",
    multiple=True,
    metavar="NAME[=PATH]",
    help=f"Write the report in another format, too: {', '.join(FORMATS)}.",
)
@common
def command(common: Common, *, formats: tuple[str, ...], watch: bool, **asked: Any) -> int:
    """Check LESSON: the course tests, your tests on your own module, and the grade of your tests.

    Your tests are graded by what they notice. They run on correct programs, written in different ways, and must
    pass on all of them; and on faults, programs with one known mistake each. A fault on which one of your tests
    fails is killed. To pass, kill as many as the lesson asks for, the required ones among them.

    \b
    --feedback score   counts only
               names   the table of faults, too
               hints   and how survivors show, and where your tests are blind
               full    and an input that shows each survivor, and what the
                       tests said that killed the others

    \b
    Examples:
      ol check L7.1
      ol check L7.1 --ref-deps                 with the course's earlier lessons
      ol check L7.1 --watch                    again on every save
      ol check L7.1 --only mutation --tests my_tests/ --json report.json

    Exit codes: 0 passed, 1 not passed, 3 your tests cannot be graded, 4 the course is wrong, 70 the grader failed.
    """
    places = delivery(common, formats)
    if not watch:
        return check_once(common, places, asked).exit_code
    from grader.commands.watching import watch_and_check  # noqa: PLC0415 - only to watch

    return watch_and_check(common, places, asked)


def check_once(common: Common, places: Delivery, asked: dict[str, Any]) -> Report:
    """One check: logged, shown and delivered; first shown, since that cannot fail."""
    done, wanted = checked(common, places, **asked)
    first = log_attempt(done, wanted)
    messages = wanted.feedback == "full"
    if places.screen:
        from grader.console import make_console  # noqa: PLC0415 - only for a screen
        from grader.writers import terminal  # noqa: PLC0415 - as above

        view = terminal.View(
            verbose=common.verbose,
            messages=messages,
            first=first,
            folder=str(done.lesson.course_tests),
        )
        terminal.write(done.report, make_console(no_color=common.no_color), view)
    places.deliver(done.report, _suite_folder(done, wanted), messages=messages)
    return done.report


def _suite_folder(done: Checked, wanted: Request) -> str:
    """The suite's folder as seen from here, where it lies below; else empty."""
    tests = wanted.tests
    if tests is None:
        tests = done.workspace.tests(done.lesson) if done.workspace else None
    if tests is None or not tests.exists():
        return ""
    folder = (tests if tests.is_dir() else tests.parent).resolve()
    here = Path.cwd()
    return folder.relative_to(here).as_posix() if folder.is_relative_to(here) else ""
