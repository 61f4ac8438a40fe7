"""The grader's side: starts the warm server, hands out runs to keepers, enforces every deadline from outside."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import queue
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from grader.errors import HarnessError
from grader.run import Exit, RunResult, Transcript, conclude
from grader.workers import wire
from grader.workers.wire import (
    Frames,
    Gone,
    Library,
    Link,
    NewHost,
    NewKeeper,
    Prepare,
    Prepared,
    Start,
    Stop,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

PACKAGES = ("numpy", "pytest", "_pytest", "pluggy", "msgspec", "hypothesis", "grader")
# The one variable of the machine that a run keeps: which kernels numpy's BLAS may use on this processor.
KEPT_ENVIRONMENT = ("OPENBLAS_CORETYPE",)
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LC_ALL": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    # Threads and fork do not go together, and one thread adds up in one order.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
MEMORY = 2 << 30  # bytes above what is mapped when a run starts
FILE_SIZE = 64 << 20  # bytes
CHUNK = 1 << 16
GRACE = 5.0  # seconds that the server is given to end by itself


class Cancelled(Exception):  # noqa: N818 - the grading was given up; no failure
    """The grading was given up while a run was under way."""


@dataclass(frozen=True)
class Job:
    """One run to be made.

    Attributes:
        run: program and setting, as they go to the run.
        deadline: wall-clock seconds.
        alone: nothing else may run at the same time.
        watch: called after each record; True ends the run, since enough has been seen.
    """

    run: wire.Run
    deadline: float
    alone: bool = False
    watch: Callable[[Transcript], bool] | None = None


@dataclass
class Workers:
    """The processes of one grading. Use as a context manager: at its end none is left, nor any file of theirs."""

    slots: int
    _lock: _Sharing = field(default_factory=lambda: _Sharing())  # noqa: PLW0108 - defined below
    _closed: bool = False

    def __post_init__(self) -> None:
        self.temp = tempfile.mkdtemp(prefix="ol-")
        self._free: queue.SimpleQueue[_Slot] = queue.SimpleQueue()
        self._slots: list[_Slot] = []
        self._host: Link | None = None
        self._host_lock = threading.Lock()
        self._test_files: Sequence[str] = ()
        ours, theirs = socket.socketpair()
        try:
            self._server = _start_server(theirs.fileno(), self.temp)
        finally:
            theirs.close()
        self._link = Link(ours)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def load(self, library: Library) -> None:
        """Give the server the course's package; once, before `prepare`."""
        self._link.send(library)

    def prepare(self, suite: Prepare) -> Prepared:
        """Open a host for a suite and wait for what it found.

        Raises:
            HarnessError: the server or the host is gone.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            self._link.send(NewHost(), theirs.fileno())
        self._host = Link(ours)
        self._host.send(suite)
        try:
            prepared, _none = self._host.receive(Prepared)
        except (EOFError, OSError) as error:
            raise HarnessError("the process that reads the suite is gone", _SEE_DEBUG) from error
        self._test_files = prepared.test_files
        return prepared

    def home(self) -> str:
        """A fresh folder below this grading's own."""
        return tempfile.mkdtemp(prefix="suite-", dir=self.temp)

    def run(self, job: Job) -> RunResult:
        """Make one run and wait for it; callable from several threads.

        Raises:
            HarnessError: the processes of the grading are gone.
            Cancelled: `close` was called.
        """
        with self._lock.alone() if job.alone else self._lock.shared():
            slot = self._slot()
            try:
                return slot.run(job, self._test_files)
            except _KeeperGone:
                slot.close()
                self._slots.remove(slot)
                slot = self._new_slot()
                return conclude(Transcript(self._test_files, malformed="it ended its keeper"), Exit(0, 0.0))
            finally:
                self._free.put(slot)

    def _slot(self) -> _Slot:
        with self._host_lock:
            if self._free.empty() and len(self._slots) < self.slots:
                return self._new_slot()
        return self._free.get()

    def _new_slot(self) -> _Slot:
        if self._closed or self._host is None:
            raise Cancelled
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self._host.send(NewKeeper(), theirs.fileno())
            except OSError as error:
                raise HarnessError("the process that holds the suite is gone", _SEE_DEBUG) from error
        slot = _Slot(Link(ours), lambda: self._closed)
        self._slots.append(slot)
        return slot

    def cancel(self) -> None:
        """Give every run up that is under way; what waits for one gets `Cancelled`."""
        self._closed = True
        for slot in self._slots:
            slot.abandon()

    def close(self) -> None:
        """End every process and remove every file of the grading."""
        self.cancel()
        for link in (self._host, self._link, *(slot.link for slot in self._slots)):
            if link is not None:
                link.close()
        try:
            self._server.wait(GRACE)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()
        shutil.rmtree(self.temp, ignore_errors=True)


_SEE_DEBUG = "run again with --debug and report what it prints"


class _KeeperGone(Exception):  # noqa: N818 - an event on the way; no one outside sees it
    """A keeper ended in the middle of a run."""


