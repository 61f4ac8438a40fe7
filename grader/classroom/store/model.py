"""The types of the store: what is asked for, and what is kept of one grading."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


@dataclass(frozen=True)
class Key:
    """What a grade depends on. Two gradings with one key give the same report but for times.

    Attributes:
        versions: of ol, Python, numpy and pytest, as JSON with sorted keys.
    """

    learner: str
    submission_sha256: str
    lesson_sha256: str
    seed: int
    versions: str

    @classmethod
    def of(
        cls, learner: str, submission_sha256: str, lesson_sha256: str, seed: int, versions: Mapping[str, str]
    ) -> Key:
        """The key; `versions` as `grader.report_parts.versions()` gives them."""
        return cls(learner, submission_sha256, lesson_sha256, seed, json.dumps(versions, sort_keys=True))


@dataclass(frozen=True)
class Attempt:
    """One grading that is kept; the whole report is `Store.report(attempt)`.

    Attributes:
        id: rises with every attempt that is added.
        place: `Entry.place`, the folder in `OUT/submissions`.
        source: the name of the child that was graded.
        submitted: when it was handed in, in UTC; None: not known.
        graded: when it was added, in UTC; never before an attempt that was added earlier.
        killed, total, needed, score: None where there is no grade.
    """

    id: int
    key: Key
    place: str
    source: str
    submitted: datetime | None
    graded: datetime
    status: str
    reason: str
    killed: int | None
    total: int | None
    needed: int | None
    score: float | None
    required_missing: tuple[str, ...]

    @property
    def learner(self) -> str:
        """Whose it is."""
        return self.key.learner

    @property
    def time(self) -> datetime:
        """When it was handed in; where that is not known, when it was graded."""
        return self.submitted or self.graded
