"""Moodle's "Download all submissions": a folder for each learner, or with folders turned off a file for each of theirs.

They are called `Full Name_12345_assignsubmission_file_/` and `Full Name_12345_assignsubmission_file_NAME`. Recognised by the name of a child alone; Moodle takes underscores out of people's names. The number is the one that the
grading worksheet calls *Participant*: it tells two learners of one name apart. What was typed into the page
(`…_assignsubmission_onlinetext_…`) is no suite. `mod/assign/locallib.php`, `download_submissions`.

The name ends at the first mark of the form: after it comes what a learner chose, who might write another one's name there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grader.classroom.entries import Entry, place_of
from grader.classroom.layouts.children import may_be_read, problem_with

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LAYOUT = "moodle"
NAME = re.compile(r"(?P<learner>.+?_\d+)_assignsubmission_(?P<kind>[a-z]+)_(?P<file>.*)", re.DOTALL)
ONLY_TEXT = "it is a text that was typed into the page, and no file"


def is_no_submission(name: str) -> bool:
    """Whether a child that is no entry belongs to the layout all the same: a text beside somebody's files."""
    return NAME.fullmatch(name) is not None


def entries(folder: Path, children: Sequence[Path]) -> list[Entry]:
    """One entry for each learner; the learner is `Full Name_12345`."""
    del folder
    by_learner: dict[str, list[tuple[re.Match[str], Path]]] = {}
    for child in children:
        match = NAME.fullmatch(child.name)
        if match:
            by_learner.setdefault(match["learner"], []).append((match, child))
    return [_entry(learner, named) for learner, named in by_learner.items()]


def _entry(learner: str, named: Sequence[tuple[re.Match[str], Path]]) -> Entry:
    files = [(match["file"], child) for match, child in named if match["kind"] == "file"]
    # Without a name after it, it is the folder of all of a learner's files.
    folders = [child for name, child in files if not name]
    if not files:
        return _made(learner, named[0][1], ONLY_TEXT)
    if folders:
        return _made(learner, folders[0], problem_with(folders[0]))
    # As in a folder, what cannot be part of a suite is left out; if nothing else is there, it is what is wrong.
    parts = [(name, file) for name, file in files if may_be_read(name)] or files
    problem = next(filter(None, (problem_with(file) for _, file in parts)), "")
    return _made(learner, parts[0][1], problem, tuple(parts))


def _made(learner: str, child: Path, problem: str, parts: tuple[tuple[str, Path], ...] = ()) -> Entry:
    return Entry(learner, child, LAYOUT, place_of(learner, ""), None, problem, parts)
