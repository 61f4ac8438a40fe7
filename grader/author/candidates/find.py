"""Which candidate a name means: candidates are made again, and the hash is looked for, so nothing has to be remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.author.candidates.generate import candidates_of
from grader.errors import UnknownCandidateError
from grader.lesson import lesson_ids, load_without_faults

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from grader.author.candidates.model import Candidate
    from grader.lesson import Lesson

LEAST_DIGITS = 4


def find_candidate(course: Path, name: str, lesson: str | None = None) -> tuple[Lesson, Candidate]:
    """The candidate of this name and its lesson, which is loaded without its faults.

    Args:
        course: the course's folder.
        name: the candidate's, that of another of the same code, or so many first digits that only one fits.
        lesson: the only lesson to look in; None: all.

    Raises:
        UnknownCandidateError: none has this name, or several have.
        UnknownLessonError: the lesson is not there.
        MissingExtraError: mutmut is not installed.
    """
    lessons = [lesson] if lesson else lesson_ids(course)
    found = [each for of in lessons for each in _named(course, of, name)]
    if len(found) != 1:
        raise UnknownCandidateError(name, lesson, [candidate.id for _lesson, candidate in found])
    return found[0]


def _named(course: Path, lesson_id: str, name: str) -> Iterator[tuple[Lesson, Candidate]]:
    lesson = load_without_faults(course, lesson_id)
    if len(name) < LEAST_DIGITS:
        return
    for candidate in candidates_of(lesson):
        if any(each.startswith(name) for each in (candidate.id, *candidate.also)):
            yield lesson, candidate
