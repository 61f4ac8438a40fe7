"""A learner's package out of a submission, for the course tests: only what lies in the submission itself."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from grader.classroom.reading import workspace_of
from grader.course_part import Program, learners_program
from grader.workspace import SOURCES

if TYPE_CHECKING:
    from grader.classroom.entries import Entry
    from grader.lesson import Lesson

MOST_FILES = 2_000  # in the package, of any kind
MOST_BYTES = 16 << 20  # of all of them
LINKS = "your package holds links, or is one ({}); put the files themselves there"


def program_of(entry: Entry, lesson: Lesson, *, ref_deps: bool) -> Program | None:
    """The learner's package, or what is missing of it; None: the entry is no workspace."""
    workspace = workspace_of(entry, lesson)
    if workspace is None:
        return None
    package = workspace.root / SOURCES / lesson.package
    try:
        problem = _problem_with(package, entry.path)
        return Program(problem=problem) if problem else learners_program(workspace, lesson, ref_deps=ref_deps)
    except OSError as error:
        return Program(problem=f"your module cannot be read: {error.strerror or error}")


def _problem_with(package: Path, entry: Path) -> str:
    """Why a package is not read: by a link it could name files of others, or itself without end."""
    if package.resolve() != entry.resolve() / package.relative_to(entry):
        return LINKS.format(package.name)
    files = size = 0
    for folder, folders, names in os.walk(package):
        for path in (Path(folder, name) for name in (*folders, *names)):
            if path.is_symlink():
                return LINKS.format(path.relative_to(package.parent).as_posix())
            files, size = files + 1, size + path.lstat().st_size
            if files > MOST_FILES or size > MOST_BYTES:
                return f"your package is larger than {MOST_FILES} files or {MOST_BYTES >> 20} MiB"
    return ""
