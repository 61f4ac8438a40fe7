"""GitHub Classroom's clones: `gh classroom clone student-repos` makes `ASSIGNMENT-submissions/ASSIGNMENT-USERNAME`.

Recognised by both: the folder is called `ASSIGNMENT-submissions`, the child starts with `ASSIGNMENT-` and is a clone,
that is, it holds `.git`. https://github.com/github/gh-classroom
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.classroom.layouts.children import entry_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from grader.classroom.entries import Entry

LAYOUT = "github-classroom"
SUFFIX = "-submissions"


def is_no_submission(name: str) -> bool:
    """Whether a child that is no entry belongs to the layout all the same: none does."""
    del name
    return False


def entries(folder: Path, children: Sequence[Path]) -> list[Entry]:
    """The clones among the children; the learner is the name of the user on GitHub."""
    name = folder.resolve().name
    if not name.endswith(SUFFIX):
        return []
    prefix = f"{name.removesuffix(SUFFIX)}-"
    clones = [child for child in children if child.name.startswith(prefix) and (child / ".git").exists()]
    return [entry_of(clone, LAYOUT, clone.name.removeprefix(prefix)) for clone in clones]
