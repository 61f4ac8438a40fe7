"""Gradescope's "Export Submissions": `submission_metadata.yml` beside one folder for each submission, `submission_123/`.

Recognised by that file, here or in the one folder that the archive unpacks to (`assignment_99_export/`). Its top-level
keys are the folders' names, with the people who handed in, and when. A group hands in one submission.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING

from grader.classroom.layouts.children import children_of, entry_of
from grader.classroom.layouts.metadata import Metadata, read_metadata
from grader.errors import GraderError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from grader.classroom.entries import Entry

LAYOUT = "gradescope"
METADATA = "submission_metadata.yml"
MARKS = str.maketrans(
    "<>;", "   "
)  # learners choose their names: none may read like somebody else, or like a group
EXPORT = re.compile(r"assignment_\d+_export")


def is_no_submission(name: str) -> bool:
    """Whether a child that is no entry belongs to the layout all the same."""
    return name == METADATA


def export_in(folder: Path) -> Path:
    """The export that a folder is or, as the only thing in it, holds; else the folder itself."""
    if (folder / METADATA).is_file():
        return folder
    try:
        inside = children_of(folder)
    except GraderError:
        return folder
    # By its name, too: a learner who is the only one must not be taken for an export, whatever they hand in.
    named = len(inside) == 1 and EXPORT.fullmatch(inside[0].name) and not inside[0].is_symlink()
    return inside[0] if named and (inside[0] / METADATA).is_file() else folder


def entries(folder: Path, children: Sequence[Path]) -> list[Entry]:
    """The submissions that the metadata tells of; the learner is `Name <email>`, of a group each, joined by `; `.

    Raises:
        UnreadableError: the metadata cannot be read.
    """
    if not (folder / METADATA).is_file():
        return []
    told = read_metadata(folder / METADATA)
    return [
        entry_of(child, LAYOUT, _learner(told[child.name]), _time(told[child.name].created_at))
        for child in children
        if child.name in told
    ]


def _learner(told: Metadata) -> str:
    # Sorted: a group is one learner, whoever of it handed in.
    return "; ".join(sorted(filter(None, (_person(*person) for person in told.submitters))))


def _person(name: str, sid: str, email: str) -> str:
    name = name.translate(MARKS).strip()
    if not name:
        return email or sid
    known = email or sid
    return f"{name} <{known}>" if known else name


def _time(text: str) -> dt.datetime | None:
    """A time as Ruby writes it into YAML, `2026-03-01 12:00:00.123456789 Z`; without an offset it is UTC."""
    try:
        time = dt.datetime.fromisoformat(text.strip())
        return time.astimezone(dt.UTC) if time.tzinfo else time.replace(tzinfo=dt.UTC)
    except (ValueError, OverflowError):
        return None
