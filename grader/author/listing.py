"""Every fault of some lessons as its file has it, with what keeps it from being graded with."""

from __future__ import annotations

import functools
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.author.catalogue import fault_places, lessons_of
from grader.author.changes import sources_of
from grader.author.draft import Draft, read_draft, runnable
from grader.errors import LessonError
from grader.lesson import load_lesson, load_without_faults, names_of_course_tests
from grader.lesson.checks import check_distinct, check_edits, check_fault, check_id, check_python

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
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


@dataclass(frozen=True)
class Judged:
    """A fault's file, judged.

    Attributes:
        place: where it is.
        draft: what it says; None if it cannot be read.
        errors: what keeps it from being a fault: one for each key that is missing, else the first thing that is wrong.
    """

    place: FaultPlace
    draft: Draft | None
    errors: tuple[LessonError, ...]


def judged(lesson: Lesson, places: Iterable[FaultPlace], tests: set[str]) -> Iterator[Judged]:
    """Judge faults one after the other; each needs an id and a number that none of those before it has.

    Args:
        lesson: theirs, without faults.
        places: where they are.
        tests: names of the course tests.
    """
    sources = sources_of(lesson)
    # Most faults edit the same file: its code is made once.
    original = functools.cache(lambda name: check_python(sources[name], f"reference/{name}"))

    def check(fault: Fault, file: str) -> None:
        check_id(fault.id, file)
        check_fault(fault, tests, file)
        check_edits(fault, sources, original, file)

    earlier: list[Fault] = []
    with warnings.catch_warnings():
        # A fault may well hold what Python warns of on compiling, such as `x is 1`.
        warnings.simplefilter("ignore")
        for place in places:
            try:
                draft = read_draft(place)
            except LessonError as error:
                yield Judged(place, None, (error,))
                continue
            errors = tuple(_errors(place, draft, check, earlier))
            if not errors:
                earlier.append(runnable(draft, place))
            yield Judged(place, draft, errors)


def listed(course: Path, lesson: str | None = None) -> tuple[Listed, ...]:
    """The faults of a lesson, or of all, by id.

    Raises:
        UnknownLessonError: the course has no such lesson.
        LessonError: something that is not about faults is wrong with a lesson, or the course has none.
        CourseNotFoundError: the course cannot be read.
    """
    lessons = [lesson] if lesson else lessons_of(course)
    return tuple(each for name in lessons for each in _of_lesson(course, name))


def ungradable(course: Path, lessons: Iterable[str]) -> Iterator[LessonError]:
    """What keeps each of these lessons from being graded with, where something does: a missing pool, no fault at all.

    Raises:
        UnknownLessonError: the course has no such lesson.
        CourseNotFoundError: the course cannot be read.
    """
    for name in lessons:
        try:
            load_lesson(course, name)
        except LessonError as error:
            yield error


def _errors(
    place: FaultPlace, draft: Draft, check: Callable[[Fault, str], None], earlier: Sequence[Fault]
) -> Iterator[LessonError]:
    if draft.missing:
        yield from (LessonError(place.file, key, "still to be written") for key in draft.missing)
        return
    fault = runnable(draft, place)
    try:
        check_distinct([*earlier, fault])
        check(fault, place.file)
    except LessonError as error:
        yield error


def _of_lesson(course: Path, name: str) -> Iterator[Listed]:
    lesson, tests = load_without_faults(course, name), names_of_course_tests(course, name)
    for each in judged(lesson, fault_places(course, name), tests):
        yield Listed(each.place, each.draft or Draft(), _sentence(each.errors))


def _sentence(errors: Sequence[LessonError]) -> str:
    """One sentence; keys that are missing have their reason in common."""
    if not errors:
        return ""
    return f"{errors[0].file}: {', '.join(error.key for error in errors)}: {errors[0].reason}"
