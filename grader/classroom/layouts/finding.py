"""Finds the submissions in a folder, whatever laid it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.classroom.entries import natural
from grader.classroom.layouts import github_classroom, gradescope, moodle
from grader.classroom.layouts.children import children_of, entry_of

if TYPE_CHECKING:
    from pathlib import Path

    from grader.classroom.entries import Entry

PLAIN = "plain"


def find_submissions(folder: Path) -> list[Entry]:
    """Every submission in a folder, in the natural order of learners; nothing of any is read.

    Hidden files and caches are no submissions. What cannot be a submission (another kind of file, a link that leaves
    the folder) is an entry with a `problem`.

    Raises:
        PathNotFoundError: there is no such folder.
        UnreadableError: it is no folder or cannot be listed, or its export's metadata cannot be read.
    """
    folder = gradescope.export_in(folder)
    left = children_of(folder)
    found: list[Entry] = []
    for layout in (gradescope, moodle, github_classroom):
        entries = layout.entries(folder, left)
        taken = {file for entry in entries for file in (entry.path, *(part for _, part in entry.parts))}
        left = [child for child in left if child not in taken and not layout.is_no_submission(child.name)]
        found += entries
    found += [entry_of(child, PLAIN) for child in left]
    return sorted(found, key=lambda entry: (natural(entry.learner), entry.learner, natural(entry.path.name)))
