"""Whether the suite can be graded, and if not, what each test got wrong."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.text import Text

from grader import texts
from grader.writers.said import MESSAGE_LINES, SENTENCES, message, problem_words, taken_apart
from grader.writers.terminal.layout import block, safe

if TYPE_CHECKING:
    from rich.console import Console

    from grader.report import ProblemLine, Validity


def validity(found: Validity, console: Console, *, verbose: bool) -> None:
    """One line for a sound suite; each problem of any other."""
    heading = Text("Your tests on correct programs", style="bold")
    tests = texts.count(found.tests, "test")
    if found.valid:
        console.print(Text.assemble(heading, ": ", (f"sound, {tests}", "green")))
        console.print()
        return
    problems = texts.count(len(found.problems), "problem")
    console.print(Text.assemble(heading, ": ", (f"{problems}, so no faults are scored", "yellow")))
    told: set[str] = set()
    for problem in found.problems:
        _problem(problem, console, told, verbose=verbose)
    console.print()


def _problem(problem: ProblemLine, console: Console, told: set[str], *, verbose: bool) -> None:
    kind = problem_words(problem.kind)
    said, place, ours = taken_apart(problem.message)
    block(console, Text.assemble((kind, "bold yellow"), safe(_where(problem.test, place))), 2)
    if problem.message in told:
        block(console, "the same as above", 6)
        return
    told.add(problem.message)
    block(console, message(said, sys.maxsize if verbose else MESSAGE_LINES), 6)
    for sentence in ours:
        block(console, sentence, 6, "bold" if sentence.startswith(SENTENCES[0]) else "")


def _where(test: str, place: str) -> str:
    return "".join([f"  {test}" if test else "", f"  [{place}]" if place else ""])
