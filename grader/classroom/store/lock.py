"""One run at a time on an OUT: a lock that the kernel frees when its process ends, however it ends."""

from __future__ import annotations

import fcntl
import os
import socket
from typing import TYPE_CHECKING, Self

from grader.classroom.store.names import LOCK
from grader.errors import StoreBusyError, UnreadableError

if TYPE_CHECKING:
    from pathlib import Path

HOLDER = 200  # bytes that say who holds it


class Lock:
    """The lock on a folder, held until it is released.

    A record lock (POSIX `fcntl`): children do not inherit it, so none of them can keep it from the next run.
    The file stays: to remove it would let two runs hold two files of one name.

    Raises:
        StoreBusyError: another process holds it.
        UnreadableError: the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        try:
            self._file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise UnreadableError(folder, error.strerror or str(error)) from error
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._sign()
        except OSError as error:
            holder = os.pread(self._file, HOLDER, 0).decode("utf-8", "replace")
            os.close(self._file)
            if isinstance(error, (BlockingIOError, PermissionError)):
                raise StoreBusyError(folder, holder) from error
            raise UnreadableError(folder, error.strerror or str(error)) from error

    def _sign(self) -> None:
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"process {os.getpid()} on {socket.gethostname()}".encode()[:HOLDER], 0)

    def release(self) -> None:
        """Let the next one have it."""
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.release()
