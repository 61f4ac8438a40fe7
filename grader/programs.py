"""The programs that a suite is run against: reference, variants, canary and faults, all through one code path."""

from __future__ import annotations

import ast
import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.lesson import fault_source
from grader.workers.wire import Library, Module

if TYPE_CHECKING:
    from grader.lesson import Lesson

CANARY_EXCEPTION = "_Unimplemented"
CANARY_RAISES = ast.parse(f"raise {CANARY_EXCEPTION}('called')").body


class Kind(enum.StrEnum):
    """What a program is."""

    REFERENCE = "reference"
    VARIANT = "variant"
    CANARY = "canary"
    FAULT = "fault"

    @property
    def correct(self) -> bool:
        """Whether a suite must pass on it."""
        return self in {Kind.REFERENCE, Kind.VARIANT}


@dataclass(frozen=True)
class Program:
    """One implementation: the modules in which it differs from the library that runs share."""

    kind: Kind
    name: str
    modules: tuple[Module, ...]


@dataclass(frozen=True)
class Programs:
    """Everything that one lesson's suites are run against."""

    reference: Program
    variants: tuple[Program, ...]
    canary: Program
    faults: tuple[Program, ...]

    @property
    def correct(self) -> tuple[Program, ...]:
        """Reference first, then the variants."""
        return (self.reference, *self.variants)


def programs_of(lesson: Lesson) -> Programs:
    """All programs of a lesson. A program holds each module that any of them changes, so all have one form."""
    changed = {lesson.module_file: lesson.module} | {
        edit.file: _module_of(lesson, edit.file) for fault in lesson.faults for edit in fault.edits
    }
    plain = {file: lesson.reference_modules[module].source for file, module in changed.items()}

    def program(kind: Kind, name: str, sources: dict[str, str]) -> Program:
        texts = plain | sources
        modules = tuple(
            Module(module, texts[file], lesson.reference_modules[module].is_package)
            for file, module in changed.items()
        )
        return Program(kind, name, modules)

    own = lesson.module_file
    return Programs(
        reference=program(Kind.REFERENCE, "reference", {}),
        variants=tuple(
            program(Kind.VARIANT, variant.name, {own: variant.source}) for variant in lesson.variants
        ),
        canary=program(Kind.CANARY, "canary", {own: canary_source(plain[own])}),
        faults=tuple(program(Kind.FAULT, fault.id, fault_source(lesson, fault)) for fault in lesson.faults),
    )


def library_of(lesson: Lesson) -> Library:
    """The course's package for the server, without what programs replace: no run inherits the text of another program.

    Late are the modules that import one that is replaced, directly or not.
    """
    modules = [
        Module(name, known.source, known.is_package) for name, known in lesson.reference_modules.items()
    ]
    replaced = replaced_modules(lesson)
    shared = [module for module in modules if module.name not in replaced]
    return Library(shared, sorted(_with_importers(replaced, modules) - replaced))


def replaced_modules(lesson: Lesson) -> frozenset[str]:
    """The modules that some program of the lesson changes: each run gets its own of these."""
    edited = {_module_of(lesson, edit.file) for fault in lesson.faults for edit in fault.edits}
    return frozenset(edited | {lesson.module})


def _module_of(lesson: Lesson, file: str) -> str:
    return next(name for name, module in lesson.reference_modules.items() if module.file == file)


def _with_importers(replaced: frozenset[str], modules: list[Module]) -> set[str]:
    imports = {module.name: _imported_names(module) for module in modules}
    late = set(replaced)
    while True:
        more = {name for name, names in imports.items() if name not in late and names & late}
        if not more:
            return late
        late |= more


def _imported_names(module: Module) -> set[str]:
    package = module.name if module.is_package else module.name.rpartition(".")[0]
    names: set[str] = set()
    for node in ast.walk(ast.parse(module.source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, package)
            names |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return names


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    base = parts[: len(parts) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def canary_source(source: str) -> str:
    """The module with every public function and method raising, constructors included.

    What is raised derives from `BaseException`, so that `except Exception` in a suite does not hide it.
    """
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            _silence_class(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            node.body = CANARY_RAISES
    after_future = next((i for i, node in enumerate(tree.body) if not _is_prologue(node)), len(tree.body))
    tree.body[after_future:after_future] = ast.parse(f"class {CANARY_EXCEPTION}(BaseException): pass").body
    return ast.unparse(ast.fix_missing_locations(tree))


def _is_prologue(node: ast.stmt) -> bool:
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return docstring or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


def _silence_class(node: ast.ClassDef) -> None:
    constructed = False
    for method in node.body:
        if not isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        constructed |= method.name == "__init__"
        if not method.name.startswith("_") or method.name.startswith("__"):
            method.body = CANARY_RAISES
    if not constructed and not node.name.startswith("_"):
        init = ast.parse("def __init__(self, *_args, **_kwargs): pass").body[0]
        assert isinstance(init, ast.FunctionDef)  # noqa: S101 - what was just parsed
        init.body = CANARY_RAISES
        node.body.append(init)
