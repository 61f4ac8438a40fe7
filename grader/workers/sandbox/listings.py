"""Imports in a run, where the folders that modules lie in may not be listed.

Python finds a module by a listing of each folder on its path, which it keeps until it is told that it may be stale
(`importlib.invalidate_caches`, which pytest's `monkeypatch.syspath_prepend` calls too). In a run a listing cannot be
made again: Landlock would have to open everything below the folder, the names of the course's faults among it.
"""

from __future__ import annotations

import sys
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
    SourcelessFileLoader,
)
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# In the order in which Python itself asks them.
_LOADERS = (
    (ExtensionFileLoader, EXTENSION_SUFFIXES),
    (SourceFileLoader, SOURCE_SUFFIXES),
    (SourcelessFileLoader, BYTECODE_SUFFIXES),
)


class _Lasting(FileFinder):
    """Finds modules in a folder by the listing that it made first, unless the folder changes."""

    def invalidate_caches(self) -> None:
        """Keep the listing."""


def hold(folders: Iterable[str]) -> None:
    """List these folders now, for all imports of this process and of those that it forks."""
    for folder in folders:
        finder = _Lasting(folder, *_LOADERS)
        finder.find_spec("any name makes it list the folder")
        sys.path_importer_cache[folder] = finder
