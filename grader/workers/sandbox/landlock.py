"""The file system by allow-list: landlock(7).

A run is under two sets of rules, and may do what both allow. The first is the same for all runs and fine: each entry
of the standard library and each package by its name, so that the course's files, which may lie beside them, stay
closed; it is built once. The second is made for each run and coarse: the folders of those, the suite, and the run's
own folder as the one place to write in; it keeps the run out of the folders of other runs.
"""

from __future__ import annotations

import contextlib
import os
import stat
import struct
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.workers.sandbox import kernel, paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

WRITE_FILE = 1 << 1
READ_FILE = 1 << 2
READ_DIR = 1 << 3
REMOVE_DIR = 1 << 4
REMOVE_FILE = 1 << 5
MAKE_DIR = 1 << 7
MAKE_REG = 1 << 8
MAKE_SYM = 1 << 12
REFER = 1 << 13
TRUNCATE = 1 << 14

READ = READ_FILE | READ_DIR
WRITE = WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SYM | REFER | TRUNCATE
ON_A_FILE = READ_FILE | WRITE_FILE | TRUNCATE

# Of the rights on files, how many (from the lowest bit) each version of the interface knows.
RIGHTS_OF_ABI = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
TCP = 0b11  # bind, connect: from version 4
SCOPE = 0b11  # abstract unix sockets, signals: from version 6


@dataclass(frozen=True)
class Places:
    """What lies where, for the runs of one suite.

    Attributes:
        suite: the suite's root folder.
        home: the folder in which each run's own folder is made.
        readable: what else a run may read.
    """

    suite: str
    home: str
    readable: tuple[str, ...] = ()


def handled(abi: int) -> int:
    """All rights on files that a version of the interface knows."""
    return (1 << RIGHTS_OF_ABI[min(abi, max(RIGHTS_OF_ABI))]) - 1


class Rules:
    """Both sets of rules, for the runs of one suite, as far as they can be made before a run is forked.

    Raises:
        OSError: the kernel has no Landlock, or refuses.
    """

    def __init__(self, places: Places) -> None:
        self._handled = handled(kernel.landlock_abi())
        self._attributes = _attributes(kernel.landlock_abi())
        self._common = kernel.landlock_create_ruleset(self._attributes)
        for path in (*standard_library(), *packages(), *_fixed(places)):
            for opened, rights in self._opened(path, _rights(path)):
                kernel.landlock_add_path(self._common, opened, rights)
                os.close(opened)
        for opened, rights in self._opened(places.home, READ | WRITE):
            kernel.landlock_add_path(self._common, opened, rights)
            os.close(opened)
        coarse = (*folders(places.home), *_fixed(places))
        self._own = [pair for path in coarse for pair in self._opened(path, _rights(path))]

    def enter(self, temp: str) -> None:
        """Hold this process, for good, to the common rules and to its own. Needs `no_new_privs`.

        Raises:
            OSError: the kernel refuses.
        """
        own = kernel.landlock_create_ruleset(self._attributes)
        for opened, rights in (*self._own, *self._opened(temp, READ | WRITE)):
            kernel.landlock_add_path(own, opened, rights)
        kernel.landlock_restrict_self(self._common)
        kernel.landlock_restrict_self(own)

    def _opened(self, path: str, rights: int) -> Iterator[tuple[int, int]]:
        """A path, open, and those of the rights that are possible on it; nothing if nobody here can open it."""
        with contextlib.suppress(FileNotFoundError, PermissionError):
            opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
            if not stat.S_ISDIR(os.fstat(opened).st_mode):
                rights &= ON_A_FILE
            yield opened, rights & self._handled


def _fixed(places: Places) -> tuple[str, ...]:
    return (*paths.DEVICES, places.suite, *places.readable)


def _rights(path: str) -> int:
    return READ_FILE | WRITE_FILE if path in paths.WRITABLE_DEVICES else READ


def _attributes(abi: int) -> bytes:
    """What a set of rules is about, as the kernel's struct landlock_ruleset_attr of that version."""
    fields = [handled(abi), TCP, SCOPE]
    known = 1 if abi < 4 else 2 if abi < 6 else 3  # noqa: PLR2004 - versions of the interface
    return struct.pack(f"<{known}Q", *fields[:known])


# --------------------------------------------------------------------------- what lies where


def _standard_folders() -> list[str]:
    library = os.path.dirname(os.path.realpath(os.__file__))  # noqa: PTH120 - pathlib is not needed here
    return [library, *(folder for folder in sys.path if folder.endswith("lib-dynload"))]


def _package_folders() -> list[str]:
    standard = _standard_folders()
    return [folder for folder in sys.path if folder not in standard and os.path.isdir(folder)]  # noqa: PTH112 - as above


def folders(home: str) -> Iterator[str]:
    """The folders that hold what `standard_library` and `packages` name.

    One that holds `home` too is left out: it would let runs read one another's folders.
    """
    inside = os.path.realpath(home)
    for folder in dict.fromkeys([*_standard_folders(), *_package_folders()]):
        if not inside.startswith(f"{os.path.realpath(folder)}/"):
            yield folder


def standard_library() -> Iterable[str]:
    """Every entry of the standard library's folders, but for folders of other packages."""
    for folder in _standard_folders():
        with contextlib.suppress(FileNotFoundError, PermissionError), os.scandir(folder) as entries:
            yield from (entry.path for entry in entries if entry.name not in paths.NOT_STANDARD_LIBRARY)


def packages() -> Sequence[str]:
    """The places at which the packages of a run can lie."""
    return [f"{folder}/{name}" for folder in _package_folders() for name in paths.PACKAGES]
