"""The types of a search for candidates, from a change in a text to what the course tests make of it."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Candidate:
    """A small change to the lesson's module.

    Attributes:
        id: see `grader.lesson.replacement.name_of`.
        file: relative to the course's `reference` folder.
        function: the qualified name of the innermost function or class that holds the change; empty: the module.
        original: the text that is replaced.
        replacement: the text in its place.
        occurrence: how many times `original` stands in that function before.
        start: of the change in the file, in characters.
        line: of that, from 1.
        lines_before: the whole lines that the change is in.
        lines_after: the same with the change made.
        operators: what makes this change, or one that compiles to the same code; the first one's text is shown.
        source: the module's whole text with the change made.
        lines: from the first to the last line of what a test must execute to be able to tell; empty: all tests may.
        also: ids of candidates that compile to the same code.
    """

    id: str
    file: str
    function: str
    original: str
    replacement: str
    occurrence: int
    start: int
    line: int
    lines_before: str
    lines_after: str
    operators: tuple[str, ...]
    source: str = field(repr=False)
    lines: range
    also: tuple[str, ...] = ()


class Class(enum.StrEnum):
    """What a candidate is worth, best first."""

    MISSED = "missed"  # course tests execute it, none fails, and it is not known to be equivalent: a hole
    KILLED = "killed"
    TWIN = "twin"  # behaves as an existing fault does
    UNREACHED = "unreached"  # no course test executes it: a hole, or another lesson's code
    EQUIVALENT = "equivalent"  # probably: no input was found on which it differs
    TOO_EASY = "too_easy"  # dies on import, or in every test that executes it
    TIMEOUT = "timeout"
    CRASH = "crash"


@dataclass(frozen=True)
class Judged:
    """A candidate and what it is.

    Attributes:
        candidate: which.
        kind: its class.
        evidence: why, in one phrase.
        killed_by: node ids of the course tests that fail on it.
        reached_by: how many course tests execute what it changes.
        twin: the id of the fault that it behaves like; empty: of none.
        witness: the body of a witness, where the search for a difference found one.
        score: what it would teach, from 0 to 1; see `rank`.
        reasons: what made the score.
    """

    candidate: Candidate
    kind: Class
    evidence: str = ""
    killed_by: tuple[str, ...] = ()
    reached_by: int = 0
    twin: str = ""
    witness: str = ""
    score: float = 0.0
    reasons: Sequence[str] = ()
