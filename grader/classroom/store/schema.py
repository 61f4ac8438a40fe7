"""The tables of the store, and how an older file becomes one of today's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.errors import StoreNewerError, UnreadableError

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

APPLICATION = 0x6F6C6772  # "olgr", in the file's header: what `file` and other programs know it by

# One script for each version of the file; a script that was released is never changed again.
MIGRATIONS = (
    """
    CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);

    CREATE TABLE attempts (
        id                INTEGER PRIMARY KEY AUTOINCREMENT,
        learner           TEXT NOT NULL,
        submission_sha256 TEXT NOT NULL,
        lesson_sha256     TEXT NOT NULL,
        seed              TEXT NOT NULL,      -- decimal: it may be larger than SQLite's integers
        versions          TEXT NOT NULL,      -- JSON with sorted keys
        place             TEXT NOT NULL,      -- the folder in submissions/
        source            TEXT NOT NULL,      -- the child's name
        submitted         TEXT,               -- ISO 8601, UTC, microseconds
        graded            TEXT NOT NULL,      -- as submitted
        status            TEXT NOT NULL,
        reason            TEXT NOT NULL,
        killed            INTEGER,
        total             INTEGER,
        needed            INTEGER,
        score             REAL,
        required_missing  TEXT NOT NULL,      -- ids, with blanks between
        learner_order     TEXT NOT NULL,      -- sorts names as people do
        source_order      TEXT NOT NULL,
        report            BLOB NOT NULL       -- the full report, JSON, zlib
    );
    CREATE INDEX attempts_by_key ON attempts (learner, submission_sha256, lesson_sha256, seed, versions);
    CREATE INDEX attempts_by_place ON attempts (place, graded, id);

    CREATE TRIGGER attempts_are_not_changed BEFORE UPDATE ON attempts
    BEGIN SELECT RAISE(ABORT, 'an attempt is never changed'); END;
    CREATE TRIGGER attempts_are_not_deleted BEFORE DELETE ON attempts
    BEGIN SELECT RAISE(ABORT, 'an attempt is never deleted'); END;

    -- All that is shown of an attempt; the report is read by itself.
    CREATE VIEW grades AS SELECT
        id, learner, submission_sha256, lesson_sha256, seed, versions, place, source, submitted, graded,
        status, reason, killed, total, needed, score, required_missing, learner_order, source_order
    FROM attempts;

    -- The last attempt of each place; newest is 1 for the place that its learner handed in last.
    CREATE VIEW latest AS SELECT *, ROW_NUMBER() OVER (
        PARTITION BY learner ORDER BY submitted IS NULL, submitted DESC, source_order DESC, source DESC
    ) AS newest
    FROM (
        SELECT *, ROW_NUMBER() OVER (PARTITION BY place ORDER BY graded DESC, id DESC) AS again FROM grades
    )
    WHERE again = 1;

    -- Which attempt the files of a place show, and to whom: what is not so is written again.
    CREATE TABLE written (place TEXT PRIMARY KEY, attempt INTEGER NOT NULL, told TEXT NOT NULL);
    """,
)
VERSION = len(MIGRATIONS)


def migrate(database: sqlite3.Connection, file: Path) -> None:
    """Bring the file to today's version; each step is a transaction.

    Raises:
        StoreNewerError: it is of a later version.
        UnreadableError: it is another program's.
    """
    version = _number(database, "user_version")
    if _number(database, "application_id") != APPLICATION and (version or _has_tables(database)):
        raise UnreadableError(file, "it is another program's database")
    if version > VERSION:
        raise StoreNewerError(file, version, VERSION)
    for number, script in enumerate(MIGRATIONS[version:], version + 1):
        header = f"PRAGMA user_version = {number}; PRAGMA application_id = {APPLICATION};"
        database.executescript(f"BEGIN IMMEDIATE; {script} {header} COMMIT;")


def _number(database: sqlite3.Connection, pragma: str) -> int:
    return int(database.execute(f"PRAGMA {pragma}").fetchone()[0])


def _has_tables(database: sqlite3.Connection) -> bool:
    return database.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None
