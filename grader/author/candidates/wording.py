"""How candidates are spoken of, on every screen and page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.author.candidates.model import Class
from grader.author.candidates.source import shared_ends

if TYPE_CHECKING:
    from grader.author.candidates.model import Judged
    from grader.author.candidates.suggest import Suggested

MEANING = {
    Class.MISSED: "no course test fails: a hole in the course",
    Class.KILLED: "killed by course tests",
    Class.TWIN: "behaves like a fault that the lesson has",
    Class.UNREACHED: "no course test executes it: a hole in the course, or code of another lesson",
    Class.EQUIVALENT: "probably the reference in other words: no input shows a difference",
    Class.TOO_EASY: "dies on import, or in every test that executes it",
    Class.TIMEOUT: "does not end",
    Class.CRASH: "ends the process",
}
MOST_TEXT = 60
AROUND = 20  # characters on each side of what differs


def label(kind: Class) -> str:
    """The class in words."""
    return kind.value.replace("_", " ")


def option(kind: Class) -> str:
    """The class as an option of the command line names it."""
    return kind.value.replace("_", "-")


def place(judged: Judged) -> str:
    """Where the change is."""
    candidate = judged.candidate
    return f"{candidate.file}:{candidate.line}"


def kills(judged: Judged) -> str:
    """How many of the tests that execute the change notice it."""
    return f"{len(judged.killed_by)} of {judged.reached_by}"


def change(judged: Judged) -> tuple[str, str]:
    """The lines before and after, each on one line, cut to what differs and a little around it."""
    before = " ".join(judged.candidate.lines_before.split())
    after = " ".join(judged.candidate.lines_after.split())
    same, tail = shared_ends(before, after)
    start = max(0, same - AROUND)
    return tuple(_cut(text, start, len(text) - max(0, tail - AROUND)) for text in (before, after))  # type: ignore[return-value]  # two for two


def _cut(text: str, start: int, end: int) -> str:
    part = text[start:end]
    if len(part) > MOST_TEXT:
        part = f"{part[: MOST_TEXT // 2]} … {part[-MOST_TEXT // 2 :]}"
    return f"{'…' if start else ''}{part}{'…' if end < len(text) else ''}"


def remark(judged: Judged) -> str:
    """What else there is to say of it, in a phrase."""
    if judged.kind is Class.KILLED:
        return "; ".join(filter(None, [judged.evidence, *judged.reasons]))
    return judged.evidence


def summary(suggested: Suggested) -> str:
    """How many there are of each class."""
    counts = [f"{number} {label(kind)}" for kind, number in suggested.counts().items() if number]
    return f"{len(suggested.judged)} candidates for {suggested.lesson}: {', '.join(counts)}"


def speed(suggested: Suggested) -> str:
    """How fast the course tests judged them."""
    rate = len(suggested.judged) / suggested.seconds if suggested.seconds else 0.0
    return f"tried in {suggested.seconds:.1f} s, {rate:.0f} a second; {suggested.whole:.1f} s in all"
