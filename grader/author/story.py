"""One fault as a reader wants to see it: what its file says, what it changes and, on request, which tests see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.author.anchor import fits
from grader.author.changes import course_tests_that_kill, sources_of
from grader.author.draft import read_draft
from grader.diff import unified
from grader.errors import LessonError
from grader.lesson import load_without_faults
from grader.lesson.edits import edited

if TYPE_CHECKING:
    from pathlib import Path

    from grader.author.catalogue import FaultPlace
    from grader.author.draft import Draft
    from grader.lesson import Edit, Lesson


@dataclass(frozen=True)
class Story:
    """A fault.

    Attributes:
        place: where it is described.
        draft: what its file says.
        diff: from the reference to the faulty text, file by file, as lines of a unified diff.
        problem: why there is no diff, in one sentence; empty: there is one, or no edit yet.
        unfit: the edits that do not fit the reference.
        killers: the course tests that see it when they are run; None: they were not.
    """

    place: FaultPlace
    draft: Draft
    diff: tuple[str, ...] = ()
    problem: str = ""
    unfit: tuple[Edit, ...] = ()
    killers: tuple[str, ...] | None = None

    @property
    def as_stated(self) -> bool:
        """Whether the tests that see it are those that its file names, as far as is known."""
        return self.killers is None or set(self.killers) == set(self.draft.caught_by)


def story_of(course: Path, place: FaultPlace, *, run: bool = False) -> Story:
    """A fault's story; `run`: with the course tests run on it.

    Raises:
        LessonError: the fault's file cannot be used at all, or the lesson without its faults is wrong.
        HarnessError: the course tests cannot be run.
    """
    lesson, draft = load_without_faults(course, place.lesson), read_draft(place)
    sources = sources_of(lesson)
    try:
        changed = edited(draft.edits, sources, place.file)
    except LessonError as error:
        unfit = tuple(edit for edit in draft.edits if not fits(edit, sources.get(edit.file, "")))
        return Story(place, draft, problem=error.message, unfit=unfit)
    diff = [line for file, text in changed.items() for line in _diff(file, sources[file], text, place)]
    return Story(place, draft, tuple(diff), killers=_killers(lesson, place, draft) if run else None)


def _diff(file: str, before: str, after: str, place: FaultPlace) -> list[str]:
    names = (f"reference/{file}", place.name)
    return unified(before.rstrip("\n").split("\n"), after.rstrip("\n").split("\n"), names)


def _killers(lesson: Lesson, place: FaultPlace, draft: Draft) -> tuple[str, ...]:
    return course_tests_that_kill(lesson, place.name, draft.edits, hangs=draft.timeout_is_kill)
