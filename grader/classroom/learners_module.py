"""A learner's package out of a submission, for the course tests: only what lies in the submission itself."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from grader.classroom.reading import blame_the_machine, workspace_of
from grader.course_part import Program, learners_program
from grader.submission.names import DEEPEST
from grader.workspace import SOURCES, python_files

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grader.classroom.entries import Entry
    from grader.lesson import Lesson
    from grader.workspace import Workspace

MOST_FILES = 2_000  # in the package, of any kind
MOST_BYTES = 16 << 20  # of all of them
LINKS = "your package holds links, or is one ({}); put the files themselves there"
TOO_DEEP = f"your package holds more than {DEEPEST} folders in one another ({{}})"
TOO_LARGE = f"your package ({{}}) is larger than {MOST_FILES} files or {MOST_BYTES >> 20} MiB"


@dataclass(frozen=True)
class HandedIn:
    """What a learner handed in beside the suite.

    Attributes:
        program: what the course tests run on: the learner's package, or only the module of it that is this lesson's, with
            the rest from the reference; or what is missing.
        sha256: of those files of the learner's that `program` depends on, and of nothing else.
    """

    program: Program
    sha256: str


class _Refused(Exception):  # noqa: N818 - a finding about the package; it becomes a sentence of the report
    """The package is not read; `args`: the sentence, and the path that it tells of."""


def module_of(entry: Entry, lesson: Lesson, *, ref_deps: bool) -> HandedIn | None:
    """The learner's module; with `ref_deps` all others come from the reference. None: the entry is no workspace.

    Never raises for what a learner handed in: what cannot be read is the program's `problem`.

    Raises:
        HarnessError: the machine fails, whatever was handed in.
    """
    workspace = workspace_of(entry, lesson)
    if workspace is None:
        return None
    package = workspace.root / SOURCES / lesson.package
    try:
        _check(package, entry.path)
        program = learners_program(workspace, lesson, ref_deps=ref_deps)
        return HandedIn(program, _sha256(_files(workspace, lesson, alone=ref_deps and not program.problem)))
    except _Refused as refused:
        sentence, path = refused.args
        name = os.fsencode(path.relative_to(package.parent))
        problem = sentence.format(name.decode("utf-8", "backslashreplace"))
        return HandedIn(Program(problem=problem), _sha256([(name, None)]))
    except OSError as error:
        blame_the_machine(error, package)
        return HandedIn(
            Program(problem=f"your module cannot be read: {error.strerror or error.errno}"), _sha256([])
        )


def _check(package: Path, entry: Path) -> None:
    """See that a package is the learner's own: by a link it could name files of others, or itself without end.

    Raises:
        _Refused: it holds links, is too large, or deeper than can be walked through.
    """
    if package.resolve() != entry.resolve() / package.relative_to(entry):
        raise _Refused(LINKS, package)
    files = size = 0
    for folder, folders, names in os.walk(package):
        depth = len(Path(folder).relative_to(package).parts)
        if depth > DEEPEST:
            raise _Refused(TOO_DEEP, Path(folder))
        for path in (Path(folder, name) for name in (*folders, *names)):
            if path.is_symlink():
                raise _Refused(LINKS, path)
            files, size = files + 1, size + path.lstat().st_size
            if files > MOST_FILES or size > MOST_BYTES:
                raise _Refused(TOO_LARGE, package)


def _files(workspace: Workspace, lesson: Lesson, *, alone: bool) -> Iterable[tuple[bytes, bytes | None]]:
    """Path and bytes of the lesson's module alone, or of every module; None for what cannot be read."""
    package = workspace.root / SOURCES / lesson.package
    for file in (workspace.source(lesson),) if alone else python_files(package):
        try:
            data = file.read_bytes()
        except OSError as error:
            blame_the_machine(error, file)
            data = None
        yield os.fsencode(file.relative_to(workspace.root)), data


def _sha256(files: Iterable[tuple[bytes, bytes | None]]) -> str:
    return hashlib.sha256(msgspec.msgpack.encode(list(files))).hexdigest()
