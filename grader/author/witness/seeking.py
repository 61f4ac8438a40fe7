"""From the name of a fault to its witness: the fault may still lack anything but its edits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.author.catalogue import fault_places
from grader.author.draft import read_draft, runnable
from grader.author.witness.inputs import templates_of
from grader.author.witness.laboratory import Laboratory
from grader.author.witness.search import find
from grader.errors import LessonError
from grader.lesson import fault_source, load_without_faults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from grader.author.catalogue import FaultPlace
    from grader.author.witness.records import Search
    from grader.author.witness.search import Found


@dataclass(frozen=True)
class Sought:
    """What the search for one fault's witness found.

    Attributes:
        title: the fault's.
        stored: the body of the witness that its file has already; empty if none.
    """

    place: FaultPlace
    title: str
    stored: str
    found: Found


def seek(
    course: Path, place: FaultPlace, search: Search, on_input: Callable[[int], None] = lambda _tried: None
) -> Sought:
    """Search for the witness of one fault.

    Raises:
        LessonError: the lesson or the fault cannot be used, or the file of inputs is wrong.
        MissingExtraError: hypothesis is not installed.
        HarnessError: the process that tries inputs is gone.
    """
    lesson = load_without_faults(course, place.lesson)
    draft = read_draft(place)
    sources = fault_source(lesson, runnable(draft, place))
    templates = templates_of(lesson, _stored(course, place.lesson))
    with Laboratory(lesson) as laboratory:
        found = find(laboratory, sources, search, templates=templates, on_input=on_input)
    return Sought(place, draft.title or "", draft.witness.call if draft.witness else "", found)


def _stored(course: Path, lesson: str) -> Iterator[str]:
    """The witnesses of the lesson's faults, as far as they can be read."""
    for place in fault_places(course, lesson):
        try:
            draft = read_draft(place)
        except LessonError:
            continue
        if draft.witness is not None:
            yield draft.witness.call
