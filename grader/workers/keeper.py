"""A keeper: starts one run at a time and leaves nothing of it behind.

It is the subreaper (prctl(2), PR_SET_CHILD_SUBREAPER) of all that a run starts, so a process that left its session
or its parent (`setsid`, a double fork) comes back to the keeper, which kills it before the run's end is reported. It
runs no learner's code. When the grader is gone, its end of the socket closes: the keeper kills the run and ends.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import tempfile
from typing import TYPE_CHECKING

from grader.workers import limits
from grader.workers.wire import Gone, Link, Start, Stop

if TYPE_CHECKING:
    from collections.abc import Callable


def serve(link: Link, temp_root: str, run: Callable[[int, str], None]) -> None:
    """Answer each `Start` with a run and its `Gone`, until the other side closes.

    Args:
        link: the grader.
        temp_root: the folder below which each run gets a fresh one of its own.
        run: what the forked run does with its channel and its folder; never returns.
    """
    limits.adopt_orphans()
    while True:
        try:
            record, descriptors = link.receive_any()
        except EOFError:
            return
        if isinstance(record, Start):
            _one_run(link, record, descriptors[0], temp_root, run)


def _one_run(link: Link, start: Start, channel: int, temp_root: str, run: Callable[[int, str], None]) -> None:
    temp = tempfile.mkdtemp(prefix="run-", dir=temp_root)
    keeper = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            link.close()
            limits.enter(start, keeper)
            run(channel, temp)
        finally:
            os._exit(70)
    os.close(channel)
    there = _wait(link, pid)
    status, cpu_seconds, stray = _end_all(pid)
    _remove(temp)
    if there:
        link.send(Gone(status, stray, cpu_seconds))


def _wait(link: Link, pid: int) -> bool:
    """Until the run ends or is to be stopped; False when the grader is gone."""
    descriptor = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        poll.register(link.sock, select.POLLIN)
        ready = {found for found, _event in poll.poll()}
        if link.sock.fileno() not in ready:
            return True
        try:
            link.receive(Stop)
        except EOFError:
            return False
        return True
    finally:
        os.close(descriptor)


def _end_all(pid: int) -> tuple[int, float, int]:
    """Kill the run and everything that it started; the run's wait status, its CPU time, how many others there were."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    _pid, status, usage = os.wait4(pid, 0)
    stray = 0
    while True:
        for child in _descendants():
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return status, usage.ru_utime + usage.ru_stime, stray
        stray += 1


def _descendants() -> list[int]:
    """All processes below this one."""
    found: list[int] = []
    todo = [os.getpid()]
    while todo:
        children = _children(todo.pop())
        found += children
        todo += children
    return found


def _children(pid: int) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:  # noqa: PTH123 - pathlib is not needed here
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def _remove(temp: str) -> None:
    try:
        os.rmdir(temp)  # noqa: PTH106 - mostly it is empty still
    except OSError:
        # A clean-up that fails changes no verdict: the whole folder goes with the grading.
        shutil.rmtree(temp, ignore_errors=True)
