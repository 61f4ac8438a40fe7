"""Reads a suite from a folder, or one test file with the helpers beside it that it imports."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from grader.submission.model import CONFIGURATION, MAX_FILE, Collector
from grader.submission.names import is_passed_over, problem_with
from grader.workers.layout import Layout, is_test_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# An import statement, as far as text shows it. It is not parsed here: only the host of a submission parses.
IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+)?import\b([^#\n(]*(?:\([^)]*\))?)", re.MULTILINE)
DOTTED = re.compile(r"[\w.]+")


def read_folder(root: Path, collector: Collector) -> None:
    """Take every Python file below `root`."""
    _take(root, _walk(root), collector)


def read_file(test: Path, collector: Collector) -> None:
    """Take a test file, the conftest beside it, and the files beside it that these import, directly or not."""
    _take(test.parent, _with_helpers(test), collector)


def _walk(root: Path) -> Iterator[tuple[str, Path]]:
    """Every Python file below `root`, and links to folders; dot-folders and caches are passed over."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not is_passed_over(name))
        # A link to a folder is not entered; it is named, so that one that leaves the suite is refused.
        links = [name for name in folders if Path(folder, name).is_symlink()]
        for name in sorted([*links, *(name for name in names if name.endswith(".py"))]):
            file = Path(folder, name)
            yield file.relative_to(root).as_posix(), file


def _take(root: Path, found: Iterable[tuple[str, Path]], collector: Collector) -> None:
    collector.ignored += [entry.name for entry in os.scandir(root) if entry.name in CONFIGURATION]
    real_root = root.resolve()
    for name, file in found:
        if collector.full(name):
            return
        problem = problem_with(name)
        if problem:
            collector.refuse(name, "name", problem)
        elif file.is_symlink() and not _stays_below(file, real_root):
            collector.refuse(
                name, "link", "the link leaves the suite or leads nowhere; put the file itself here"
            )
        elif file.is_file():
            with file.open("rb") as stream:
                collector.add(name, stream.read(MAX_FILE + 1))


def _stays_below(link: Path, root: Path) -> bool:
    try:
        return link.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):  # it leads nowhere, or to itself
        return False


def _with_helpers(test: Path) -> Iterator[tuple[str, Path]]:
    beside = dict(_walk(test.parent))
    beside.setdefault(test.name, test)
    layout = Layout(tuple(beside), test.parent.resolve().name)
    wanted = [test.name, *(name for name in ("conftest.py", "__init__.py") if name in beside)]
    taken: dict[str, None] = {}
    while wanted:
        name = wanted.pop()
        if name in beside and name not in taken:
            taken[name] = None
            # What is no plain file (a pipe, a device) is not opened: reading it might never end.
            wanted += _helpers_of(name, beside[name], layout) if beside[name].is_file() else []
    yield from ((name, beside[name]) for name in sorted(taken) if name == test.name or not is_test_file(name))


def _helpers_of(name: str, file: Path, layout: Layout) -> list[str]:
    with file.open("rb") as stream:
        text = stream.read(MAX_FILE).decode("utf-8", "replace")
    modules = {target for module in _imported(text) if (target := layout.resolve(module, name))}
    found = [layout.modules[module] for module in modules if module in layout.modules]
    packages = [
        f"{parent}/__init__.py"
        for path in found
        for parent in PurePosixPath(path).parents
        if str(parent) != "."
    ]
    return found + packages


def _imported(text: str) -> Iterator[str]:
    """Every module that an import statement in `text` may mean."""
    for base, names in IMPORT.findall(text):
        module = base.lstrip(".")
        if module:
            yield module
        for name in DOTTED.findall(names):
            yield f"{module}.{name}" if module else name
