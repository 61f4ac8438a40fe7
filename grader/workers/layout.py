"""Where the modules of a suite lie and how its files name one another.

Every file gets a module name below one package, `suite`, by its path: `a/test_x.py` is `suite.a.test_x`. So two files
of one name in two folders are two modules, no helper can stand in front of an installed package, and relative imports
work in every folder. Absolute imports of helpers are rewritten before compilation to the module that they mean: the
file's own folder first, then the suite's root.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property

ROOT = "suite"


def module_name(path: str) -> str:
    """The module that a file is: `a/helpers.py` → `suite.a.helpers`, `a/__init__.py` → `suite.a`."""
    parts = path.removesuffix(".py").split("/")
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join([ROOT, *(part.replace(".", "\N{ONE DOT LEADER}") for part in parts)])


def is_test_file(path: str) -> bool:
    """Whether pytest takes a file of this name for tests: `test_*.py` or `*_test.py`."""
    name = path.rpartition("/")[2]
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


@dataclass(frozen=True)
class Layout:
    """The files of a suite, as paths relative to its root.

    Attributes:
        paths: all Python files.
        root_name: the name of the root folder; a root that is itself a package can be imported by it.
    """

    paths: tuple[str, ...]
    root_name: str

    @cached_property
    def modules(self) -> dict[str, str]:
        """Module name → path, for files only."""
        return {module_name(path): path for path in self.paths}

    @cached_property
    def packages(self) -> frozenset[str]:
        """Module names of all folders that hold Python files, the root among them."""
        found = {ROOT}
        for path in self.paths:
            folder = module_name(
                path if path.endswith("__init__.py") else f"{path.rpartition('/')[0]}/__init__.py".lstrip("/")
            )
            while folder and folder not in found:
                found.add(folder)
                folder = folder.rpartition(".")[0]
        return frozenset(found)

    def resolve(self, name: str, importer: str) -> str | None:
        """The suite's own module that `import name` means in the file `importer`; None: not the suite's own."""
        folder = module_name(importer)
        if not importer.endswith("__init__.py"):
            folder = folder.rpartition(".")[0]
        for base in (folder, ROOT):
            if self._holds(f"{base}.{name.partition('.')[0]}"):
                return f"{base}.{name}"
        first, _dot, rest = name.partition(".")
        if first == self.root_name and "__init__.py" in self.paths:
            return f"{ROOT}.{rest}" if rest else ROOT
        return None

    def _holds(self, module: str) -> bool:
        return module in self.modules or module in self.packages


class ImportRewriter(ast.NodeTransformer):
    """Turns `import helpers` into an import of the module of the suite that it means; line numbers stay."""

    def __init__(self, layout: Layout, path: str) -> None:
        self._layout = layout
        self._path = path

    def visit_Import(self, node: ast.Import) -> ast.Import:
        """`import a.b` still binds `a`; `import a.b as c` still binds `c` to `a.b`."""
        names: list[ast.alias] = []
        for alias in node.names:
            names += self._aliases(alias)
        return ast.copy_location(ast.Import(names), node)

    def _aliases(self, alias: ast.alias) -> list[ast.alias]:
        target = self._layout.resolve(alias.name, self._path)
        if target is None:
            return [alias]
        if alias.asname or "." not in alias.name:
            return [ast.alias(target, alias.asname or alias.name)]
        first = alias.name.partition(".")[0]
        top = self._layout.resolve(first, self._path)
        return [ast.alias(target, f"@{alias.name}"), ast.alias(top or target, first)]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        """`from helpers import f`; relative imports need no change, since every folder is a package."""
        target = None if node.level else self._layout.resolve(node.module or "", self._path)
        if target is None:
            return node
        return ast.copy_location(ast.ImportFrom(target, node.names, 0), node)
