"""Where a workspace stands in each lesson, by its files and its log of attempts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.attempts import attempts
from grader.errors import WorkspaceNotFoundError
from grader.lesson import lesson_ids, load_lesson
from grader.texts import count
from grader.workspace import find_workspace

if TYPE_CHECKING:
    from pathlib import Path

    from grader.lesson import Lesson
    from grader.workspace import Workspace


@dataclass(frozen=True)
class Standing:
    """One lesson.

    Attributes:
        needed: faults that a suite has to kill, of `faults`.
        state: no workspace, not started, started, tried or passed.
        best: the most faults killed so far; None: no grade yet.
        last: when the last attempt ended; empty: there was none.
    """

    lesson: str
    title: str
    rung: str
    needed: int
    faults: int
    state: str
    attempts: int = 0
    best: int | None = None
    last: str = ""

    @property
    def told(self) -> str:
        """The state in words."""
        if not self.attempts:
            return self.state
        best = f", best {self.best} of {self.faults} killed" if self.best is not None else ""
        return f"{self.state}, {count(self.attempts, 'attempt')}{best}"


def standings(course: Path, workspace: Path | None) -> list[Standing]:
    """Every lesson of the course.

    Raises:
        GraderError: the course cannot be read, or the workspace that was named does not exist.
    """
    return [
        _standing(lesson, _workspace(workspace, lesson.package))
        for lesson in (load_lesson(course, name) for name in lesson_ids(course))
    ]


def _workspace(option: Path | None, package: str) -> Workspace | None:
    try:
        return find_workspace(option, package)
    except WorkspaceNotFoundError:
        if option is not None:
            raise
        return None


def _standing(lesson: Lesson, workspace: Workspace | None) -> Standing:
    tried = attempts(workspace, lesson.id) if workspace else []
    grades = [attempt.killed for attempt in tried if attempt.killed is not None]
    return Standing(
        lesson=lesson.id,
        title=lesson.title,
        rung=lesson.rung,
        needed=lesson.needed,
        faults=len(lesson.faults),
        state=_state(lesson, workspace, passed=any(each.passed for each in tried), tried=bool(tried)),
        attempts=len(tried),
        best=max(grades, default=None),
        last=tried[-1].time if tried else "",
    )


def _state(lesson: Lesson, workspace: Workspace | None, *, passed: bool, tried: bool) -> str:
    if workspace is None:
        return "no workspace here"
    if passed:
        return "passed"
    if tried:
        return "tried"
    begun = workspace.source(lesson).exists() or workspace.tests(lesson).exists()
    return "started" if begun else "not started"
