"""Whether an author's edits make a fault, and which course tests see it."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from grader.errors import FaultEditError
from grader.lesson.edits import edited
from grader.lesson.syntax import compiled, described, same_program

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import CodeType

    from grader.lesson import Edit, Lesson

NO_FAULT = "differs from the reference only in comments and blanks, so that it is no fault"


def sources_of(lesson: Lesson) -> dict[str, str]:
    """The reference's text by file, relative to the course's `reference` folder."""
    return {module.file: module.source for module in lesson.reference_modules.values()}


def check_program(
    edits: Sequence[Edit], sources: Mapping[str, str], labels: Mapping[str, str], origin: str
) -> None:
    """Whether edits make another program of the reference, one that compiles.

    Args:
        edits: at least one.
        sources: the reference's text by file.
        labels: by file, what to call its edited text in an error; where there is none, the file itself.
        origin: the fault's file, for errors.

    Raises:
        LessonError: an edit does not fit.
        FaultEditError: it does not compile, or it is the same program.
    """
    changed = edited(tuple(edits), sources, origin)
    for file, text in changed.items():
        problem = _syntax_problem(text)
        if problem:
            raise FaultEditError(labels.get(file, file), problem)
    if all(_same(sources[file], text) for file, text in changed.items()):
        raise FaultEditError("; ".join(labels.get(file, file) for file in changed), NO_FAULT)


def idle_edits(edits: Sequence[Edit], sources: Mapping[str, str]) -> tuple[int, ...]:
    """Those edits, by their places, that change only comments or blanks when they are made alone."""
    return tuple(number for number, edit in enumerate(edits) if _is_idle(edit, sources))


def course_tests_that_kill(
    lesson: Lesson, name: str, edits: Sequence[Edit], *, hangs: bool = False
) -> tuple[str, ...]:
    """The functions of the course tests that see a fault, in the order in which they stand; each is run.

    Args:
        lesson: the fault's.
        name: the fault's, for errors.
        edits: what makes the fault of the reference.
        hangs: not to end counts as a kill.

    Raises:
        LessonError: the course tests do not pass on the reference.
        HarnessError: they cannot be run.
    """
    from grader.author.trials import course_trials, function_name  # noqa: PLC0415 - only where something is run

    with course_trials(lesson) as trials:
        trials.check_reference()
        tried = trials.run(trials.program(name, edited(tuple(edits), sources_of(lesson), name)))
    killers = tried.killers + (tried.hung_in if hangs else ())
    return tuple(dict.fromkeys(function_name(test) for test in tried.outcomes if test in killers))


def _syntax_problem(text: str) -> str:
    try:
        _code(text)
    except SyntaxError as error:
        return f"has a syntax error: {described(error)}"
    return ""


def _is_idle(edit: Edit, sources: Mapping[str, str]) -> bool:
    try:
        return _same(sources[edit.file], edited((edit,), sources, "")[edit.file])
    except SyntaxError:  # it compiles only together with others, and so does something
        return False


def _same(one: str, other: str) -> bool:
    return same_program(_code(one), _code(other))


def _code(text: str) -> CodeType:
    with warnings.catch_warnings():
        # A fault may well hold what Python warns of on compiling, such as `x is 1`.
        warnings.simplefilter("ignore")
        return compiled(text)
