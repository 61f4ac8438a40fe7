"""The database file of an OUT: locked, of today's version, and with its errors as ours."""

from __future__ import annotations

import os
import sqlite3
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from grader.classroom.store import rows
from grader.classroom.store.lock import Lock
from grader.classroom.store.names import FILE
from grader.classroom.store.schema import migrate
from grader.errors import StoreError, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


class Database:
    """An open database, which no other process can open like this until it is closed.

    Args:
        out: the folder; it is there.

    Raises:
        StoreBusyError: another process has it open.
        StoreNewerError: a newer version of this program made it.
        UnreadableError: the folder cannot be written, or the file is another program's.
        StoreError: the file is damaged.
    """

    def __init__(self, out: Path) -> None:
        self.file = out / FILE
        with ExitStack() as undo:
            undo.enter_context(Lock(out))
            with errors_of(self.file):
                self._connection = _connected(self.file)
                undo.callback(self._connection.close)
                migrate(self._connection, self.file)
                _be_safe_and_fast(self._connection)
            self._end = undo.pop_all()

    def close(self) -> None:
        """Let the next one have it."""
        self._end.close()

    def execute(self, sql: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        """One statement, which is one transaction.

        Raises:
            StoreError: the disk is full, or the file is damaged or cannot be written.
        """
        with errors_of(self.file):
            return self._connection.execute(sql, values)

    def rows(self, sql: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """What a SELECT gives, row by row.

        Raises:
            StoreError: as `execute`.
        """
        with errors_of(self.file):
            yield from self._connection.execute(sql, values)

    def row(self, sql: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        """The first row that a SELECT gives.

        Raises:
            StoreError: as `execute`.
        """
        return next(self.rows(sql, values), None)

    @contextmanager
    def attached(self, other: Database) -> Iterator[None]:
        """The tables of another one, as those of the schema `other`."""
        # As bytes: a path may hold some that are no UTF-8.
        self.execute("ATTACH DATABASE CAST(? AS TEXT) AS other", (os.fsencode(other.file),))
        try:
            yield
        finally:
            self.execute("DETACH DATABASE other")


@contextmanager
def errors_of(file: Path) -> Iterator[None]:
    """What goes wrong with a database, as an error that names its file."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(file, str(error)) from error
    except OSError as error:
        raise UnreadableError(file, error.strerror or str(error)) from error


def _connected(file: Path) -> sqlite3.Connection:
    # Private faults stand in the full reports: the file is its owner's alone.
    os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    database = sqlite3.connect(file, isolation_level=None)
    database.text_factory = rows.decoded
    return database


def _be_safe_and_fast(database: sqlite3.Connection) -> None:
    # In WAL mode NORMAL loses nothing when a process is killed, and after a loss of power at most the last attempts.
    # Where there can be no WAL (some network file systems) every transaction waits for the disk.
    mode = database.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    database.execute(f"PRAGMA synchronous = {'NORMAL' if mode == 'wal' else 'FULL'}")
