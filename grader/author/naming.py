"""What a new fault may be called: ids, numbers and file names that are free."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.author.catalogue import FaultPlace, fault_places
from grader.author.draft import read_draft
from grader.errors import LessonError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FIRST_ID = "s01"
LONGEST_NAME = 40  # characters of the title in the file's name
_NUMBERED = re.compile(r"(?P<letters>\D*)(?P<digits>\d+)")


@dataclass(frozen=True)
class Taken:
    """What the faults of a lesson are called already.

    Attributes:
        ids: of all of them.
        pitfalls: number → the full name of the fault that has it.
    """

    ids: frozenset[str]
    pitfalls: dict[int, str]

    @property
    def next_id(self) -> str:
        """The first free id after those that are taken, in the same form: `s10` after `s09`."""
        return next_id(self.ids)


def taken(course: Path, lesson: str) -> Taken:
    """What is taken in a lesson; a fault whose file cannot be used has an id and no number.

    Raises:
        UnknownLessonError: the course has no such lesson.
        LessonError: its folder cannot be read.
    """
    places = fault_places(course, lesson)
    numbers = {number: place.name for place in places if (number := _pitfall(place))}
    return Taken(frozenset(place.id for place in places), numbers)


def next_id(ids: Iterable[str]) -> str:
    """The id after the one with the largest number, in its form; the first one where none has a number."""
    numbered = [match for each in ids if (match := _NUMBERED.fullmatch(each))]
    if not numbered:
        return FIRST_ID
    last = max(numbered, key=lambda match: int(match["digits"]))
    return f"{last['letters']}{int(last['digits']) + 1:0{len(last['digits'])}}"


def is_id(text: str) -> bool:
    """Whether a text can be a new fault's id."""
    # `lesson.toml` is what the lesson is, and findings about that are told under this name.
    return bool(text) and f"_{text}".isidentifier() and text.lower() != "lesson"


def new_place(course: Path, lesson: str, fault_id: str, title: str) -> FaultPlace:
    """Where a new fault goes: a file with its id and its title in ASCII letters, digits and `-`."""
    ascii_title = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", ascii_title)[:LONGEST_NAME].strip("-")
    name = f"{fault_id}-{words}" if words else fault_id
    return FaultPlace(lesson, fault_id, course / "mutants" / lesson / f"{name}.toml")


def _pitfall(place: FaultPlace) -> int | None:
    try:
        return read_draft(place).pitfall
    except LessonError:
        return None
