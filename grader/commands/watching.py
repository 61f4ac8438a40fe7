"""`ol check --watch`: check, wait for a save, check again, and say what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import click

from grader.changes import changes
from grader.commands.check import check_once
from grader.console import print_error, put
from grader.errors import GraderError
from grader.lesson import find_course, load_lesson
from grader.watch import look, wait_for_change
from grader.workspace import SOURCES, find_workspace

if TYPE_CHECKING:
    from pathlib import Path

    from grader.commands.delivery import Delivery
    from grader.commands.options import Common
    from grader.report import Report


def watch_and_check(common: Common, places: Delivery, asked: dict[str, Any]) -> NoReturn:
    """Go on until interrupted.

    Raises:
        click.UsageError: standard output is taken, and there is no screen to show anything on.
        GraderError: the first check came to no report; later ones say so and are waited out.
    """
    if not places.screen:
        raise click.UsageError("--watch shows a screen: write the report to a file, with --json FILE")
    folders = _watched(common, asked)
    seen = look(folders)
    before: Report | None = None
    while True:
        before = _check_again(common, places, asked, before)
        put("\nWatching for the next save; Ctrl-C ends.\n")
        seen = wait_for_change(folders, seen)


def _watched(common: Common, asked: dict[str, Any]) -> list[Path]:
    tests: Path | None = asked["tests"]
    if tests is not None and asked["only"] == "mutation":
        return [tests]
    lesson = load_lesson(find_course(common.course), asked["lesson"])
    root = find_workspace(common.workspace, lesson.package).root
    return [root / SOURCES, *([tests] if tests is not None else [])]


def _check_again(common: Common, places: Delivery, asked: dict[str, Any], before: Report | None) -> Report:
    try:
        report = check_once(common, places, dict(asked))
    except GraderError as error:
        if before is None:
            raise
        print_error(error)
        return before
    if before is not None:
        since = changes(before, report) or ["nothing changed"]
        put("Since the last grade: " + "; ".join(since) + ".")
    return report
