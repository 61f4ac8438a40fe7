"""`ol check`: everything about a lesson, on one screen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.commands.delivery import delivery
from grader.commands.options import TIMEOUT, common, request, sandbox_option
from grader.errors import ExitCode, GraderError, mistake_of_ours

if TYPE_CHECKING:
    from grader.commands.delivery import Delivery
    from grader.commands.options import Common
    from grader.pipeline import Checked, Request
    from grader.report import Report

FEEDBACK = ("score", "names", "hints", "full")
REPORTED = frozenset({ExitCode.COURSE, ExitCode.HARNESS})


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
    type=click.Choice(FEEDBACK),
    default="hints",
    show_default=True,
    help="How much of the faults to tell.",
)
@click.option("--watch", is_flag=True, help="Check again whenever a file of the workspace is saved.")
@click.option("--matrix", is_flag=True, help="Run every test on every fault, and name all that kill it.")
@click.option(
    "--seed", type=click.IntRange(min=0), metavar="N", help="Repeat a check: its report names its seed."
)
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Runs at a time; else one for each core."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    metavar="SECONDS",
    default=TIMEOUT,
    show_default=True,
    help="For one run of your tests on a correct program.",
)
@sandbox_option
@click.option(
    "--format",
    "formats",
    multiple=True,
    metavar="NAME[=PATH]",
    help="Write the report in another format, too.",
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
    if watch:
        return _watch(common, places, asked)
    return _check(common, places, asked)


def _check(common: Common, places: Delivery, asked: dict[str, Any]) -> int:
    checked, first = _checked(common, places, asked)
    if places.screen:
        _show(common, checked, asked["feedback"], first=first)
    return checked.report.exit_code


def _checked(common: Common, places: Delivery, asked: dict[str, Any]) -> tuple[Checked, bool]:
    """The check, logged and delivered; and whether it was the first in this workspace."""
    from grader.console import progress  # noqa: PLC0415 - loaded with the rest of what a check needs

    with progress(no_color=common.no_color) as shown:
        wanted = request(common, progress=shown, **asked)
        checked = check_or_report(wanted, places)
    first = log_attempt(checked, wanted)
    places.deliver(checked.report)
    return checked, first


def check_or_report(wanted: Request, places: Delivery) -> Checked:
    """The check; an error of the course or the house is reported before it is raised."""
    from grader.pipeline import check  # noqa: PLC0415 - only when there is something to check

    try:
        return check(wanted)
    except GraderError as error:
        if error.exit_code in REPORTED:
            _report_error(wanted, error, places)
        raise
    except Exception as error:
        mistake = mistake_of_ours(error)
        _report_error(wanted, mistake, places)
        raise mistake from error


def _report_error(wanted: Request, error: GraderError, places: Delivery) -> None:
    from grader.report_parts import error_report  # noqa: PLC0415 - only when there is an error to report

    places.deliver(error_report(wanted.lesson, wanted.options.seed, error))


def log_attempt(checked: Checked, wanted: Request) -> bool:
    """Log the attempt, if it is one; whether it is the workspace's first."""
    from grader import attempts  # noqa: PLC0415 - only after a check

    if checked.workspace is None or wanted.tests is not None:
        return False
    first = not attempts.any_attempt(checked.workspace)
    try:
        attempts.record(
            checked.workspace, attempts.attempt_of(checked.report, checked.module_sha256, wanted.only)
        )
    except OSError as error:
        from grader.console import say  # noqa: PLC0415 - only when there is something to say

        say(f"ol: the attempt could not be logged in {checked.workspace.root}: {error.strerror}")
    return first


def _show(common: Common, checked: Checked, feedback: str, *, first: bool) -> None:
    from grader.console import make_console  # noqa: PLC0415 - only for a screen
    from grader.writers import terminal  # noqa: PLC0415 - as above

    view = terminal.View(verbose=common.verbose, messages=feedback == "full", first=first)
    terminal.write(checked.report, make_console(no_color=common.no_color), view)


def _watch(common: Common, places: Delivery, asked: dict[str, Any]) -> int:
    """Check, wait for a change, check again; ends by an interrupt."""
    from grader.watch import look, wait_for_change  # noqa: PLC0415 - only to watch

    if not places.screen:
        raise click.UsageError("--watch shows a screen: write the report to a file, with --json FILE")
    folders = _watched(common, asked)
    seen = look(folders)
    before: Report | None = None
    while True:
        before = _check_again(common, places, asked, before)
        seen = wait_for_change(folders, seen)


def _watched(common: Common, asked: dict[str, Any]) -> list[Path]:
    from grader.lesson import find_course, load_lesson  # noqa: PLC0415 - only to watch
    from grader.workspace import SOURCES, find_workspace  # noqa: PLC0415 - as above

    tests: Path | None = asked["tests"]
    if tests is not None and asked["only"] == "mutation":
        return [tests]
    lesson = load_lesson(find_course(common.course), asked["lesson"])
    root = find_workspace(common.workspace, lesson.package).root
    return [root / SOURCES, *([tests] if tests is not None else [])]


def _check_again(
    common: Common, places: Delivery, asked: dict[str, Any], before: Report | None
) -> Report | None:
    from grader.changes import changes  # noqa: PLC0415 - only to watch
    from grader.console import print_error, put  # noqa: PLC0415 - as above

    try:
        checked, first = _checked(common, places, asked)
    except GraderError as error:
        if before is None:
            raise
        print_error(error)
        return before
    _show(common, checked, asked["feedback"], first=first)
    if before is not None:
        since = changes(before, checked.report) or ["nothing changed"]
        put("Since the last grade: " + "; ".join(since) + ".")
    put("\nWatching for the next save; Ctrl-C ends.\n")
    return checked.report
