"""The workbench: a process in which the course tests have run on the reference already, forked for each candidate.

What makes it several times as fast as runs of a grading: the course, its tests and what is tried on it are the author's
own, so nothing is rewritten, hidden or sandboxed; what tests import, load and keep is there before the fork (see
`transplant`); and a candidate meets only the tests that execute a line which it changes. What stays: each has a process of
its own, with limits on time and memory that the kernel and this process enforce, and a test kills only by failing.
"""

from __future__ import annotations

import gc
import importlib
import os
import resource
import select
import signal
import socket
import sys
import time
import warnings
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeGuard

import pytest
from _pytest import runner

from grader.author.candidates.probes import Probes
from grader.author.candidates.records import (
    Channel,
    Ending,
    Failure,
    Ready,
    Said,
    Setup,
    Tried,
    Try,
    framed,
    unframed,
)
from grader.author.candidates.transplant import Unfit, transplant
from grader.workers import hypothesis_settings, library, limits, randomness, session, suite
from grader.workers.recorder import Recorder
from grader.workers.wire import Finished, Outcome, Prepare, Record

if TYPE_CHECKING:
    from types import FrameType, ModuleType, TracebackType

    from _pytest.nodes import Item
    from _typeshed import TraceFunction

SEED = "0a"
MEMORY = 2 << 30  # bytes above what is mapped
LEAST_SECONDS = 2  # of CPU, for each candidate
SLOWDOWN = 5  # so many times what the reference took
WALL = 10  # seconds on the clock for one of CPU: a machine may be busy
CHUNK = 1 << 16
TOO_MUCH = "it asked for more memory than it may have"
FAILURES = frozenset({Outcome.FAILED, Outcome.ERROR})


def main(descriptor: int) -> None:
    """Serve on the socket with this descriptor, until the other side closes it."""
    # What numpy warns of when a candidate divides by zero is no news.
    warnings.simplefilter("ignore")
    limits.die_with(os.getppid())
    sock = socket.socket(fileno=descriptor)
    setup = Channel(sock, Setup).receive()
    bench = _Bench(setup)
    channel = Channel(sock, Try)
    channel.send(bench.make_ready())
    gc.freeze()
    _Children(channel, bench, setup.jobs).serve()


class _Notes(Recorder):
    """Keeps how the tests ended, in place of sending it."""

    def __init__(self, own: suite.Suite) -> None:
        super().__init__(own)
        self.finished: list[Finished] = []
        self.problems: list[str] = []
        self._encode = self._note

    def about(self, error: BaseException) -> tuple[str, str]:
        """What an exception says, and where in the tests or the module it comes from."""
        return self._message(error), self._where(error)

    def _note(self, record: Record) -> bytes:
        if isinstance(record, Finished):
            self.finished.append(record)
        else:
            self.problems.append(getattr(record, "message", ""))
        return b""


class _Lines:
    """The lines of one file that are executed while this context lasts."""

    def __init__(self, file: str) -> None:
        self._file = file
        self.seen: set[int] = set()

    def __enter__(self) -> Self:
        sys.settrace(self._call)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        sys.settrace(None)

    def _call(self, frame: FrameType, _event: str, _argument: Any) -> TraceFunction | None:
        return self._line if frame.f_code.co_filename == self._file else None

    def _line(self, frame: FrameType, event: str, _argument: Any) -> TraceFunction:
        if event == "line":
            self.seen.add(frame.f_lineno)
        return self._line


