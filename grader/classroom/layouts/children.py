"""The children of a folder that may be submissions, and what can be said against one without reading it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from grader.classroom.entries import Entry, place_of
from grader.errors import PathNotFoundError, UnreadableError
from grader.submission.archive import SUFFIXES

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

# What systems and browsers leave in folders; hidden files are passed over, too.
LITTER = frozenset({"__MACOSX", "__pycache__", "Thumbs.db", "desktop.ini"})


def children_of(folder: Path) -> list[Path]:
    """What lies directly in a folder, without what no one handed in: hidden files and litter.

    Raises:
        PathNotFoundError: there is no such folder.
        UnreadableError: it is no folder, or cannot be listed.
    """
    try:
        with os.scandir(folder) as found:
            names = [each.name for each in found if not _is_litter(each.name)]
    except FileNotFoundError as error:
        raise PathNotFoundError(folder) from error
    except OSError as error:
        raise UnreadableError(folder, error.strerror or str(error)) from error
    return [folder / name for name in sorted(names)]


def entry_of(child: Path, layout: str, learner: str = "", submitted: datetime | None = None) -> Entry:
    """The entry of one child; without a name of its own, the learner is called like the child."""
    name = learner or child.name
    return Entry(name, child, layout, place_of(name, child.name), submitted, problem_with(child))


def problem_with(child: Path) -> str:
    """Why a child cannot be a submission, as the rest of a sentence; empty when it can."""
    if child.is_symlink() and not _stays_inside(child):
        return "it is a link that leads out of the folder, or nowhere; put the submission itself here"
    if child.is_dir() or (child.is_file() and may_be_read(child.name)):
        return ""
    return "it is neither a folder nor a .py file nor a .zip, .tar or .tar.gz archive"


def may_be_read(file: str) -> bool:
    """Whether a file can be a suite or a part of one, by its name."""
    return file.lower().endswith((".py", *SUFFIXES))


def _is_litter(name: str) -> bool:
    # Two dots hide nothing by convention: such a name is somebody's.
    return name in LITTER or (name.startswith(".") and not name.startswith(".."))


def _stays_inside(link: Path) -> bool:
    try:
        return link.resolve(strict=True).is_relative_to(link.parent.resolve())
    except (OSError, RuntimeError):  # it leads nowhere, or to itself
        return False