@dataclass
class _Slot:
    """One keeper, seen from the grader."""

    link: Link
    cancelled: Callable[[], bool]

    def run(self, job: Job, test_files: Sequence[str]) -> RunResult:
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                self._send(Start(MEMORY, _cpu_seconds(job.deadline), FILE_SIZE), theirs.fileno())
            begun = time.monotonic()
            _hand_over(ours, job.run)
            return _Conversation(self, ours, job, Transcript(test_files), begun).result()

    def _send(self, record: wire.Record, *descriptors: int) -> None:
        try:
            self.link.send(record, *descriptors)
        except OSError as error:
            raise Cancelled if self.cancelled() else _KeeperGone from error

    def stop(self) -> None:
        """Have the run killed."""
        self._send(Stop())

    def gone(self) -> Gone:
        """The keeper's word that nothing of the run is left."""
        try:
            record, _none = self.link.receive(Gone)
        except (EOFError, OSError) as error:
            raise Cancelled if self.cancelled() else _KeeperGone from error
        return record

    def abandon(self) -> None:
        """Let the keeper see the end of its socket, and whoever waits for its word wake up."""
        with contextlib.suppress(OSError):
            self.link.sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.link.close()


def _cpu_seconds(deadline: float) -> int:
    return int(deadline) * 2 + 5


def _hand_over(channel: socket.socket, run: wire.Run) -> None:
    # A run that ended before it had read its program says so by its end.
    with contextlib.suppress(OSError):
        channel.sendall(wire.encode(run))
        channel.shutdown(socket.SHUT_WR)


@dataclass
class _Conversation:
    """What is said between the start of a run and its end."""

    slot: _Slot
    channel: socket.socket
    job: Job
    transcript: Transcript
    begun: float
    stopped: bool = False
    timed_out: bool = False

    def __post_init__(self) -> None:
        self._frames = Frames()

    def result(self) -> RunResult:
        gone = self._follow()
        process = Exit(gone.status, time.monotonic() - self.begun, self.stopped, self.timed_out)
        return conclude(self.transcript, process)

    def _follow(self) -> Gone:
        poll = select.poll()
        poll.register(self.channel, select.POLLIN)
        poll.register(self.slot.link.sock, select.POLLIN)
        while True:
            ready = {found for found, _event in poll.poll(self._milliseconds_left())}
            if self.channel.fileno() in ready and not self._read():
                poll.unregister(self.channel)
            if self.slot.link.sock.fileno() in ready:
                gone = self.slot.gone()
                self._drain()
                return gone
            if self._over():
                self.slot.stop()
                poll = select.poll()
                poll.register(self.slot.link.sock, select.POLLIN)

    def _milliseconds_left(self) -> float | None:
        if self.stopped or self.timed_out:
            return None
        return max(0.0, self.begun + self.job.deadline - time.monotonic()) * 1000

    def _over(self) -> bool:
        """Whether the run has to be ended now; says so once."""
        if self.stopped or self.timed_out:
            return False
        watch = self.job.watch
        if (watch is not None and watch(self.transcript)) or self.transcript.malformed:
            self.stopped = not self.transcript.malformed
            self.timed_out = False
            return self._say_once()
        if time.monotonic() >= self.begun + self.job.deadline:
            self.timed_out = True
            return True
        return False

    def _say_once(self) -> bool:
        said, self._said = getattr(self, "_said", False), True
        return not said

    def _read(self) -> bool:
        """Take in what has come; False at the end of the channel."""
        try:
            data = self.channel.recv(CHUNK)
        except ConnectionError:
            return False
        self._take(data)
        return bool(data)

    def _take(self, data: bytes) -> None:
        if self.transcript.malformed:
            return
        try:
            for body in self._frames.feed(data):
                self.transcript.add(wire.decode_said(body))
        except wire.Malformed as error:
            self.transcript.malformed = str(error)

    def _drain(self) -> None:
        """Nothing of the run lives any more: what is in the channel now is all that there will be."""
        self.channel.setblocking(False)  # noqa: FBT003 - its signature
        try:
            while self._read():
                pass
        except BlockingIOError:
            pass


class _Sharing:
    """Many runs at a time, or one alone."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._running = 0
        self._alone = False
        self._waiting = 0

    @contextmanager
    def shared(self) -> Iterator[None]:
        with self._condition:
            self._condition.wait_for(lambda: not self._alone and not self._waiting)
            self._running += 1
        try:
            yield
        finally:
            with self._condition:
                self._running -= 1
                self._condition.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._condition:
            self._waiting += 1
            self._condition.wait_for(lambda: not self._alone and not self._running)
            self._waiting -= 1
            self._alone = True
        try:
            yield
        finally:
            with self._condition:
                self._alone = False
                self._condition.notify_all()


def hypothesis_installed() -> bool:
    """Whether suites may use hypothesis here; found without importing it."""
    return importlib.util.find_spec("hypothesis") is not None


def package_folders() -> list[str]:
    """The folders that hold the packages of a run, found without importing them."""
    folders: dict[str, None] = {}
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin:
            folders[str(Path(spec.origin).parent.parent)] = None
    return list(folders)


def _start_server(descriptor: int, temp: str) -> subprocess.Popen[bytes]:
    environment = ENVIRONMENT | {name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ}
    server = Path(__file__).with_name("server.py")
    command = [sys.executable, "-S", "-P", "-s", str(server), str(descriptor), *package_folders()]
    return subprocess.Popen(
        command,
        env=environment | {"HOME": temp, "TMPDIR": temp},
        cwd=temp,
        pass_fds=(descriptor,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=None if os.environ.get("OL_DEBUG") else subprocess.DEVNULL,
        start_new_session=True,
    )