class _Bench:
    """The course tests on the live reference."""

    items: list[Item]
    module: ModuleType
    probes: Probes
    seconds: int

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        importer = library.install()
        importer.add(setup.library.modules)
        importer.import_all(setup.library.late)
        importer.add(setup.program)
        randomness.install(SEED)
        root = Path(setup.root)
        own = suite.read(
            Prepare(setup.files, root.name, setup.home, None, setup.root), root, lambda _file: None
        )
        self.findings = own.findings
        self.notes = _Notes(own)
        importer_of_tests = suite.install(own, lambda _file: None)
        self._session = session.start(
            session.configure(Path(setup.home, "pytest")),
            root,
            importer_of_tests,
            self.notes,
            (file.data for file in setup.files),
        )
        session.use_temp(self._session.config, Path(setup.home, "tmp"))

    def make_ready(self) -> Ready:
        """Import and run everything on the reference, and note which test executes which lines of the module."""
        if self.findings:
            return Ready([], [], [], problem=f"{self.findings[0].file}: {self.findings[0].message}")
        self.module = importlib.import_module(self.setup.module)
        self.notes.own_modules = frozenset({str(self.module.__file__)})
        self.items = list(self._session.perform_collect())
        if "hypothesis" in sys.modules:
            hypothesis_settings.load_profile()
            hypothesis_settings.apply_to(self.items)
        # An environment variable that pytest sets three times a test, and nothing here reads.
        runner._update_current_test_var = lambda item, when: None  # noqa: ARG005, SLF001 - see above
        begun = time.process_time()
        reached = [self._lines_of(index) for index in range(len(self.items))]
        self.seconds = LEAST_SECONDS + int(SLOWDOWN * (time.process_time() - begun))
        self.probes = Probes(self.setup.probes, self.setup.names, self.module)
        return Ready([item.nodeid for item in self.items], reached, self.probes.values(), self._problem())

    def _problem(self) -> str:
        if self.notes.problems:
            return f"the course tests do not load on the reference: {self.notes.problems[0]}"
        failed = [self.items[each.test].nodeid for each in self.notes.finished if each.outcome in FAILURES]
        return f"course tests fail on the reference: {', '.join(failed)}" if failed else ""

    def _lines_of(self, index: int) -> list[int]:
        with _Lines(str(self.module.__file__)) as lines:
            self.run(index)
        return sorted(lines.seen)

    def run(self, index: int, following: int | None = None) -> Finished:
        """Run one test; `following`: the one that comes next in this process."""
        item = self.items[index]
        if is_plain(item):
            return self._called(index, item)
        after = None if following is None else self.items[following]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        self.notes.finish(index)
        return self.notes.finished[-1]

    def _called(self, index: int, item: pytest.Function) -> Finished:
        """A test that is nothing but a function, called: pytest's protocol would take longer than most of them do."""
        outcome, message, where = Outcome.PASSED, "", ""
        parameters = getattr(item, "callspec", None)
        try:
            item.obj(**(parameters.params if parameters else {}))
        except (pytest.skip.Exception, pytest.xfail.Exception):
            outcome = Outcome.SKIPPED
        except MemoryError:
            outcome = Outcome.OUT_OF_MEMORY
        except (Exception, SystemExit, pytest.fail.Exception) as error:  # noqa: BLE001 - as pytest, which lets the rest through
            outcome, message, where = Outcome.FAILED, *self.notes.about(error)
        self.notes.finished.append(Finished(index, outcome, message, where))
        return self.notes.finished[-1]


def is_plain(item: Item) -> TypeGuard[pytest.Function]:
    """Whether a test is a function without fixtures, of its own or for all, and without marks but its parameters."""
    if type(item) is not pytest.Function or item.cls is not None:
        return False
    parameters = getattr(item, "callspec", None)
    given = set(parameters.params) if parameters else set()
    return given >= set(item.fixturenames) and {mark.name for mark in item.iter_markers()} <= {"parametrize"}


# ------------------------------------------------------------------------- in a candidate's process


def _be_a_candidate(bench: _Bench, job: Try, channel: int) -> None:
    """Try one program, say what happened, and end."""
    gc.disable()  # a candidate's process does not live long enough for it to be worth its time
    try:
        _limit(bench.seconds)
        said = _tried(bench, job, channel)
    except MemoryError:
        said = Said(Ending.MEMORY, TOO_MUCH, [])
    except BaseException as error:  # noqa: BLE001 - an exit, an interrupt: whatever a program may raise
        said = Said(Ending.CRASHED, f"{type(error).__name__}: {error}", [])
    os.write(channel, framed(said))
    os._exit(0)


