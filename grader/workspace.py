"""A learner's folder: where it is, what of the course's package stands in it."""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import PathNotFoundError, WorkspaceNotFoundError
from grader.workers.wire import Module

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.lesson import Lesson

SOURCES = "python"  # the folder in a workspace that holds the package
MAX_MODULE = 1 << 20  # bytes


@dataclass(frozen=True)
class Workspace:
    """A folder that holds `python/<package>`; nothing in it is changed but by `ol start` and the attempt log."""

    root: Path

    def source(self, lesson: Lesson) -> Path:
        """The module that the learner builds in this lesson, whether it is there or not."""
        return self.root / lesson.source

    def tests(self, lesson: Lesson) -> Path:
        """The folder of the learner's suite, whether it is there or not."""
        return self.root / lesson.tests

    def module_sha256(self, lesson: Lesson) -> str:
        """Of the learner's module; empty where there is none to read."""
        try:
            return hashlib.sha256(self.source(lesson).read_bytes()).hexdigest()
        except OSError:
            return ""


def find_workspace(option: Path | None, package: str, start: Path | None = None) -> Workspace:
    """The workspace named, or else the nearest folder upward from `start` that is one.

    Raises:
        PathNotFoundError: the folder named does not exist.
        WorkspaceNotFoundError: it is no workspace, or there is none upward.
    """
    if option is not None and not option.is_dir():
        raise PathNotFoundError(option)
    here = (option or start or Path.cwd()).resolve()
    for folder in (here,) if option is not None else (here, *here.parents):
        if (folder / SOURCES / package).is_dir():
            return Workspace(folder)
    raise WorkspaceNotFoundError(here)


class UnreadableModule(Exception):  # noqa: N818 - a finding about the learner's file; it becomes a sentence of the report
    """A file of the workspace cannot be taken as a module; the text says why."""


def modules_of(workspace: Workspace, package: str) -> dict[str, Module]:
    """Every module of the workspace's package by dotted name; a folder without `__init__.py` is an empty package.

    Raises:
        UnreadableModule: a file is no text, or too large.
    """
    folder = workspace.root / SOURCES
    found: dict[str, Module] = {}
    for file in python_files(folder / package):
        relative = file.relative_to(folder)
        parts = relative.with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        found[name] = Module(name, _text(file, relative), is_package)
    return _with_parents(found)


def python_files(folder: Path) -> Iterator[Path]:
    """The files of a package that are its modules, in an order that depends on their names alone."""
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and entry.name.isidentifier() and entry.name != "__pycache__":
            yield from python_files(entry)
        elif entry.suffix == ".py" and entry.stem.isidentifier() and entry.is_file():
            yield entry


def _text(file: Path, relative: Path) -> str:
    try:
        data = file.read_bytes()
        if len(data) <= MAX_MODULE:
            return _decoded(data)
        reason = f"it is larger than {MAX_MODULE >> 20} MiB"
    except OSError as error:
        reason = error.strerror or "it cannot be read"
    except (SyntaxError, UnicodeError, LookupError):
        reason = "it is not text in UTF-8; save it as UTF-8"
    raise UnreadableModule(f"{SOURCES}/{relative.as_posix()}: {reason}")


def _decoded(data: bytes) -> str:
    """A source file as text.

    Raises:
        SyntaxError: it names an encoding that there is not.
        LookupError: it names one that is none of text.
        UnicodeError: it is not in its encoding, or holds what no text holds: some encodings can write lone surrogates.
    """
    text = importlib.util.decode_source(data)
    text.encode()
    return text


def _with_parents(found: dict[str, Module]) -> dict[str, Module]:
    parents = {".".join(name.split(".")[:end]) for name in found for end in range(1, name.count(".") + 1)}
    return found | {name: Module(name, "", is_package=True) for name in parents - found.keys()}
