"""What the operating system holds a run to: prctl(2) and setrlimit(2)."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.workers.wire import Start

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

_libc = ctypes.CDLL(None, use_errno=True)

CORE_FILES = 0
OPEN_FILES = 256


def prctl(option: int, value: int) -> None:
    """Set an attribute of this process; the manual page of prctl describes each.

    Raises:
        OSError: the kernel refuses.
    """
    if _libc.prctl(option, value, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def adopt_orphans() -> None:
    """Become the process to which orphans among all descendants come back."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def die_with(parent: int) -> None:
    """Be killed when the parent ends; end at once if it has ended already."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(70)


def enter(start: Start, keeper: int) -> None:
    """Give up, in a run and for good, what it must not have."""
    die_with(keeper)
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(PR_SET_DUMPABLE, 0)
    _limit(resource.RLIMIT_CORE, CORE_FILES)
    _limit(resource.RLIMIT_NOFILE, OPEN_FILES)
    _limit(resource.RLIMIT_FSIZE, start.file_size)
    _limit(resource.RLIMIT_CPU, start.cpu_seconds)
    # A budget above what numpy, pytest and the interpreter have mapped already.
    _limit(resource.RLIMIT_AS, _mapped() + start.memory)


def _limit(kind: int, value: int) -> None:
    _soft, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    with contextlib.suppress(ValueError):
        resource.setrlimit(kind, (value, value))


def _mapped() -> int:
    """Bytes of address space of this process."""
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - pathlib is not needed here
        return int(file.read().split()[0]) * resource.getpagesize()