def _limit(seconds: int) -> None:
    most = limits.mapped() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # At the first limit the kernel sends SIGXCPU, which says what happened; at the second SIGKILL.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def _tried(bench: _Bench, job: Try, channel: int) -> Said:
    try:
        transplant(bench.module, job.source)
    except Unfit as unfit:
        return Said(Ending.UNFIT, str(unfit), [])
    except Exception as error:  # noqa: BLE001 - whatever the module raises while it is imported
        return Said(Ending.NOT_IMPORTED, f"{type(error).__name__}: {error}", [])
    for index, following in zip(job.tests, [*job.tests[1:], None], strict=True) if job.tests else ():
        ended = bench.run(index, following)
        if ended.outcome is Outcome.OUT_OF_MEMORY:
            return Said(Ending.MEMORY, TOO_MUCH, [])
        if ended.outcome in FAILURES:
            inside = ended.where.rpartition(":")[0] == bench.module.__file__
            os.write(channel, framed(Failure(index, inside, ended.message)))
    return Said(Ending.COMPLETED, "", bench.probes.values() if job.probe else [])


# ------------------------------------------------------------------------- in the workbench


@dataclass
class _Child:
    job: Try
    pid: int
    pipe: int
    deadline: float
    data: bytearray = field(default_factory=bytearray)


class _Children:
    """Forks candidates, some at a time, and says what became of each."""

    def __init__(self, channel: Channel[Try], bench: _Bench, most: int) -> None:
        self._channel = channel
        self._bench = bench
        self._most = most
        self._waiting: deque[Try] = deque()
        self._running: dict[int, _Child] = {}
        self._poll = select.poll()
        self._poll.register(channel.sock, select.POLLIN)

    def serve(self) -> None:
        """Until the other side closes."""
        while True:
            while self._waiting and len(self._running) < self._most:
                self._start(self._waiting.popleft())
            for descriptor, _event in self._poll.poll(self._patience()):
                if descriptor == self._channel.sock.fileno():
                    try:
                        self._waiting.append(self._channel.receive())
                    except EOFError:
                        return
                else:
                    self._hear(self._running[descriptor])
            for child in [each for each in self._running.values() if each.deadline < time.monotonic()]:
                os.kill(child.pid, signal.SIGKILL)
                self._end(child, timed_out=True)

    def _patience(self) -> float | None:
        if not self._running:
            return None
        soonest = min(child.deadline for child in self._running.values())
        return max(0.0, 1000 * (soonest - time.monotonic()))

    def _start(self, job: Try) -> None:
        ours, theirs = os.pipe()
        bench = os.getpid()
        pid = os.fork()
        if pid == 0:
            limits.die_with(bench)
            _be_a_candidate(self._bench, job, theirs)
        os.close(theirs)
        self._running[ours] = _Child(job, pid, ours, time.monotonic() + WALL * self._bench.seconds)
        self._poll.register(ours, select.POLLIN)

    def _hear(self, child: _Child) -> None:
        data = os.read(child.pipe, CHUNK)
        child.data += data
        if not data:
            self._end(child)

    def _end(self, child: _Child, *, timed_out: bool = False) -> None:
        self._poll.unregister(child.pipe)
        os.close(child.pipe)
        del self._running[child.pipe]
        _pid, status, used = os.wait4(child.pid, 0)
        self._channel.send(_concluded(child, status, used.ru_utime + used.ru_stime, timed_out=timed_out))


def _concluded(child: _Child, status: int, seconds: float, *, timed_out: bool) -> Tried:
    """What a candidate said, and how its process ended, as one record."""
    told = unframed(bytes(child.data))
    failures = [each for each in told if isinstance(each, Failure)]
    last = told[-1] if told and isinstance(told[-1], Said) else None
    if last is None:
        ending, detail = _cut_short(status, timed_out=timed_out)
        last = Said(ending, detail, [])
    return Tried(child.job.key, last.ending, last.detail, failures, last.probes, seconds)


def _cut_short(status: int, *, timed_out: bool) -> tuple[Ending, str]:
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if timed_out or number == signal.SIGXCPU:
        return Ending.TIMEOUT, "it had not ended at its time limit"
    if number:
        return Ending.CRASHED, f"its process was ended by {signal.Signals(number).name}"
    return Ending.CRASHED, f"its process ended itself with exit code {os.waitstatus_to_exitcode(status)}"
