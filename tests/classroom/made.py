"""Reports, entries and folders as tests of a class need them, without grading anything."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import UNSET

from grader.classroom.entries import Entry, place_of
from grader.feedback import told_missing
from grader.report import FaultLine, Mutation, ProblemLine, Report, Validity

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

LESSON = "W1"
VERSIONS = {"ol": "0.1.0", "python": "3.11.7", "numpy": "2.4.6", "pytest": "9.2.0"}


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def fault(
    name: str, status: str = "killed", *, required: bool = False, private: bool = False, witness: str = ""
) -> FaultLine:
    """A fault whose every text holds its name."""
    alive = status != "killed"
    return FaultLine(
        id=name,
        title=f"title of {name}",
        required=required,
        status=status,
        killed_by=() if alive else (f"test_{name}.py::test_it",),
        message=f"message of {name}",
        hint=f"hint of {name}" if alive else "",
        seconds=0.01,
        symptom=f"symptom of {name}" if alive else "",
        witness=witness or (f"witness of {name}" if alive else ""),
        private=private or UNSET,
    )


FAULTS = (
    fault("s01", required=True),
    fault("s02", "survived", required=True),
    fault("s03"),
    fault("s04", "timeout"),
)
PRIVATE = (fault("p01", private=True), fault("p02", "survived", private=True))


def graded(
    faults: Sequence[FaultLine] = FAULTS,
    *,
    submission: str = "a",
    lesson: str = "the lesson",
    seed: int = 7,
    notices: tuple[str, ...] = (),
) -> Report:
    """The full report of a suite that was graded."""
    killed = sum(each.status == "killed" for each in faults)
    missing = tuple(each.id for each in faults if each.required and each.status != "killed")
    passed = killed >= len(faults) - 1 and not missing
    count = f"{killed} of {len(faults)} faults killed, {len(faults) - 1} needed"
    return Report(
        lesson=LESSON,
        status="passed" if passed else "failed",
        reason=f"{count}{told_missing(missing)}",
        exit_code=0 if passed else 1,
        seed=seed,
        sandbox=("rlimits",),
        versions=VERSIONS,
        submission_sha256=sha256(submission),
        lesson_sha256=sha256(lesson),
        seconds=0.25,
        validity=Validity(valid=True, tests=3, problems=()),
        mutation=Mutation(
            killed=killed,
            total=len(faults),
            needed=len(faults) - 1,
            threshold="0.75",
            score=round(killed / len(faults), 4),
            required_missing=missing,
            faults=tuple(faults),
        ),
        notices=notices,
    )


def invalid(submission: str = "a") -> Report:
    """The report of a suite that was not graded."""
    problem = ProblemLine(kind="blind", test="", program="canary", message="It notices nothing.")
    return Report(
        lesson=LESSON,
        status="invalid",
        reason="the suite cannot be graded: its tests pass on a module that does nothing",
        exit_code=3,
        seed=7,
        sandbox=("rlimits",),
        versions=VERSIONS,
        submission_sha256=sha256(submission),
        lesson_sha256=sha256("the lesson"),
        seconds=0.25,
        validity=Validity(valid=False, tests=1, problems=(problem,)),
    )


def error() -> Report:
    """The report of a grading that failed through the machine's fault."""
    return Report(
        lesson=LESSON,
        status="error",
        reason="the machine failed [harness]",
        exit_code=70,
        seed=7,
        sandbox=(),
        versions=VERSIONS,
        submission_sha256=sha256("a"),
        lesson_sha256=sha256("the lesson"),
        seconds=0.0,
    )


def entry(learner: str = "ada", child: str = "", submitted: datetime | None = None) -> Entry:
    name = child or learner
    return Entry(learner, Path("class") / name, "plain", place_of(learner, name), submitted)
