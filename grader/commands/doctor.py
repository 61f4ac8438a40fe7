"""`ol doctor`: what this machine can do."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from grader.commands.delivery import put_json
from grader.commands.options import common
from grader.errors import ExitCode

if TYPE_CHECKING:
    from grader.commands.options import Common


@click.command(short_help="What this machine can do.")
@common
def command(common: Common) -> int:
    """Say what this machine can do: Python and its packages, the sandbox, the course, the speed.

    \b
    Example:
      ol doctor

    Exit codes: 0 everything is as it should be, 70 something is not.
    """
    from grader.doctor import examine  # noqa: PLC0415 - help looks at nothing
    from grader.lesson import find_course  # noqa: PLC0415 - as above
    from grader.machine import basics  # noqa: PLC0415 - as above

    checks = [*basics(find_course(common.course)), *examine()]
    put_json([dataclasses.asdict(check) for check in checks], common)
    if not common.json_only:
        from grader.console import make_console  # noqa: PLC0415 - not needed for JSON
        from grader.writers.terminal import checks as screen  # noqa: PLC0415 - as above

        screen.table(checks, make_console(no_color=common.no_color))
    return ExitCode.PASSED if all(check.ok for check in checks) else ExitCode.HARNESS
