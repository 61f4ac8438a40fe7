"""The store: one SQLite file in OUT, written by one process at a time, one transaction an attempt."""

from __future__ import annotations

import datetime as dt
import secrets
import zlib
from typing import TYPE_CHECKING, Self

import msgspec

from grader.classroom.store import rows
from grader.classroom.store.database import Database
from grader.classroom.store.names import FILE
from grader.errors import StoreError, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from grader.classroom.entries import Entry
    from grader.classroom.store.model import Attempt, Key
    from grader.report import Report

SEED_BITS = 32
EVERY = 1 << 62  # places of a learner
NEVER = dt.datetime.min.replace(tzinfo=dt.UTC)

# What `rows.text` made is bound as bytes, and stored as the text that it is.
KNOWN = """
    SELECT * FROM grades WHERE
        learner = CAST(? AS TEXT) AND submission_sha256 = CAST(? AS TEXT) AND lesson_sha256 = CAST(? AS TEXT)
        AND seed = CAST(? AS TEXT) AND versions = CAST(? AS TEXT) AND status <> 'error'
    ORDER BY graded DESC, id DESC LIMIT 1
"""
ADD = """
    INSERT INTO attempts (
        learner, submission_sha256, lesson_sha256, seed, versions, place, source, submitted, graded,
        status, reason, killed, total, needed, score, required_missing, learner_order, source_order, report
    ) VALUES (
        CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT),
        CAST(? AS TEXT), CAST(? AS TEXT), ?, ?, CAST(? AS TEXT), CAST(? AS TEXT), ?, ?, ?, ?,
        CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), ?
    )
"""
TAKE_IN = """
    INSERT INTO main.attempts (
        learner, submission_sha256, lesson_sha256, seed, versions, place, source, submitted, graded,
        status, reason, killed, total, needed, score, required_missing, learner_order, source_order, report
    ) SELECT
        learner, submission_sha256, lesson_sha256, seed, versions, place, source, submitted, graded,
        status, reason, killed, total, needed, score, required_missing, learner_order, source_order, report
    FROM other.attempts AS there WHERE NOT EXISTS (
        SELECT 1 FROM main.attempts AS here WHERE
            here.learner = there.learner AND here.submission_sha256 = there.submission_sha256
            AND here.lesson_sha256 = there.lesson_sha256 AND here.seed = there.seed
            AND here.versions = there.versions AND here.place = there.place AND here.graded = there.graded
    ) ORDER BY there.id
"""
# A part may come from elsewhere, and a place becomes a path: what `entries.place_of` makes can leave no folder.
NO_PLACE = "SELECT 1 FROM attempts WHERE place GLOB '*[^a-z0-9_.-]*' OR place NOT GLOB '[a-z0-9]*' LIMIT 1"


