"""Submissions of a run that are alike to the byte: one of them is graded, and all of them get its report.

The same suite, lesson and seed give the same report (but for times), so to grade it again would tell nothing. A class has
many: a template that nobody filled in, a solution that went round.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from grader.classroom.entries import Entry
    from grader.classroom.task import Task

Likeness = bytes


def likeness_of(task: Task) -> Likeness:
    """A hash of everything that a report depends on and that differs between two tasks of one run."""
    submission = task.submission
    # Only a root that is a package can be imported by its name.
    named = any(file.path == "__init__.py" for file in submission.files)
    problem = task.program.problem if task.program is not None else ""
    told = (task.sha256, submission.root_name if named else "", submission.ignored, problem)
    return hashlib.sha256(msgspec.json.encode(told)).digest()


class Twins:
    """Who waits for the grade of another one, and which grades have come."""

    def __init__(self) -> None:
        self._waiting: dict[Likeness, list[Entry]] = {}
        self._numbers: dict[Likeness, int] = {}

    def number(self, likeness: Likeness) -> int | None:
        """The id of the attempt that graded such a submission in this run."""
        return self._numbers.get(likeness)

    def waits(self, likeness: Likeness, entry: Entry) -> bool:
        """Whether such a submission is being graded; if so the entry waits for its outcome, else it is the first."""
        if likeness in self._waiting:
            self._waiting[likeness].append(entry)
            return True
        self._waiting[likeness] = []
        return False

    def came(self, likeness: Likeness, number: int, *, error: bool) -> list[Entry]:
        """The first of its kind has been graded, or could not be; those that waited for it."""
        if not error:
            self._numbers[likeness] = number
        return self._waiting.pop(likeness)
