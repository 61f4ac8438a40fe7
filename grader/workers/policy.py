"""What a suite may not contain, seen from its text alone.

The first line of defence and the one that explains itself: each rule says what it finds and what to do instead. No
verdict relies on it (a determined suite gets around any static rule); containment and blind grading stand behind.
Runs in the host of the submission, on trees that are parsed already. Depends on nothing of `grader` but `wire`.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.workers.wire import Finding, Rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.workers.layout import Layout

STANDARD_LIBRARY = frozenset(
    [
        "__future__",
        "abc",
        "cmath",
        "collections",
        "contextlib",
        "copy",
        "dataclasses",
        "decimal",
        "enum",
        "fractions",
        "functools",
        "itertools",
        "math",
        "numbers",
        "operator",
        "random",
        "re",
        "statistics",
        "string",
        "textwrap",
        "typing",
        "unittest",
        "warnings",
    ]
)
THIRD_PARTY = frozenset({"numpy", "pytest", "hypothesis"})
REFUSED_SUBMODULES = frozenset({"numpy.ctypeslib", "numpy.f2py"})
REFUSED_BUILTINS = frozenset({"exec", "eval", "compile", "__import__"})
RESERVED_NAMES = (
    sys.stdlib_module_names | THIRD_PARTY | {"_pytest", "pluggy", "sitecustomize", "usercustomize", "suite"}
)
INSTALL_HYPOTHESIS = "pip install 'ol-grader[hypothesis]'"

INSTEAD = {
    "import": "test through the lesson's own modules, numpy, pytest and the plain parts of the standard library",
    "hook": "use fixtures: `pytest_*` hooks and `pytest_plugins` change how results are reported",
    "builtin": "write the code out: text that is turned into code cannot be checked",
    "reserved_name": "rename it: a file of this name would stand in front of the real module",
    "missing_package": f"install it where you grade: {INSTALL_HYPOTHESIS}",
}


def check(path: str, tree: ast.Module, rules: Rules, layout: Layout) -> list[Finding]:
    """All findings in one file, in the order of its lines."""
    visitor = _Visitor(path, rules, layout)
    visitor.visit(tree)
    return sorted([*_reserved_name(path, rules), *visitor.findings], key=lambda finding: finding.line)


def _finding(path: str, line: int, rule: str, what: str) -> Finding:
    return Finding(path, line, rule, f"{what}; {INSTEAD[rule]}")


def _reserved_name(path: str, rules: Rules) -> Iterator[Finding]:
    reserved = RESERVED_NAMES | {name.partition(".")[0] for name in rules.imports}
    *folders, file = path.split("/")
    stem = file.removesuffix(".py")
    if stem in reserved:
        yield _finding(path, 1, "reserved_name", f"a suite may not hold a file named {file}")
    packages = THIRD_PARTY | STANDARD_LIBRARY | {name.partition(".")[0] for name in rules.imports}
    yield from (
        _finding(path, 1, "reserved_name", f"a suite may not hold a folder named {folder}")
        for folder in folders
        if folder in packages
    )


@dataclass
class _Visitor(ast.NodeVisitor):
    path: str
    rules: Rules
    layout: Layout

    def __post_init__(self) -> None:
        self.findings: list[Finding] = []

    def _add(self, node: ast.AST, rule: str, what: str) -> None:
        line = getattr(node, "lineno", 1)
        self.findings.append(_finding(self.path, line, rule, what))

    # Imports: what they name must be allowed.

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._check_defined(node, alias.asname or alias.name)
            if not self.layout.resolve(alias.name, self.path):
                self._check_module(node, alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            self._check_defined(node, alias.asname or alias.name)
        if node.level or self.layout.resolve(node.module or "", self.path):
            return
        module = node.module or ""
        for alias in node.names:
            full = f"{module}.{alias.name}"
            if full in self.rules.imports:
                continue
            self._check_module(node, full if full in REFUSED_SUBMODULES else module)

    def _check_module(self, node: ast.AST, name: str) -> None:
        top = name.partition(".")[0]
        if any(name == refused or name.startswith(refused + ".") for refused in REFUSED_SUBMODULES):
            self._add(node, "import", f"a suite may not import {name}")
        elif top == "hypothesis" and not self.rules.hypothesis_installed:
            self._add(node, "missing_package", "hypothesis is not installed here")
        elif top not in THIRD_PARTY | STANDARD_LIBRARY and name not in self.rules.imports:
            self._add(node, "import", f"a suite may not import {name}")

    # Names: what is defined, and which builtins are used.

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._check_defined(node, node.name)
        self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - the name that ast looks for

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self._check_defined(node, node.id)
        elif node.id in REFUSED_BUILTINS:
            self._add(node, "builtin", f"a suite may not use the builtin {node.id}")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in {"ctypeslib", "f2py"}:
            self._add(node, "import", f"a suite may not use numpy.{node.attr}")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if name == "importorskip":
            self._check_import_call(node)
        self.generic_visit(node)

    def _check_import_call(self, node: ast.Call) -> None:
        named = [keyword.value for keyword in node.keywords if keyword.arg == "modname"]
        argument = next(iter([*node.args, *named]), None)
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            if not self.layout.resolve(argument.value, self.path):
                self._check_module(node, argument.value)
        else:
            self._add(node, "import", "the module that importorskip imports must stand there as text")

    def _check_defined(self, node: ast.AST, name: str) -> None:
        if name.startswith("pytest_"):
            self._add(node, "hook", f"a suite may not define {name}")
