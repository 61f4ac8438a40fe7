"""The suite that a learner hands in: read once, hashed, never touched again."""

from __future__ import annotations

import ast
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from grader.errors import PathNotFoundError
from grader.workers.layout import Layout, is_test_file
from grader.workers.wire import Finding, SuiteFile

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_FILE = 256 * 1024  # bytes
MAX_SUITE = 2 * 1024 * 1024  # bytes
MAX_FILES = 500
CONFIGURATION = frozenset(
    {"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg"}
)


@dataclass(frozen=True)
class Submission:
    """A suite as it was handed in.

    Attributes:
        root_name: the name of its root folder.
        files: its Python files, by path.
        findings: what the files themselves break (sizes, links that leave), before any is parsed.
        ignored: files that would configure pytest, and have no effect here.
        sha256: over the names and bytes of `files`.
    """

    root_name: str
    files: tuple[SuiteFile, ...]
    findings: tuple[Finding, ...]
    ignored: tuple[str, ...]
    sha256: str


def read_submission(path: Path) -> Submission:
    """Read a folder of tests, or one test file with the helpers beside it that it imports.

    Raises:
        PathNotFoundError: there is nothing at `path`.
    """
    if not path.exists():
        raise PathNotFoundError(path)
    root = path if path.is_dir() else path.parent
    reader = _Reader(root.resolve())
    reader.read(_walk(root) if path.is_dir() else _with_helpers(path))
    name = root.resolve().name
    ignored = sorted(entry.name for entry in os.scandir(root) if entry.name in CONFIGURATION)
    files = tuple(sorted(reader.files, key=lambda file: file.path))
    return Submission(name, files, tuple(reader.findings), tuple(ignored), _sha256(files))


def _walk(root: Path) -> Iterator[tuple[str, Path]]:
    """Every Python file below `root`; dot-folders and caches are passed over, links to folders not followed."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "__pycache__")
        for name in sorted(names):
            file = Path(folder, name)
            if name.endswith(".py"):
                yield file.relative_to(root).as_posix(), file


def _with_helpers(test: Path) -> Iterator[tuple[str, Path]]:
    """A test file, the conftest beside it, and the files beside it that these import, directly or not."""
    beside = dict(_walk(test.parent))
    layout = Layout(tuple(beside), test.parent.resolve().name)
    wanted = [test.name, *(name for name in ("conftest.py", "__init__.py") if name in beside)]
    taken: dict[str, None] = {}
    while wanted:
        name = wanted.pop()
        if name in taken or name not in beside:
            continue
        taken[name] = None
        wanted += _helpers_of(name, beside[name], layout)
    yield from ((name, beside[name]) for name in sorted(taken) if name == test.name or not is_test_file(name))


def _helpers_of(name: str, file: Path, layout: Layout) -> list[str]:
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, OSError, RecursionError, MemoryError):
        return []
    modules = [module for node in ast.walk(tree) for module in _named(node, name, layout)]
    found = [layout.modules[module] for module in modules if module in layout.modules]
    return found + [f"{PurePosixPath(path).parent}/__init__.py" for path in found if "/" in path]


def _named(node: ast.AST, name: str, layout: Layout) -> list[str]:
    """The suite's modules that an import statement may mean."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        names = [base, *(f"{base}.{alias.name}".strip(".") for alias in node.names)]
    else:
        return []
    return [target for each in names if each and (target := layout.resolve(each, name))]


@dataclass
class _Reader:
    root: Path

    def __post_init__(self) -> None:
        self.files: list[SuiteFile] = []
        self.findings: list[Finding] = []
        self._bytes = 0

    def read(self, found: Iterator[tuple[str, Path]]) -> None:
        for name, file in found:
            if len(self.files) >= MAX_FILES or self._bytes > MAX_SUITE:
                self._refuse(
                    name, "size", f"the suite is larger than {MAX_FILES} files or {MAX_SUITE >> 20} MiB"
                )
                return
            self._read_one(name, file)
        if self._bytes > MAX_SUITE:
            self._refuse(
                "",
                "size",
                f"the suite is larger than {MAX_SUITE >> 20} MiB; remove what the tests do not need",
            )

    def _read_one(self, name: str, file: Path) -> None:
        if file.is_symlink() and not file.resolve().is_relative_to(self.root):
            self._refuse(name, "link", "the link leaves the suite; put the file itself here")
            return
        if not file.is_file():
            return
        with file.open("rb") as stream:
            data = stream.read(MAX_FILE + 1)
        if len(data) > MAX_FILE:
            self._refuse(
                name,
                "size",
                f"the file is larger than {MAX_FILE >> 10} KiB; split it, or make its data in code",
            )
            return
        self._bytes += len(data)
        self.files.append(SuiteFile(name, data))

    def _refuse(self, name: str, rule: str, message: str) -> None:
        self.findings.append(Finding(name, 1, rule, message))


def _sha256(files: tuple[SuiteFile, ...]) -> str:
    digest = hashlib.sha256()
    for file in files:
        for part in (file.path.encode("utf-8", "surrogateescape"), file.data):
            digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()
