"""Every fault of some lessons as its file has it, with what keeps it from being graded with."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.author.catalogue import fault_places
from grader.author.changes import check_whole, sources_of
from grader.author.draft import Draft, read_draft, runnable
from grader.errors import LessonError
from grader.lesson import lesson_ids, load_without_faults, names_of_course_tests
from grader.lesson.checks import check_distinct

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from grader.author.catalogue import FaultPlace
    from grader.lesson import Fault, Lesson


@dataclass(frozen=True)
class Listed:
    """A fault in a list.

    Attributes:
        place: where it is described.
        draft: what its file says; empty where that cannot be read.
        problem: why no lesson can be graded with it; empty: nothing is known that would.
    """

    place: FaultPlace
    draft: Draft
    problem: str = ""


def listed(course: Path, lesson: str | None = None) -> tuple[Listed, ...]:
    """The faults of a lesson, or of all, by id.

    Raises:
        UnknownLessonError: the course has no such lesson.
        LessonError: something that is not about faults is wrong with a lesson.
        CourseNotFoundError: the course cannot be read.
    """
    lessons = [lesson] if lesson else lesson_ids(course)
    return tuple(each for name in lessons for each in _of_lesson(course, name))


def problem_of(place: FaultPlace, draft: Draft, lesson: Lesson, tests: set[str]) -> str:
    """Why a fault is none yet, in one sentence; empty: its file is whole, and its edits fit the reference."""
    if draft.missing:
        return f"{place.file}: {', '.join(draft.missing)}: still to be written"
    try:
        check_whole(runnable(draft, place), sources_of(lesson), tests, place.file)
    except LessonError as error:
        return error.message
    return ""


def _of_lesson(course: Path, name: str) -> Iterator[Listed]:
    lesson, tests = load_without_faults(course, name), names_of_course_tests(course, name)
    earlier: list[Fault] = []
    with warnings.catch_warnings():
        # A fault may well hold what Python warns of on compiling, such as `x is 1`.
        warnings.simplefilter("ignore")
        for place in fault_places(course, name):
            try:
                draft = read_draft(place)
            except LessonError as error:
                yield Listed(place, Draft(), error.message)
                continue
            problem = problem_of(place, draft, lesson, tests) or _shares_a_name(place, draft, earlier)
            yield Listed(place, draft, problem)


def _shares_a_name(place: FaultPlace, draft: Draft, earlier: list[Fault]) -> str:
    earlier.append(runnable(draft, place))
    try:
        check_distinct(earlier)
    except LessonError as error:
        earlier.pop()
        return error.message
    return ""
