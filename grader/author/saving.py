"""Writing into a course: whole files or none, and a clear word where the course cannot be written."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

from grader.errors import ReadOnlyCourseError

if TYPE_CHECKING:
    from pathlib import Path


def save(path: Path, text: str, course: Path) -> None:
    """Write a file of the course, whole or not at all.

    Raises:
        ReadOnlyCourseError: it cannot be written.
    """
    # Hidden, so that nobody who reads the course in the meantime takes it for a part of it.
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        beside.write_text(text, encoding="utf-8", newline="")
        beside.replace(path)
    except OSError as error:
        raise ReadOnlyCourseError(path, error.strerror or str(error), course) from error
    finally:
        _remove(beside)


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


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:  # in a folder that cannot be written there is nothing to remove
        return
