"""Puts another version of a module into a process in which the module is in use already.

Whoever imported a function or a class keeps it, and finds the new code in it. So nothing that was made ready with the
module (imported tests, loaded data) has to be made again for each version.
"""

from __future__ import annotations

from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

# What import gives to a module.
_IMPORTED = frozenset({"__file__", "__spec__", "__loader__", "__package__", "__path__", "__cached__"})
# What a module or class has of itself, and what says nothing about how it works.
_OWN = _IMPORTED | {
    "__annotations__",
    "__builtins__",
    "__dict__",
    "__doc__",
    "__module__",
    "__weakref__",
    "_abc_impl",
}


class Unfit(Exception):  # noqa: N818 - a finding, dealt with by whoever asked
    """The new version cannot take the old one's place: only an import of everything anew can show it."""


def transplant(module: ModuleType, source: str) -> None:
    """Give a module's functions and classes the code that `source` has for them.

    Raises:
        Unfit: the versions differ in more than functions, methods and values that are equal. Nothing was changed.
        BaseException: whatever `source` raises while it is executed.
    """
    fresh = {"__name__": module.__name__} | {
        name: value for name, value in vars(module).items() if name in _IMPORTED
    }
    exec(compile(source, str(module.__file__), "exec", dont_inherit=True), fresh)  # noqa: S102 - importing is executing
    graft = _Graft(module.__name__)
    graft.pair_names(vars(module), fresh)
    graft.carry_out()


class _Graft:
    """Finds first what has to change, and changes it then."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._seen: set[int] = set()
        self._functions: list[tuple[FunctionType, FunctionType]] = []

    def pair_names(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        """Pair what two modules or two classes hold under each name."""
        names = old.keys() - _OWN
        if names != new.keys() - _OWN:
            raise Unfit(", ".join(sorted(names ^ (new.keys() - _OWN))))
        for name in names:
            self._pair(name, old[name], new[name])

    def _pair(self, name: str, old: Any, new: Any) -> None:
        if type(old) is not type(new):
            raise Unfit(name)
        if isinstance(old, FunctionType | type) and old.__module__ == self._module:
            if id(old) not in self._seen:
                self._seen.add(id(old))
                self._pair_definitions(old, new)
        elif isinstance(old, staticmethod | classmethod):
            self._pair(name, old.__func__, new.__func__)
        elif isinstance(old, property):
            for part in ("fget", "fset", "fdel"):
                self._pair(name, getattr(old, part), getattr(new, part))
        elif old is not new and not _equal(old, new):
            raise Unfit(name)

    def _pair_definitions(self, old: Any, new: Any) -> None:
        if isinstance(old, type):
            if _bases(old) != _bases(new):
                raise Unfit(old.__qualname__)
            self.pair_names(vars(old), vars(new))
            return
        if old.__code__.co_freevars != new.__code__.co_freevars or vars(old).keys() != vars(new).keys():
            raise Unfit(old.__qualname__)
        for before, after in zip(old.__closure__ or (), new.__closure__ or (), strict=True):
            self._pair(old.__qualname__, before.cell_contents, after.cell_contents)
        self._functions.append((old, new))

    def carry_out(self) -> None:
        """Change the functions."""
        for old, new in self._functions:
            old.__code__ = new.__code__
            old.__defaults__ = new.__defaults__
            old.__kwdefaults__ = new.__kwdefaults__


def _bases(kind: type) -> list[str]:
    return [f"{base.__module__}.{base.__qualname__}" for base in kind.__mro__]


def _equal(old: object, new: object) -> bool:
    try:
        return bool(old == new)
    except Exception:  # noqa: BLE001 - what cannot be compared is not known to be equal
        return False
