"""A keeper: starts one run at a time and leaves nothing of it behind.

It is the subreaper (prctl(2), PR_SET_CHILD_SUBREAPER) of all that a run starts, so a process that left its session
or its parent (`setsid`, a double fork) comes back to the keeper, which kills it before the run's end is reported. It
runs no learner's code. When the grader is gone, its end of the socket closes: the keeper kills the run and ends.
"""

from __future__ import annotations

import contextlib
import enum
import os
import select
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.workers import limits, usage
from grader.workers.sandbox import namespaces
from grader.workers.sandbox.entering import Entrance, NotEntered, Prepared
from grader.workers.sandbox.landlock import Places
from grader.workers.sandbox.layers import ALWAYS, Layer
from grader.workers.wire import MAX_TEXT, Gone, Link, Start, Stop, Trouble, frame

if TYPE_CHECKING:
    from collections.abc import Callable

# How a run ends that could not enter the sandbox: no record of a suite, so the grader takes it for the house's failure.
REFUSED = 70
LOOK_AGAIN = 200  # milliseconds between two looks at what a run has written, where no file system bounds it


def serve(link: Link, places: Places, run: Callable[[int, str], None]) -> None:
    """Answer each `Start` with a run and its `Gone`, until the other side closes.

    Args:
        link: the grader.
        places: what lies where, for the sandbox; below its home each run gets a fresh folder of its own.
        run: what the forked run does with its channel and its folder; never returns.
    """
    keeper = None
    while True:
        try:
            record, descriptors = link.receive_any()
        except EOFError:
            return
        if not isinstance(record, Start):
            continue
        (channel,) = descriptors
        try:
            keeper = keeper or _Keeper(link, record, places, run)
            pid, entrance = keeper.begin(record, channel)
        except (OSError, ValueError, NotEntered) as error:
            _refuse(channel, f"no run could be started: {error}")
            link.send(Gone(REFUSED << 8, 0, 0.0))
            continue
        finally:
            os.close(channel)
        keeper.see_to_its_end(pid, entrance)


def _refuse(channel: int, why: str) -> None:
    with contextlib.suppress(OSError):
        os.write(channel, frame(Trouble(why[:MAX_TEXT])))


class _End(enum.Enum):
    """Why a run is over."""

    ENDED = enum.auto()
    STOPPED = enum.auto()
    WROTE_TOO_MUCH = enum.auto()
    GRADER_GONE = enum.auto()


@dataclass
class _Keeper:
    """A keeper that has its first `Start`, and with it the layers of the sandbox."""

    link: Link
    first: Start
    places: Places
    run: Callable[[int, str], None]
    ground: namespaces.Ground = field(init=False)

    def __post_init__(self) -> None:
        self.layers = frozenset(Layer(name) for name in self.first.layers)
        self.prepared = Prepared(Places(self.places.suite, self.places.home, tuple(self.first.readable)))
        self.ground = namespaces.Ground(self.layers)
        limits.adopt_orphans()
        self.prepared.make({*ALWAYS, *self.layers})
        self.handle = os.pidfd_open(os.getpid())

    def begin(self, start: Start, channel: int) -> tuple[int, Entrance]:
        """Fork a run; its process id and where it lives."""
        temp = tempfile.mkdtemp(prefix="run-", dir=self.places.home)
        entrance = Entrance(start, self.prepared, temp)
        pid = self.ground.fork()
        if pid == 0:
            self._be_the_run(entrance, channel)
        return pid, entrance

    def see_to_its_end(self, pid: int, entrance: Entrance) -> None:
        """Wait for it, end all that is left of it, and say so."""
        end = self._wait(pid, entrance)
        status, cpu_seconds, stray = self._end_all(pid)
        if end is _End.WROTE_TOO_MUCH:
            # What the kernel would have sent, had it counted all files together.
            status = signal.SIGXFSZ
        _remove(entrance.temp)
        if end is not _End.GRADER_GONE:
            self.link.send(Gone(status, stray, cpu_seconds))

    def _be_the_run(self, entrance: Entrance, channel: int) -> None:
        try:
            self.link.close()
            limits.die_with_handle(self.handle)
            limits.stand_alone()
            entrance.enter()
            self.run(channel, entrance.temp)
        except BaseException as error:  # noqa: BLE001 - whatever it is, nothing of the suite has run: say so, and end
            _refuse(channel, str(error))
        finally:
            os._exit(REFUSED)

    def _wait(self, pid: int, entrance: Entrance) -> _End:
        """Until the run ends, or there is a reason to end it."""
        bounded = Layer.MOUNT_NAMESPACE in self.layers
        descriptor = os.pidfd_open(pid)
        try:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            poll.register(self.link.sock, select.POLLIN)
            while not (ready := poll.poll(None if bounded else LOOK_AGAIN)):
                if usage.exceeds(entrance.temp, entrance.start.temp_size, namespaces.TEMP_FILES):
                    return _End.WROTE_TOO_MUCH
            if self.link.sock.fileno() not in {found for found, _event in ready}:
                return _End.ENDED
            return self._told()
        finally:
            os.close(descriptor)

    def _told(self) -> _End:
        try:
            self.link.receive(Stop)
        except EOFError:
            return _End.GRADER_GONE
        return _End.STOPPED

    def _end_all(self, pid: int) -> tuple[int, float, int]:
        """Kill the run and all that it started; the run's wait status, its CPU time, how many others there were."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        _pid, status, used = os.wait4(pid, 0)
        # With the first process of its namespace, the kernel has killed and reaped all others in it.
        stray = 0 if Layer.PID_NAMESPACE in self.layers else _end_strays()
        return status, used.ru_utime + used.ru_stime, stray


def _end_strays() -> int:
    stray = 0
    while True:
        for child in _descendants():
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return stray
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
    with contextlib.suppress(OSError):
        os.rmdir(temp)  # noqa: PTH106 - mostly it is empty still
        return
    # A clean-up that fails changes no verdict: the whole folder goes with the grading.
    with contextlib.suppress(RecursionError):
        shutil.rmtree(temp, ignore_errors=True)
    if os.path.lexists(temp):
        # Folders without rights, or one in another a thousand times: what these two programs are made for.
        for command in (["chmod", "-R", "u+rwx", temp], ["rm", "-rf", temp]):
            subprocess.run(command, check=False, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
