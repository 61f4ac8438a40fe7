"""How tests ended on the learner's own module: the course's, and the learner's."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.text import Text

from grader.writers.said import MESSAGE_LINES, message, parted
from grader.writers.terminal.layout import FEW_LINES, block, safe, word

if TYPE_CHECKING:
    from rich.console import Console

    from grader.report import TestLine, Tests


def course(tests: Tests, console: Console, *, every: bool, verbose: bool) -> None:
    """The course tests: each with its kind, and with why it matters when it failed.

    Args:
        tests: how they ended.
        console: where to print.
        every: those that passed, too, and more of what each said.
        verbose: whole messages.
    """
    console.print(_heading("Course tests on your module", tests))
    ran = any(test.outcome != "not_run" for test in tests.tests)
    told: set[str] = set()
    for test in tests.tests:
        if (every and (ran or verbose)) or test.outcome not in {"passed", "not_run"}:
            _line(console, word(test.outcome), test.kind, test.test.rpartition("::")[2])
        if test.outcome not in {"passed", "not_run"}:
            _failed_course_test(test, console, told, _lines(full=every, verbose=verbose))
    console.print()


def _failed_course_test(test: TestLine, console: Console, told: set[str], lines: int) -> None:
    if test.checks:
        block(console, f"What it checks: {test.checks}", 6)
    said, place = parted(test.message)
    _said(console, said, told, lines)
    if place:
        block(console, f"Where: line {place.rpartition(':')[2]} of {place.rpartition(':')[0]}", 6)
    if test.downstream:
        block(console, f"Why it matters: {test.downstream}", 6)


def own(tests: Tests, console: Console, *, verbose: bool) -> None:
    """The learner's tests on the learner's module; it counts for nothing."""
    console.print(_heading("Your tests on your module", tests).append(" (for your information)", "dim"))
    told: set[str] = set()
    for test in tests.tests:
        if verbose or test.outcome not in {"passed", "skipped", "xfailed"}:
            said, place = parted(test.message)
            _line(console, word(test.outcome), "", f"{test.test}  [{place}]" if place else test.test)
            _said(console, said, told, _lines(full=False, verbose=verbose))
    console.print()


def _lines(*, full: bool, verbose: bool) -> int:
    if verbose:
        return sys.maxsize
    return MESSAGE_LINES if full else FEW_LINES


def _heading(what: str, tests: Tests) -> Text:
    total = len(tests.tests)
    style = "green" if tests.passed == total else "red"
    return Text.assemble((what, "bold"), ": ", (f"{tests.passed} of {total} pass", style))


def _said(console: Console, said: str, told: set[str], lines: int) -> None:
    """What a test said; what an earlier one said in the same words is not said again."""
    if not said:
        return
    block(console, "the same as above" if said in told else message(said, lines), 6)
    told.add(said)


def _line(console: Console, outcome: Text, kind: str, name: str) -> None:
    columns = [outcome, Text(" " * (8 - len(outcome)))]
    if kind:
        columns.append(Text(f"{kind:<10}", style="dim"))
    block(console, Text.assemble(*columns, safe(name)), 2)
