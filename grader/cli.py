"""From the command line to a command and back to an exit code; no logic of grading, no layout of output."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

import click

from grader import __version__, interrupts
from grader.commands.group import Commands
from grader.errors import ExitCode, GraderError, mistake_of_ours

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = {
    "list": "grader.commands.list",
    "start": "grader.commands.start",
    "tests": "grader.commands.tests",
    "check": "grader.commands.check",
    "diff": "grader.commands.diff",
    "grade": "grader.commands.grade",
    "report": "grader.commands.report",
    "mutants": "grader.commands.mutants",
    "lesson": "grader.commands.lesson",
    "kit": "grader.commands.kit",
    "doctor": "grader.commands.doctor",
}
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(cls=Commands, modules=COMMANDS, context_settings=CONTEXT)
@click.version_option(__version__, prog_name="ol")
def main() -> None:
    """Build a lesson's module, test it, and find out how good your tests are.

    Your tests are graded by what they notice: they run on programs that are correct, which they must pass, and
    on faults, programs with one known mistake each, which they must catch.

    \b
    A lesson from its beginning to its end:
      ol start L7.1     lay down a stub of the module and a first test
      ol tests L7.1     the course tests on your module
      ol check L7.1     the course tests, and the grade of your own tests
      ol diff L7.1      after passing: your module beside the reference

    `ol COMMAND -h` explains a command. Exit codes: 0 passed, 1 not passed, 2 a mistake in the command line,
    3 your tests cannot be graded, 4 the course's own data is wrong, 70 the grader or the machine failed,
    130 interrupted.
    """


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code. The only place that turns errors into text."""
    interrupts.install()
    for stream in (sys.stdout, sys.stderr):
        _never_fail_on_a_character(stream)
    try:
        code = main.main(list(arguments), prog_name="ol", standalone_mode=False)
    except (interrupts.Interrupted, KeyboardInterrupt, click.Abort):
        return interrupted()
    except Exception as error:  # noqa: BLE001 - an exception that no one foresaw is a mistake of ours, too
        return _exit_code(error)
    return code if isinstance(code, int) else ExitCode.PASSED


def _exit_code(error: Exception) -> int:
    """Tell what went wrong, and the exit code for it."""
    match error:
        case click.exceptions.Exit():
            return error.exit_code
        case click.ClickException():
            error.show()
            return ExitCode.USAGE
        case GraderError():
            return _failed(error, error.__cause__)
        case BrokenPipeError():
            return _nobody_reads()
        case _:
            return _failed(mistake_of_ours(error), error)


def _never_fail_on_a_character(stream: TextIO) -> None:
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")


def interrupted() -> int:
    """Say that the command was interrupted; its exit code."""
    interrupts.ignore()
    from grader.console import leave_the_line, say  # noqa: PLC0415 - only when there is something to say

    leave_the_line()
    say("ol: interrupted; nothing was recorded")
    return ExitCode.INTERRUPTED


def _failed(error: GraderError, cause: BaseException | None) -> int:
    from grader.console import print_error  # noqa: PLC0415 - only when there is an error to print

    if cause is not None and "OL_DEBUG" in os.environ:
        import traceback  # noqa: PLC0415 - only with --debug

        traceback.print_exception(cause)
    print_error(error)
    return error.exit_code


def _nobody_reads() -> int:
    """The reader of our output has left, as `head` does: that is its right."""
    # Python flushes standard output at its end; let that not fail a second time.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.PASSED
