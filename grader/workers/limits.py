"""What the operating system holds a process to: prctl(2) and setrlimit(2)."""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
from typing import TYPE_CHECKING

from grader.workers.sandbox import kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.workers.wire import Start

READING_SECONDS = 10  # of CPU
READING_MEMORY = 1 << 30  # bytes above what is mapped
OPEN_FILES = 256
STACK = 8 << 20  # bytes
PENDING_SIGNALS = 128

# The same for every run. No core file, no locked memory, no message queues, no priority, and not one process or thread
# more (which does not hold root: seccomp does).
FIXED = {
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_NOFILE: OPEN_FILES,
    resource.RLIMIT_NPROC: 0,
    resource.RLIMIT_MEMLOCK: 0,
    resource.RLIMIT_MSGQUEUE: 0,
    resource.RLIMIT_NICE: 0,
    resource.RLIMIT_RTPRIO: 0,
    resource.RLIMIT_SIGPENDING: PENDING_SIGNALS,
    resource.RLIMIT_STACK: STACK,
}


def adopt_orphans() -> None:
    """Become the process to which orphans among all descendants come back."""
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)


def die_with(parent: int) -> None:
    """Be killed when the parent ends; end at once if it has ended already."""
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(70)


def die_with_handle(parent: int) -> None:
    """As `die_with`, by a pidfd of the parent: from inside a process namespace the parent has no number."""
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    poll = select.poll()
    poll.register(parent, select.POLLIN)
    if poll.poll(0):
        os._exit(70)


def stand_alone() -> None:
    """A session of its own, files for itself alone, Python's own answer to SIGINT."""
    os.setsid()
    os.umask(0o077)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def gain_nothing() -> None:
    """Never gain a right by starting a program; and show no other process its memory."""
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)


def enter(start: Start, mapped: int) -> None:
    """Put the limits on this process, for good; `mapped`: bytes of address space that it has already.

    Raises:
        OSError: the kernel refuses.
    """
    for kind, value in FIXED.items():
        _limit(kind, value)
    _limit(resource.RLIMIT_FSIZE, start.file_size)
    _limit(resource.RLIMIT_CPU, start.cpu_seconds)
    # A budget above what numpy, pytest and the interpreter have mapped already.
    _limit(resource.RLIMIT_AS, mapped + start.memory)


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """Bounds for the time in which Python's parser and compiler have a learner's text; lifted at the end of it."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(usage.ru_utime + usage.ru_stime) + READING_SECONDS
    bounds = {resource.RLIMIT_CPU: seconds, resource.RLIMIT_AS: mapped() + READING_MEMORY}
    before = {kind: resource.getrlimit(kind) for kind in bounds}
    for kind, value in bounds.items():
        hard = before[kind][1]
        resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))
    yield
    for kind, limit in before.items():
        resource.setrlimit(kind, limit)


def _limit(kind: int, value: int) -> None:
    _soft, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(kind, (value, value))


def mapped() -> int:
    """Bytes of address space of this process."""
    opened = os.open("/proc/self/statm", os.O_RDONLY)
    try:
        return int(os.read(opened, 100).split()[0]) * resource.getpagesize()
    finally:
        os.close(opened)
