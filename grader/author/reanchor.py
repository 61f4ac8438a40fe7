"""Edits that no longer fit because the reference has changed: where they belong now, and what they become there."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.author.anchor import fits, lines_of, span_of
from grader.author.merge import counterpart, kept, merged
from grader.lesson.replacement import starts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.lesson import Edit

LEAST_LIKENESS = 0.5  # below, a place has too little in common with what is looked for to be worth showing
SURE = 0.9  # of its words and marks: a place with fewer is not taken unseen
MOST_PLACES = 9  # of an ambiguous edit, to choose from
SLACK = 1  # lines by which a place may be longer or shorter than what is looked for


@dataclass(frozen=True)
class Place:
    """A part of the reference where an edit may belong.

    Attributes:
        start: its first character.
        end: the character after its last.
        line: its first line, counted from 1.
        text: what stands there.
        replace: what would stand there in the fault; None: the reference changed the very words that the fault does.
        sure: whether nearly all that is looked for stands there and nowhere else, some of it perhaps under a new name.
    """

    start: int
    end: int
    line: int
    text: str
    replace: str | None
    sure: bool = True


@dataclass(frozen=True)
class Stale:
    """An edit that fits nowhere or in several places.

    Attributes:
        number: its place among the fault's edits, counted from 0, as errors name it.
        edit: the edit.
        places: where it may belong, by line; several only if its `find` stands in several; empty: nowhere.
        more: in how many places beyond these it stands.
    """

    number: int
    edit: Edit
    places: tuple[Place, ...]
    more: int = 0

    @property
    def ambiguous(self) -> bool:
        """Whether `find` stands in several places, and not in none."""
        return bool(self.places) and self.places[0].text == self.edit.find


def stale_edits(edits: Sequence[Edit], file: str, source: str) -> list[Stale]:
    """Those edits of a file that do not fit its text, each with the places where it may belong."""
    numbered = [(number, edit) for number, edit in enumerate(edits) if edit.file == file]
    return [_stale(number, edit, source) for number, edit in numbered if not fits(edit, source)]


def with_edits(source: str, edits: Sequence[Edit], places: Sequence[Place]) -> str | None:
    """The faulty text: edits that fit, and places with what is to stand there; None where two of them overlap."""
    parts = [(*span_of(edit, source), edit.replace) for edit in edits]
    parts += [(place.start, place.end, place.replace or "") for place in places]
    text, end = "", 0
    for start, stop, replace in sorted(parts):
        if start < end:
            return None
        text, end = text + source[end:start] + replace, stop
    return text + source[end:]


def _stale(number: int, edit: Edit, source: str) -> Stale:
    starts = starts_of(source, edit.find)
    if not starts:
        closest = _closest(edit, source)
        return Stale(number, edit, (closest,) if closest else ())
    places = [
        Place(start, start + len(edit.find), _line(source, start), edit.find, edit.replace)
        for start in starts[:MOST_PLACES]
    ]
    return Stale(number, edit, tuple(places), len(starts) - len(places))


def _closest(edit: Edit, source: str) -> Place | None:
    """The lines that have most in common with `find`, if any have enough."""
    wanted = edit.find.strip()
    best = (LEAST_LIKENESS, 0, 0)
    matcher = difflib.SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(wanted)
    for start, end in _stretches(source, edit.find):
        matcher.set_seq1(source[start:end].strip())
        # Cheap upper bounds first: most lines have little in common with what is looked for.
        if matcher.real_quick_ratio() > best[0] and matcher.quick_ratio() > best[0]:
            best = max(best, (matcher.ratio(), start, end), key=lambda found: found[0])
    likeness, start, end = best
    if likeness <= LEAST_LIKENESS:
        return None
    if _made_already(edit, source[start:end]):
        start = source.index(edit.replace, start)
        return Place(start, start + len(edit.replace), _line(source, start), edit.replace, edit.replace)
    before, after = counterpart(edit.find, source[start:end])
    start, end = start + before, start + after
    text = source[start:end]
    proposal = merged(edit.find, edit.replace, text)
    sure = kept(edit.find, text, source) >= SURE and len(starts_of(source, text)) == 1
    return Place(start, end, _line(source, start), text, proposal, sure)


def _made_already(edit: Edit, text: str) -> bool:
    """Whether the reference has become what the edit makes; what an edit only takes away proves nothing."""
    return edit.replace in text and edit.replace not in edit.find


def _stretches(source: str, find: str) -> Iterator[tuple[int, int]]:
    """Every run of about as many lines as `find` has, blank at its ends as `find` is."""
    lines = lines_of(source)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    wanted = len(lines_of(find))
    for count in range(max(1, wanted - SLACK), wanted + SLACK + 1):
        for first in range(len(lines) - count + 1):
            yield _trimmed(source, starts[first], starts[first + count], find)


def _trimmed(source: str, start: int, end: int, find: str) -> tuple[int, int]:
    text = source[start:end]
    if not find.endswith("\n"):
        end -= len(text) - len(text.rstrip("\n"))
    if not find[0].isspace():
        start += len(text) - len(text.lstrip(" \t"))
    return start, max(start, end)


def _line(source: str, start: int) -> int:
    return source.count("\n", 0, start) + 1
