"""The course's package in this process, loaded as often as is wanted: each time as if it had never been."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING

from grader.workers.library import LibraryImporter, file_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType

    from grader.workers.wire import Module


class _Recording(LibraryImporter):
    """Remembers the order in which modules were loaded to their end."""

    def __init__(self) -> None:
        super().__init__()
        self.order: list[str] = []

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        self.order.append(module.__name__)


class Package:
    """All modules of a package with one program in it.

    The first load goes by Python's importer. When that comes to its end, later ones run the modules in the order in which
    it did, which takes half the time: the importer's own bookkeeping costs as much as the modules.
    """

    def __init__(self, modules: Sequence[Module]) -> None:
        self._modules = {module.name: module for module in modules}
        self._importer = _Recording()
        self._importer.add(modules)
        self._in_order: list[tuple[str, CodeType]] = []
        self._by_import = False

    def load(self) -> None:
        """Load every module anew; whatever a module raises is raised."""
        self._forget()
        if self._in_order:
            self._run()
            return
        self._import()
        if self._may_run():
            return
        self._forget()
        self._import()

    def _forget(self) -> None:
        for name in self._modules:
            sys.modules.pop(name, None)
        sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, LibraryImporter)]
        sys.meta_path.insert(0, self._importer)

    def _import(self) -> None:
        self._importer.order.clear()
        for name in self._modules:
            importlib.import_module(name)

    def _may_run(self) -> bool:
        """Whether it works without the importer: with a circle in it, for one, a package does not."""
        if self._by_import:
            return False
        order = list(self._importer.order)
        self._in_order = [(name, self._code(name)) for name in order]
        self._forget()
        try:
            self._run()
        except Exception:  # noqa: BLE001 - then the importer it is
            self._by_import = True
        self._by_import |= self._importer.order != order
        if self._by_import:
            self._in_order = []
        return not self._by_import

    def _run(self) -> None:
        for name, code in self._in_order:
            module = ModuleType(name)
            is_package = self._modules[name].is_package
            module.__file__ = file_of(name, is_package=is_package)
            module.__package__ = name if is_package else name.rpartition(".")[0]
            if is_package:
                module.__path__ = []
            sys.modules[name] = module
            exec(code, module.__dict__)  # noqa: S102 - importing is executing
            parent, _, own = name.rpartition(".")
            if parent in self._modules:
                setattr(sys.modules[parent], own, module)

    def _code(self, name: str) -> CodeType:
        module = self._modules[name]
        return compile(module.source, file_of(name, is_package=module.is_package), "exec", dont_inherit=True)
