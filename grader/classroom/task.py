"""What travels in a batch: one submission to be graded, and what came of it. Plain data, for any process or machine."""

from __future__ import annotations

import hashlib

import msgspec

from grader.course_part import Program  # noqa: TC001 - msgspec reads the annotations when it decodes
from grader.report import Report
from grader.submission import Submission  # noqa: TC001 - as above


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One submission to be graded.

    Attributes:
        key: names it in its batch; no other task of the batch has it.
        submission: the suite's files as data, with their hash.
        seed: drives settings, orders and all randomness of the suite.
        lesson_sha256: of the lesson that it is graded by; a worker that has another lesson refuses it.
        program: the learner's package, where the course tests are asked for.
    """

    key: str
    submission: Submission
    seed: int
    lesson_sha256: str
    program: Program | None = None

    @property
    def sha256(self) -> str:
        """Of everything that its grade depends on and that the learner handed in."""
        if self.program is None:
            return self.submission.sha256
        return hashlib.sha256(msgspec.json.encode((self.submission.sha256, self.program))).hexdigest()


class Outcome(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What came of a task.

    Attributes:
        key: the task's.
        report: the report as JSON, in UTF-8; its status is `error` where the machine or the grader failed.
        seconds: how long the grading took, the waiting for a worker left out.
        worker: who did it, for people to read.
        attempts: how often the task was begun.
    """

    key: str
    report: bytes
    seconds: float
    worker: str = ""
    attempts: int = 1

    @property
    def decoded(self) -> Report:
        """The report."""
        return msgspec.json.decode(self.report, type=Report)
