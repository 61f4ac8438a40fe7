"""What a report says, taken apart for whoever lays it out: names of problems and faults, a test's message, its place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from grader import texts

if TYPE_CHECKING:
    from grader.report import FaultLine, ProblemLine

MESSAGE_LINES = 12  # of what a test said, where that is what the page is for

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
_PLACE = re.compile(r"\s*\[(?P<place>[^\[\]\n]+:\d+)\]\.?\s*\Z")
# What pytest says of its own options; they are not those of `ol`.
_ASIDES = re.compile(r"^.*(?:Use -v to get more diff|Full output truncated).*$", re.MULTILINE)


class Said(NamedTuple):
    """A problem's message: what the test said, where (`test_norm.py:12`, or empty), and our sentences after it."""

    said: str
    place: str
    ours: tuple[str, ...]


def problem_words(kind: str) -> str:
    """A kind of problem as words."""
    return WORDS.get(kind, kind.replace("_", " "))


def problem_name(problem: ProblemLine) -> str:
    """The kind of a problem, and the test or file that has it, where it is one's."""
    words = problem_words(problem.kind)
    return f"{words}: {problem.test}" if problem.test else words


def fault_name(fault: FaultLine) -> str:
    """`s01 eps outside the root (required)`, in the lesson's words."""
    return f"{fault.id} {fault.title}{' (required)' if fault.required else ''}"


def taken_apart(text: str) -> Said:
    """A problem's message in its parts."""
    found = sorted(start for sentence in SENTENCES if (start := text.rfind(sentence)) >= 0)
    parts = [text[start:end].strip() for start, end in zip([0, *found], [*found, len(text)], strict=True)]
    said, place = parted(parts[0])
    return Said(said, place, tuple(parts[1:]))


def parted(text: str) -> tuple[str, str]:
    """What a test said, and the place in the suite (`test_norm.py:12`) that stands at its end, if one does."""
    found = _PLACE.search(text)
    return (text[: found.start()], found["place"]) if found else (text, "")


def message(text: str, lines: int = MESSAGE_LINES) -> str:
    """The first lines of what a test said, blank ones not counted."""
    return texts.head(_ASIDES.sub("", texts.plain(text)), lines)


def shortened(text: str, characters: int) -> str:
    """`text`, at most this long; what is left out is counted."""
    if len(text) <= characters:
        return text
    return f"{text[:characters].rstrip()} [{len(text) - characters} more characters]"
