"""The course's package in memory: no file on disk names a program, and no stale bytecode is possible.

The server imports every module that no program replaces. A run gets its program after the fork; the modules that it
replaces, and all that import them, are loaded there.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import marshal
import sys
from typing import TYPE_CHECKING

from grader.workers.wire import Module

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import CodeType, ModuleType


def file_of(name: str, *, is_package: bool) -> str:
    """The `__file__` of a module: the same for every program, and no path on disk."""
    path = name.replace(".", "/")
    return f"{path}/__init__.py" if is_package else f"{path}.py"


def compiled(module: Module) -> CodeType:
    """What a module's text compiles to.

    Raises:
        SyntaxError: it is no Python.
    """
    file = file_of(module.name, is_package=module.is_package)
    return compile(module.source, file, "exec", dont_inherit=True)


class LibraryImporter(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports modules from source text that is held only until it is compiled."""

    def __init__(self) -> None:
        self._modules: dict[str, Module] = {}
        self._code: dict[str, CodeType] = {}

    def add(self, modules: Iterable[Module]) -> None:
        """Make these modules importable; one of the same name is replaced."""
        for module in modules:
            self._modules[module.name] = module
            self._code.pop(module.name, None)

    def clear(self) -> None:
        """Forget every module, those that are imported already too."""
        for name in self._modules:
            sys.modules.pop(name, None)
        self._modules.clear()
        self._code.clear()

    def import_all(self, late: Iterable[str] = ()) -> None:
        """Import every module that is known, except those in `late`."""
        for name in sorted(self._modules.keys() - set(late)):
            importlib.import_module(name)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A spec for a module of the course."""
        del path, target
        module = self._modules.get(fullname)
        if module is None:
            return None
        spec = importlib.machinery.ModuleSpec(fullname, self, is_package=module.is_package)
        spec.origin = file_of(fullname, is_package=module.is_package)
        spec.has_location = True
        return spec

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code; its text is dropped once that is compiled."""
        name = module.__name__
        if name not in self._code:
            known = self._modules[name]
            self._code[name] = marshal.loads(known.code) if known.code else compiled(known)  # noqa: S302 - the grader's
            self._modules[name] = Module(name, "", known.is_package)
        exec(self._code[name], module.__dict__)  # noqa: S102 - importing is executing


def install() -> LibraryImporter:
    """Make the course's package importable in this process."""
    importer = LibraryImporter()
    sys.meta_path.insert(0, importer)
    return importer
