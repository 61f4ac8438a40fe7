"""Lays down what a learner begins a lesson with. What is there already is theirs: it stays, unless told otherwise."""

from __future__ import annotations

import enum
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import LessonError, UnreadableError, WorkspaceNotFoundError
from grader.workspace import SOURCES, Workspace, find_workspace

if TYPE_CHECKING:
    from grader.lesson import Lesson

REPLACED = ".ol/replaced"


class Fate(enum.StrEnum):
    """What became of one file of the template."""

    MADE = "made"
    KEPT = "kept"  # it was there, and it still is
    REPLACED = "replaced"


@dataclass(frozen=True)
class Laid:
    """One file of the template; `saved`: where the file went that it took the place of."""

    path: Path
    fate: Fate
    saved: Path | None = None


@dataclass(frozen=True)
class Started:
    """What `start` did; `missing` are the modules of earlier lessons that the workspace does not have."""

    workspace: Workspace
    files: tuple[Laid, ...]
    missing: tuple[str, ...]


def start(lesson: Lesson, option: Path | None, *, force: bool) -> Started:
    """Lay the lesson's template down in the workspace, which is made where there is none.

    Args:
        lesson: the lesson.
        option: the folder that the command line names; None: found upward from here, else this folder.
        force: put the template in the place of files that differ from it; these are saved first.

    Raises:
        LessonError: the lesson has no template.
        UnreadableError: the workspace cannot be written to.
    """
    template = lesson.root / "student_template" / lesson.id
    if not template.is_dir():
        raise LessonError(f"student_template/{lesson.id}", "folder", "is missing")
    workspace = _workspace(option, lesson.package)
    try:
        (workspace.root / SOURCES / lesson.package).mkdir(parents=True, exist_ok=True)
        files = [_lay(file, template, workspace.root, force=force) for file in _files(template)]
    except OSError as error:
        raise UnreadableError(error.filename or workspace.root, error.strerror or str(error)) from error
    return Started(workspace, tuple(files), _missing(workspace, lesson))


def _workspace(option: Path | None, package: str) -> Workspace:
    if option is not None:
        return Workspace(option.resolve())
    try:
        return find_workspace(None, package)
    except WorkspaceNotFoundError:
        return Workspace(Path.cwd())


def _files(template: Path) -> list[Path]:
    return [
        file for file in sorted(template.rglob("*")) if file.is_file() and "__pycache__" not in file.parts
    ]


def _lay(file: Path, template: Path, root: Path, *, force: bool) -> Laid:
    relative = file.relative_to(template)
    target = root / relative
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())
        return Laid(relative, Fate.MADE)
    if not force or target.read_bytes() == file.read_bytes():
        return Laid(relative, Fate.KEPT)
    saved = _save(target, relative, root)
    target.write_bytes(file.read_bytes())
    return Laid(relative, Fate.REPLACED, saved)


def _save(target: Path, relative: Path, root: Path) -> Path:
    number = 1
    while (root / REPLACED / str(number) / relative).exists():
        number += 1
    saved = Path(REPLACED, str(number)) / relative
    (root / saved).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(target, root / saved)
    return saved


def _missing(workspace: Workspace, lesson: Lesson) -> tuple[str, ...]:
    folder = workspace.root / SOURCES
    others = [name for name in lesson.imports if name != lesson.module]
    return tuple(name for name in others if not _exists(folder / name.replace(".", "/")))


def _exists(module: Path) -> bool:
    return module.with_suffix(".py").is_file() or (module / "__init__.py").is_file()
