"""A lesson in whatever state its author has left it: what can be read of it, and what is wrong with the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from grader.author.catalogue import fault_places
from grader.author.draft import runnable
from grader.author.listing import judged
from grader.author.parts import parts_of
from grader.author.verify.finding import LESSON, Finding, error
from grader.errors import LessonError
from grader.lesson import load_lesson, load_without_faults, names_of_course_tests

if TYPE_CHECKING:
    from pathlib import Path

    from grader.lesson import Fault, Lesson

CHECK = "loads"


def read_lesson(course: Path, name: str) -> tuple[Lesson | None, list[Finding]]:
    """The lesson with those of its faults that fit, and a finding for each thing that keeps something out.

    Returns None in place of the lesson if it cannot be used without its faults either.

    Raises:
        UnknownLessonError: the course has none of this name.
    """
    try:
        return load_lesson(course, name), []
    except LessonError as problem:
        whole = problem
    try:
        bare = load_without_faults(course, name)
        tests = names_of_course_tests(course, name)
        places = fault_places(course, name)
    except LessonError as problem:
        return None, _unusable(course, name, problem)
    faults: list[Fault] = []
    findings: list[Finding] = []
    for each in judged(bare, places, tests):
        findings += [_finding(each.place.id, problem) for problem in each.errors]
        if each.draft is not None and not each.errors:
            faults.append(runnable(each.draft, each.place))
    return msgspec.structs.replace(bare, faults=tuple(faults)), findings or [_finding(LESSON, whole)]


def _unusable(course: Path, name: str, problem: LessonError) -> list[Finding]:
    """Every part that a half-made lesson lacks, all at once, and what is wrong with one that is there."""
    missing = [part for part in parts_of(course, name) if not part.there]
    told = any(part.path.startswith(problem.file) for part in missing)
    return [
        *(error(LESSON, "complete", f"{part.path}: file", f"is missing: {part.what}") for part in missing),
        *([] if told else [_finding(LESSON, problem)]),
    ]


def _finding(subject: str, problem: LessonError) -> Finding:
    return error(subject, CHECK, f"{problem.file}: {problem.key}", problem.reason)
