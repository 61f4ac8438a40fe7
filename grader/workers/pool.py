"""The grader's side: starts the warm server, opens hosts on it and makes runs, every deadline enforced from outside."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import queue
import select
import shutil
import socket
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Self

from grader import interrupts
from grader.errors import HarnessError
from grader.run import Exit, RunResult, Transcript, conclude
from grader.workers import launch
from grader.workers.conversation import SEE_DEBUG, Cancelled, Job, KeeperGone, Slot
from grader.workers.layout import is_test_file
from grader.workers.sandbox import Layers, Mode, choose
from grader.workers.wire import (
    SYNTAX,
    Finding,
    Library,
    Link,
    NewHost,
    NewKeeper,
    Prepare,
    Prepared,
    Rules,
    SuiteFile,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

GRACE = 5.0  # seconds that the server is given to end by itself
MOMENT = 0.2  # seconds


@dataclass(frozen=True)
class Suite:
    """A suite to open a host for.

    Attributes:
        root_name: the name of its root folder.
        files: its Python files.
        rules: the policy that it has to follow; None for the course's own tests.
        root: its place on disk, for the course's own tests, which read files beside them.
        readable: what else its runs may read: for the course's own tests, the course.
    """

    root_name: str
    files: Sequence[SuiteFile]
    rules: Rules | None = None
    root: Path | None = None
    readable: Sequence[Path] = ()


class Server:
    """The warm server and the temporary folder of one grading or of many.

    Use as a context manager: at its end no process of it is left, nor any file.

    Args:
        sandbox: which layers hold its runs: all that work here, all or none at all, or the limits alone.

    Raises:
        SandboxUnavailableError: `require`, on a machine that lacks a layer.
    """

    def __init__(self, sandbox: Mode = "auto") -> None:
        self._hosts: set[Host] = set()
        with ExitStack() as undo:
            with interrupts.held():
                launched = launch.take()
                self.temp, self._process, self._link = launched.temp, launched.process, Link(launched.socket)
                undo.callback(self.close)
                # Here, while the server imports numpy.
                self.sandbox = choose(sandbox, self.temp)
            undo.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The process id of the warm server."""
        return self._process.pid

    def load(self, library: Library) -> None:
        """Give the server the course's package; once, before the first host."""
        self._send(library)

    def open(self, suite: Suite, slots: int) -> Host:
        """Fork a host for a suite, which begins to read it. At most `slots` runs of it go on at a time.

        Raises:
            HarnessError: the server is gone.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            self._send(NewHost(), theirs.fileno())
        link = Link(ours)
        try:
            host = Host(link, suite, tempfile.mkdtemp(prefix="suite-", dir=self.temp), slots, self.sandbox)
        except BaseException:
            link.close()
            raise
        self._hosts.add(host)
        host.on_close = self._hosts.discard
        host.server_is_gone = self._is_gone
        return host

    def _is_gone(self) -> bool:
        # A process that ends kills those below it a moment before it can be seen to have ended.
        return _ended_within(self._process.pid, MOMENT)

    def _send(self, record: Library | NewHost, *descriptors: int) -> None:
        try:
            self._link.send(record, *descriptors)
        except OSError as error:
            raise HarnessError("the server that runs are forked from is gone", SEE_DEBUG) from error

    def close(self) -> None:
        """End every process and remove every file of the server."""
        with interrupts.held():
            for host in self._hosts:
                host.let_go()
            self._link.close()
            if not _ended_within(self._process.pid, GRACE):
                self._process.kill()
            self._process.wait()
            shutil.rmtree(self.temp, ignore_errors=True)


def _ended_within(pid: int, seconds: float) -> bool:
    """Wait for a child; `Popen.wait` with a time-out would look every 50 ms only."""
    handle = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        return bool(poll.poll(1000 * seconds))
    finally:
        os.close(handle)


class Host:
    """One suite, prepared: makes runs of it, from several threads at a time.

    Use as a context manager, or close it: else it lives as long as its server.

    Attributes:
        on_close: told when it is closed.
        server_is_gone: whether the server has ended, and its hosts with it.
    """

    def __init__(self, link: Link, suite: Suite, home: str, slots: int, sandbox: Layers) -> None:
        self._link = link
        self._home = home
        self._most = slots
        self._sandbox = sandbox
        self._readable = [str(path) for path in suite.readable]
        self._slots: list[Slot] = []
        self._free: queue.SimpleQueue[Slot] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._sharing = _Sharing()
        self._closed = False
        self.on_close: Callable[[Host], None] = lambda _host: None
        self.server_is_gone: Callable[[], bool] = lambda: False
        root = str(suite.root) if suite.root is not None else None
        link.send(Prepare(list(suite.files), suite.root_name, home, suite.rules, root))
        self._suite = suite

    @cached_property
    def prepared(self) -> Prepared:
        """What was found in the suite before anything of it ran; waits for it, once, before the first run.

        A host that ends while Python's own parser has a file was ended by that file.

        Raises:
            HarnessError: the host is gone.
        """
        file = ""
        try:
            while not isinstance(record := self._link.receive_any()[0], Prepared):
                file = record.file
        except (EOFError, OSError) as error:
            # With its server a host ends too, whatever file it reads just then.
            if not file or self.server_is_gone():
                raise HarnessError("the process that reads the suite is gone", SEE_DEBUG) from error
            text = "Python cannot read this file: it takes too much time or memory, or crashes the parser"
            return Prepared(
                [Finding(file, 1, SYNTAX, text)],
                [each.path for each in self._suite.files if is_test_file(each.path)],
            )
        return record

    def run(self, job: Job) -> RunResult:
        """Make one run and wait for it.

        Raises:
            HarnessError: the processes of the grading are gone.
            Cancelled: `cancel` was called.
        """
        with self._sharing.alone() if job.alone else self._sharing.shared():
            slot = self._take()
            try:
                return slot.run(job, self.prepared.test_files)
            except KeeperGone as gone:
                slot = self._replaced(slot)
                transcript = gone.transcript or Transcript(self.prepared.test_files)
                transcript.malformed = "it ended the process that keeps it"
                return conclude(transcript, Exit(0, 0.0))
            finally:
                self._free.put(slot)

    def _take(self) -> Slot:
        with self._lock:
            if self._free.empty() and len(self._slots) < self._most:
                return self._new_slot()
        return self._free.get()

    def _new_slot(self) -> Slot:
        if self._closed:
            raise Cancelled
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self._link.send(NewKeeper(), theirs.fileno())
            except OSError as error:
                raise HarnessError("the process that holds the suite is gone", SEE_DEBUG) from error
        slot = Slot(Link(ours), lambda: self._closed, self._sandbox.names, self._readable)
        self._slots.append(slot)
        return slot

    def _replaced(self, slot: Slot) -> Slot:
        slot.close()
        with self._lock:
            if slot in self._slots:  # else its place could not be filled before, since the host is gone
                self._slots.remove(slot)
            return self._new_slot()

    def cancel(self) -> None:
        """Give every run up that is under way; what waits for one gets `Cancelled`."""
        self._closed = True
        for slot in self._slots:
            slot.abandon()

    def close(self) -> None:
        """End the host and all that it runs, wait until nothing of it is left, and remove its folder."""
        self.cancel()
        for slot in self._slots:
            slot.close()
        _wait_for_its_end(self._link, GRACE)
        self.let_go()
        shutil.rmtree(self._home, ignore_errors=True)
        self.on_close(self)

    def let_go(self) -> None:
        """Let the host and all that it runs end by themselves; their server waits for them and removes their files."""
        self.cancel()
        for link in (self._link, *(slot.link for slot in self._slots)):
            link.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def _wait_for_its_end(link: Link, seconds: float) -> None:
    """Ask the process at the other side to end, and wait until it has; it holds that side open to its last moment."""
    end = time.monotonic() + seconds
    with contextlib.suppress(OSError):
        link.sock.shutdown(socket.SHUT_WR)
        link.sock.settimeout(seconds)
        while link.sock.recv(1 << 16) and time.monotonic() < end:
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


@cache
def hypothesis_installed() -> bool:
    """Whether suites may use hypothesis here; found without importing it."""
    return importlib.util.find_spec("hypothesis") is not None
