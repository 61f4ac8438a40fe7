"""Between attempts and rows of the database."""

from __future__ import annotations

import datetime as dt
import zlib
from typing import TYPE_CHECKING, Any

import msgspec

from grader.classroom.entries import natural
from grader.classroom.store.model import Attempt, Key
from grader.report import Report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.classroom.entries import Entry


def new_row(entry: Entry, report: Report, graded: dt.datetime) -> tuple[Any, ...]:
    """The values of a grading, in the order of the table without `id`."""
    grade = report.mutation
    return (
        *key_row(
            Key.of(
                entry.learner,
                report.submission_sha256,
                report.lesson_sha256,
                report.seed,
                report.versions,
            )
        ),
        *map(text, (entry.place, entry.path.name)),
        moment(entry.submitted) if entry.submitted else None,
        moment(graded),
        *map(text, (report.status, report.reason)),
        *((grade.killed, grade.total, grade.needed, grade.score) if grade else (None,) * 4),
        text(" ".join(grade.required_missing) if grade else ""),
        *map(text, (natural(entry.learner), natural(entry.path.name))),
        zlib.compress(msgspec.json.encode(report)),
    )


def key_row(key: Key) -> tuple[bytes, ...]:
    """The values of a key, in the order of the table."""
    parts = (key.learner, key.submission_sha256, key.lesson_sha256, str(key.seed), key.versions)
    return tuple(map(text, parts))


def text(value: str) -> bytes:
    """Text for the database: a name may hold bytes that are no UTF-8, which come back as they were."""
    return value.encode("utf-8", "surrogatepass")


def decoded(value: bytes) -> str:
    """What `text` made, for `Connection.text_factory`."""
    return value.decode("utf-8", "surrogatepass")


def attempt_of(row: Sequence[Any]) -> Attempt:
    """The attempt in a row of the view `grades`."""
    number, learner, submission, lesson, seed, versions, place, source, submitted, graded = row[:10]
    status, reason, killed, total, needed, score, missing = row[10:17]
    return Attempt(
        id=number,
        key=Key(learner, submission, lesson, int(seed), versions),
        place=place,
        source=source,
        submitted=dt.datetime.fromisoformat(submitted) if submitted else None,
        graded=dt.datetime.fromisoformat(graded),
        status=status,
        reason=reason,
        killed=killed,
        total=total,
        needed=needed,
        score=score,
        required_missing=tuple(missing.split()),
    )


def report_in(blob: bytes) -> Report:
    """The report that a row holds."""
    return msgspec.json.decode(zlib.decompress(blob), type=Report)


def moment(time: dt.datetime) -> str:
    """A time in UTC, such that text sorts as time does."""
    return time.astimezone(dt.UTC).isoformat(timespec="microseconds")
