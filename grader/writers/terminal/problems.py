"""Whether the suite can be graded, and if not, what each test got wrong."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.text import Text

from grader import texts
from grader.writers.terminal.layout import MESSAGE_LINES, block, message, parted, safe

if TYPE_CHECKING:
    from rich.console import Console

    from grader.report import ProblemLine, Validity

WORDS = {
    "rejects_reference": "rejects the reference",
    "too_strict": "too strict",
    "flaky": "passes or fails by chance",
    "order_dependent": "depends on the order",
    "blind": "notices nothing",
    "nothing_ran": "nothing ran",
    "does_not_load": "does not load",
    "timeout": "time limit",
    "crashed": "crashed",
    "memory": "memory limit",
    "policy": "not allowed",
}
# The sentences of ours that follow what a test said; each starts a line of its own.
SENTENCES = (
    "Here the test disagrees with",
    "Another correct implementation gives",
    "It passes or fails by chance",
    "It passes in file order",
    "Its tests cannot run until",
    "Usually it is ",
)


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
    kind = WORDS.get(problem.kind, problem.kind.replace("_", " "))
    said, ours = _sentences(problem.message)
    said, place = parted(said)
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


def _sentences(text: str) -> tuple[str, list[str]]:
    """What the test said, and the sentences of ours after it."""
    found = sorted(place for sentence in SENTENCES if (place := text.rfind(sentence)) >= 0)
    parts = [text[start:end].strip() for start, end in zip([0, *found], [*found, len(text)], strict=True)]
    return parts[0], parts[1:]