class Store:
    """The attempts of one lesson's class. Use as a context manager; from one thread.

    Whatever `add` has returned for is kept, whenever and however the process ends after that.

    Attributes:
        out: the folder.
        lesson: the lesson's id.
        seed: the seed of this run.
    """

    def __init__(self, database: Database, lesson: str, seed: int) -> None:
        self.out = database.file.parent
        self.lesson = lesson
        self.seed = seed
        self._database = database
        self._last_graded = self._newest_moment()

    @classmethod
    def open(cls, out: Path, lesson: str, seed: int | None = None) -> Store:
        """The store in this folder, which is made if it is not there; no other run can open it until it is closed.

        Args:
            out: the folder OUT.
            lesson: the lesson's id; an OUT holds one lesson.
            seed: of this run. None: the first seed that OUT was used with; in a new OUT, one from the operating system.

        Raises:
            StoreBusyError: another run has it open.
            StoreNewerError: a newer version of this program made it.
            UnreadableError: OUT cannot be written, is no folder, or holds grades of another lesson.
            StoreError: the file is damaged.
        """
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnreadableError(out, error.strerror or str(error)) from error
        database = Database(out)
        try:
            first = _first_use(database, lesson, seed)
            return cls(database, lesson, first if seed is None else seed)
        except BaseException:
            database.close()
            raise

    @classmethod
    def existing(cls, out: Path) -> Store:
        """The store that is in a folder, with its own lesson and first seed.

        Raises:
            UnreadableError: there is none.
            GraderError: as `open`.
        """
        if not (out / FILE).is_file():
            raise UnreadableError(out, f"it holds no grades ({FILE})")
        database = Database(out)
        try:
            return cls(database, *_first_used_with(database))
        except BaseException:
            database.close()
            raise

    def close(self) -> None:
        """Let the next run have it."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    # attempts

    def known(self, key: Key) -> Attempt | None:
        """The last attempt with this key that came to a grade; one with status `error` is none, it is made again."""
        row = self._database.row(KNOWN, rows.key_row(key))
        return rows.attempt_of(row) if row else None

    def add(self, entry: Entry, report: Report) -> Attempt:
        """Keep a grading. One transaction: when this returns, the attempt outlives the process.

        Args:
            entry: what was graded.
            report: the full report, unrestricted: with private faults, messages and, if they were made, witnesses.

        Raises:
            StoreError: the disk is full or the file cannot be written.
        """
        graded = max(dt.datetime.now(dt.UTC), self._last_graded)
        number = self._database.execute(ADD, rows.new_row(entry, report, graded)).lastrowid
        self._last_graded = graded
        return next(self._grades("SELECT * FROM grades WHERE id = ?", number))

    def latest(self, *, one_each: bool = False) -> Iterator[Attempt]:
        """The last attempt of each place, by learner; with `one_each` only the place that a learner handed in last."""
        order = "learner_order, learner, source_order, source"
        select = f"SELECT * FROM latest WHERE newest <= ? ORDER BY {order}"  # noqa: S608 - `order` stands above
        return self._grades(select, 1 if one_each else EVERY)

    def last(self, place: str) -> Attempt | None:
        """The last attempt of one submission: what a regrade is compared with."""
        select = "SELECT * FROM grades WHERE place = CAST(? AS TEXT) ORDER BY graded DESC, id DESC LIMIT 1"
        return next(self._grades(select, rows.text(place)), None)

    def history(self, learner: str) -> list[Attempt]:
        """All attempts of a learner, oldest first."""
        select = "SELECT * FROM grades WHERE learner = CAST(? AS TEXT) ORDER BY graded, id"
        return list(self._grades(select, rows.text(learner)))

    def report(self, attempt: Attempt) -> Report:
        """The full report of an attempt, as it was added.

        Raises:
            StoreError: the file is damaged.
        """
        return self.report_numbered(attempt.id)

    def report_numbered(self, number: int) -> Report:
        """As `report`, by the attempt's id."""
        row = self._database.row("SELECT report FROM attempts WHERE id = ?", (number,))
        try:
            return rows.report_in(row[0] if row else b"")
        except (zlib.error, msgspec.MsgspecError) as error:
            raise StoreError(self._database.file, f"attempt {number}: {error}") from error

    def position(self, attempt: Attempt, window: dt.timedelta | None = None) -> int:
        """Which of its learner's submissions within `window` an attempt graded, from 1, by the time of submission.

        Counted are different submissions that came to a grade, each once and at its first time: to grade one again
        changes no position.
        """
        firsts: dict[str, tuple[dt.datetime, int]] = {}
        for each in self.history(attempt.learner):
            if each.status != "error" or each.id == attempt.id:
                first = firsts.setdefault(each.key.submission_sha256, (each.time, each.id))
                firsts[each.key.submission_sha256] = min(first, (each.time, each.id))
        own = firsts[attempt.key.submission_sha256]
        return sum(
            first <= own and (window is None or own[0] - first[0] < window) for first in firsts.values()
        )

    # the files that were written

    def written(self, place: str) -> tuple[int, str] | None:
        """Of which attempt the files of a place are, and what they tell; None: there are none."""
        select = "SELECT attempt, told FROM written WHERE place = CAST(? AS TEXT)"
        row = self._database.row(select, (rows.text(place),))
        return (row[0], row[1]) if row else None

    def mark_written(self, attempt: Attempt, told: str) -> None:
        """Remember that the files of an attempt's place are its own, and whole."""
        values = (attempt.place, attempt.id, told)
        self._database.execute("INSERT OR REPLACE INTO written VALUES (?, ?, ?)", values)

    # other stores

    def take_in(self, other: Store) -> int:
        """Add all attempts of another store that this one does not hold yet, in one transaction; how many those are.

        Raises:
            UnreadableError: it holds grades of another lesson, or was made by something else.
        """
        if other.lesson != self.lesson:
            raise UnreadableError(other.out, f"it holds grades of {other.lesson}, not of {self.lesson}")
        if other._database.row(NO_PLACE):
            raise UnreadableError(other.out, "it names a folder that no submission can have")
        with self._database.attached(other._database):
            added = self._database.execute(TAKE_IN).rowcount
        self._last_graded = self._newest_moment()
        return added

    # inside

    def _grades(self, select: str, value: object) -> Iterator[Attempt]:
        return map(rows.attempt_of, self._database.rows(select, (value,)))

    def _newest_moment(self) -> dt.datetime:
        row = self._database.row("SELECT MAX(graded) FROM attempts")
        return dt.datetime.fromisoformat(row[0]) if row and row[0] else NEVER


def _first_use(database: Database, lesson: str, seed: int | None) -> int:
    """The seed of the first use of an OUT, which may be this one.

    Raises:
        UnreadableError: it was of another lesson.
    """
    there = _meta(database, "lesson")
    if there not in {"", lesson}:
        raise UnreadableError(database.file.parent, f"it holds grades of {there}, not of {lesson}")
    if not there:
        first = str(secrets.randbits(SEED_BITS) if seed is None else seed)
        database.execute("INSERT INTO meta VALUES ('lesson', ?), ('seed', ?)", (lesson, first))
    return int(_meta(database, "seed"))


def _first_used_with(database: Database) -> tuple[str, int]:
    """The lesson and the first seed of an OUT.

    Raises:
        UnreadableError: nothing was kept in it.
    """
    lesson, seed = (_meta(database, name) for name in ("lesson", "seed"))
    if not lesson:  # the file is empty, or its first run was killed at once
        raise UnreadableError(database.file.parent, f"it holds no grades (nothing was kept in {FILE})")
    return lesson, int(seed)


def _meta(database: Database, name: str) -> str:
    row = database.row("SELECT value FROM meta WHERE name = ?", (name,))
    return str(row[0]) if row else ""
