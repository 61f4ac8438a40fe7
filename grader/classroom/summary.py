"""One document about a whole run of `ol grade`: what `--json` writes.

FORMAT_VERSION history: 1 — the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from grader import texts
from grader.errors import ExitCode
from grader.report import Count, Seconds, Share, Status  # noqa: TC001 - msgspec reads the annotations
from grader.report_parts import versions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.classroom.batch import Batch
    from grader.classroom.store import Attempt

FORMAT_VERSION = 1


class Grade(msgspec.Struct, frozen=True, kw_only=True):
    """What a grading came to; the numbers are null where the suite has no score."""

    status: Status
    reason: str
    killed: Count | None
    needed: Count | None
    total: Count | None
    score: Share | None
    required_missing: tuple[str, ...]


class Line(Grade, frozen=True, kw_only=True):
    """One submission of the run, and its last grade.

    Attributes:
        learner: whose it is; what cannot be shown is escaped.
        place: its folder in `OUT/submissions`.
        previous: what it had before, where it was graded again.
    """

    learner: str
    place: str
    submission_sha256: str
    previous: Grade | None = None


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """One run over a class.

    Attributes:
        submissions: how many there are; each was graded in this run or was known.
        graded: how many were graded in this run, those in error included.
        known: how many were graded before and were left as they are.
        passed, failed, invalid, error: of those graded in this run.
        grades: every submission of the run, in the order of the learners.
    """

    format_version: int = FORMAT_VERSION
    lesson: str
    lesson_sha256: str
    seed: Count
    exit_code: int
    versions: dict[str, str]
    seconds: Seconds
    submissions: Count
    graded: Count
    known: Count
    passed: Count
    failed: Count
    invalid: Count
    error: Count
    grades: tuple[Line, ...]


def exit_code(batch: Batch) -> ExitCode:
    """How `ol grade` ends: only what could not be graded is a failure of the command's."""
    return ExitCode.HARNESS if batch.tally.errors else ExitCode.PASSED


def summary_of(batch: Batch) -> Summary:
    """The document about a run that has ended."""
    tally = batch.tally
    return Summary(
        lesson=batch.lesson.id,
        lesson_sha256=batch.lesson.sha256,
        seed=batch.store.seed,
        exit_code=exit_code(batch),
        versions=versions(),
        seconds=round(tally.seconds, 3),
        submissions=tally.total,
        graded=tally.made,
        known=tally.known,
        grades=tuple(_lines(batch)),
        **tally.by_status,
    )


def write(summary: Summary) -> str:
    """The document, indented, with a newline at its end."""
    return msgspec.json.format(msgspec.json.encode(summary), indent=2).decode() + "\n"


def schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of the document, as it is published in `docs/grade.schema.json`."""
    made: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(Summary)))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | made


def _lines(batch: Batch) -> Iterator[Line]:
    previous = {change.after.place: _grade(change.before) for change in batch.changes}
    for entry in batch.entries:
        attempt = batch.store.last(entry.place)
        if attempt is not None:
            yield Line(
                learner=texts.plain(entry.learner),
                place=entry.place,
                submission_sha256=attempt.key.submission_sha256,
                previous=previous.get(entry.place),
                **msgspec.structs.asdict(_grade(attempt)),
            )


def _grade(attempt: Attempt) -> Grade:
    return Grade(
        status=attempt.status,
        reason=attempt.reason,
        killed=attempt.killed,
        needed=attempt.needed,
        total=attempt.total,
        score=attempt.score,
        required_missing=attempt.required_missing,
    )
