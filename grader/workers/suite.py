"""A suite in memory: read, checked by the policy and compiled once, imported anew in each run."""

from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import sys
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from _pytest.assertion.rewrite import rewrite_asserts

from grader.workers import policy
from grader.workers.layout import ROOT, ImportRewriter, Layout, is_test_file, module_name
from grader.workers.wire import ENCODING, SYNTAX, Finding, Prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import CodeType, ModuleType

    from grader.workers.wire import SuiteFile

WIDE_BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


@dataclass
class Suite:
    """The compiled suite of one submission."""

    layout: Layout
    root: Path
    code: dict[str, CodeType] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    imports: set[str] = field(default_factory=set)

    @property
    def test_files(self) -> list[str]:
        """The files that pytest collects tests from, in its order."""
        return [path for path in self.layout.paths if is_test_file(path)]

    @property
    def packages(self) -> list[str]:
        """Installed modules that the suite imports and that are the same for every run."""
        own = self.layout.modules.keys() | self.layout.packages
        return sorted(
            name
            for name in self.imports
            if name.partition(".")[0] in policy.THIRD_PARTY | policy.STANDARD_LIBRARY and name not in own
        )

    def path_of(self, file: str) -> str | None:
        """The path in the suite of a file on disk or of a module's `__file__`; None: not the suite's."""
        prefix = f"{self.root}/"
        relative = file.removeprefix(prefix)
        return relative if relative != file and relative in self.code_paths else None

    @property
    def code_paths(self) -> frozenset[str]:
        """Paths of all files that belong to the suite."""
        return frozenset(self.layout.paths)


def read(prepare: Prepare, root: Path, on_file: Callable[[str], None]) -> Suite:
    """Parse, check and compile every file of a suite; nothing of it is executed.

    Args:
        prepare: the suite.
        root: where its files lie, or seem to.
        on_file: called with the path of each file before Python's parser or compiler gets it.
    """
    paths = tuple(sorted((file.path for file in prepare.files), key=_collection_key))
    suite = Suite(Layout(paths, prepare.root_name), root)
    trees: dict[str, ast.Module] = {}
    for file in prepare.files:
        on_file(file.path)
        tree = _parse(file, suite.findings)
        if tree is not None:
            trees[file.path] = tree
    for path, tree in trees.items():
        suite.imports |= _imports(tree)
        if prepare.rules is not None:
            suite.findings += policy.check(path, tree, prepare.rules, suite.layout)
    if not suite.findings:
        by_path = {file.path: file.data for file in prepare.files}
        for path, tree in trees.items():
            on_file(path)
            _compile(suite, path, tree, by_path[path])
    return suite


def _collection_key(path: str) -> list[tuple[bool, str]]:
    # pytest collects the entries of a folder by name, files and folders alike.
    return [(False, part) for part in path.split("/")]


def _imports(tree: ast.Module) -> set[str]:
    """Every module that the file names in an import."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def _parse(file: SuiteFile, findings: list[Finding]) -> ast.Module | None:
    problem = _encoding_problem(file.data)
    if problem:
        findings.append(Finding(file.path, 1, ENCODING, problem))
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(file.data, filename=file.path)
    except SyntaxError as error:
        findings.append(Finding(file.path, error.lineno or 1, SYNTAX, f"{type(error).__name__}: {error.msg}"))
    except (ValueError, RecursionError, MemoryError) as error:
        findings.append(
            Finding(file.path, 1, SYNTAX, f"Python cannot read this file: {type(error).__name__}: {error}")
        )
    return None


def _encoding_problem(data: bytes) -> str:
    for bom, name in WIDE_BOMS.items():
        if data.startswith(bom):
            return f"the file is encoded in {name}; save it as UTF-8"
    if b"\0" in data:
        return "the file holds NUL bytes (UTF-16 without a mark, or no text at all); save it as UTF-8"
    return ""


def _compile(suite: Suite, path: str, tree: ast.Module, data: bytes) -> None:
    rewritten = ImportRewriter(suite.layout, path).visit(tree)
    ast.fix_missing_locations(rewritten)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rewrite_asserts(rewritten, data, str(suite.root / path))
            suite.code[module_name(path)] = compile(
                rewritten, str(suite.root / path), "exec", dont_inherit=True
            )
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        suite.findings.append(Finding(path, line, SYNTAX, f"{type(error).__name__}: {error}"))


class SuiteImporter(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the modules of a suite from their compiled code.

    Args:
        suite: what to import from.
        on_load: called with the path of each file just before its code runs.
    """

    def __init__(self, suite: Suite, on_load: Callable[[str], None]) -> None:
        self._suite = suite
        self._on_load = on_load

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A spec for `suite` and what lies below it; a bare name that the suite's root holds is an alias."""
        del path, target
        layout = self._suite.layout
        if fullname != ROOT and not fullname.startswith(ROOT + "."):
            if f"{ROOT}.{fullname}" in layout.modules:
                return importlib.machinery.ModuleSpec(fullname, _Alias(f"{ROOT}.{fullname}"))
            return None
        if fullname not in layout.modules and fullname not in layout.packages:
            return None
        file = layout.modules.get(fullname)
        spec = importlib.machinery.ModuleSpec(fullname, self, is_package=fullname in layout.packages)
        if file is not None:
            spec.origin = str(self._suite.root / file)
            spec.has_location = True
        return spec

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's compiled code; a folder without `__init__.py` has none."""
        code = self._suite.code.get(module.__name__)
        if code is not None:
            self._on_load(self._suite.layout.modules[module.__name__])
            exec(code, module.__dict__)  # noqa: S102 - importing is executing

    def import_file(self, path: Path, **_options: Any) -> ModuleType:
        """What pytest's own `import_path` does, for files of the suite."""
        relative = path.relative_to(self._suite.root).as_posix()
        return importlib.import_module(module_name(relative))


class _Alias(importlib.abc.Loader):
    """Gives a module of the suite a second, bare name, for what imports by text (`mock.patch("helpers.f")`)."""

    def __init__(self, real: str) -> None:
        self._real = real
        self._spec: importlib.machinery.ModuleSpec | None = None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        del spec
        module = importlib.import_module(self._real)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec


def install(suite: Suite, on_load: Callable[[str], None]) -> SuiteImporter:
    """Make the suite importable in this process."""
    importer = SuiteImporter(suite, on_load)
    sys.meta_path.insert(0, importer)
    return importer
