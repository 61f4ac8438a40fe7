"""Writing into a course: whole files or none, and a clear word where the course cannot be written."""

from __future__ import annotations

import os
import secrets
import stat
from typing import TYPE_CHECKING

from grader.errors import NameNotUsableError, ReadOnlyCourseError

if TYPE_CHECKING:
    from pathlib import Path


def save(path: Path, text: str, course: Path) -> None:
    """Write a file of the course, whole or not at all; one that is there keeps its line ends and its permissions.

    Args:
        path: the file.
        text: with line feeds as line ends.
        course: the course's folder, for errors.

    Raises:
        ReadOnlyCourseError: it cannot be written.
    """
    # Hidden, so that nobody who reads the course in the meantime takes it for a part of it.
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        there = path.is_file()
        beside.write_text(text, encoding="utf-8", newline=_line_end(path) if there else "\n")
        if there:
            beside.chmod(stat.S_IMODE(path.stat().st_mode))
        beside.replace(path)
    except OSError as error:
        raise ReadOnlyCourseError(path, error.strerror or str(error), course) from error
    finally:
        _remove(beside)


def save_new(path: Path, text: str, course: Path) -> None:
    """Write a new file of the course, whole or not at all.

    Raises:
        NameNotUsableError: there is one of this name.
        ReadOnlyCourseError: it cannot be written.
    """
    if path.exists():
        raise NameNotUsableError(path.name, "a new file, since there is one", "another id or title")
    save(path, text, course)


def check_writable(folder: Path, course: Path) -> None:
    """Find out before any work is done whether files can be made in a folder of the course.

    Raises:
        ReadOnlyCourseError: they cannot.
    """
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ReadOnlyCourseError(folder, "you may not make files there", course)


def is_installed(course: Path) -> bool:
    """Whether a course is part of an installation, so that the next version takes its place."""
    return "site-packages" in course.parts or "dist-packages" in course.parts


def _line_end(path: Path) -> str:
    """The one that most lines of a file have."""
    data = path.read_bytes()
    return "\r\n" if data.count(b"\r\n") * 2 > data.count(b"\n") else "\n"


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:  # in a folder that cannot be written there is nothing to remove
        return
