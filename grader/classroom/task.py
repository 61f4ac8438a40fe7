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
        program: what the course tests run on, where they are asked for.
        module_sha256: of what the learner handed in for it; empty: nothing of it counts.
    """

    key: str
    submission: Submission
    seed: int
    lesson_sha256: str
    program: Program | None = None
    module_sha256: str = ""

    @property
    def sha256(self) -> str:
        """Of everything that its grade depends on and that the learner handed in."""
        if not self.module_sha256:
            return self.submission.sha256
        return hashlib.sha256(f"{self.submission.sha256} {self.module_sha256}".encode()).hexdigest()


class Outcome(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What came of a task.

    Attributes:
        key: the task's.
        report: the report as JSON, in UTF-8; its status is `error` where the machine or the grader failed.
    """

    key: str
    report: bytes

    @property
    def decoded(self) -> Report:
        """The report."""
        return msgspec.json.decode(self.report, type=Report)
