"""The workbench: a process in which the course tests have run on the reference already, forked to try candidates.

What makes it several times as fast as runs of a grading: the course, its tests and what is tried on it are the author's
own, so nothing is rewritten, hidden or sandboxed; what tests import, load and keep is there before the fork (see
`transplant`); some candidates share a fork (see `attempt`); and a candidate meets only the tests that execute a line which
it changes. What stays: time and memory have limits, which the kernel and this process enforce; what one candidate does
cannot change what is found of another; and a test kills only by failing.
"""

from __future__ import annotations

import gc
import importlib
import os
import socket
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeGuard

import pytest
from _pytest import runner

from grader.author.candidates.attempt import FAILURES
from grader.author.candidates.children import Children
from grader.author.candidates.probes import Probes
from grader.author.candidates.records import (
    Channel,
    Ready,
    Setup,
    Try,
)
from grader.workers import hypothesis_settings, library, limits, randomness, session, suite
from grader.workers.recorder import Recorder
from grader.workers.wire import Finished, Outcome, Prepare, Record

if TYPE_CHECKING:
    from types import FrameType, ModuleType, TracebackType

    from _pytest.nodes import Item
    from _typeshed import TraceFunction

SEED = "0a"
LEAST_SECONDS = 2  # of CPU, for each candidate
SLOWDOWN = 5  # so many times what the reference took


def main(descriptor: int) -> None:
    """Serve on the socket with this descriptor, until the other side closes it."""
    # What numpy warns of when a candidate divides by zero is no news.
    warnings.simplefilter("ignore")
    limits.die_with(os.getppid())
    sock = socket.socket(fileno=descriptor)
    setup = Channel(sock, Setup).receive()
    bench = Bench(setup)
    channel = Channel(sock, Try)
    channel.send(bench.make_ready())
    gc.freeze()
    Children(channel, bench, setup.jobs).serve()


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


class Bench:
    """The course tests on the live reference."""

    items: list[Item]
    module: ModuleType
    probes: Probes
    reference: str
    seconds: int

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        importer = library.install()
        importer.add(setup.library.modules)
        importer.import_all(setup.library.late)
        importer.add(setup.program)
        randomness.install().begin(SEED)
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
        self.reference = next(each.source for each in self.setup.program if each.name == self.setup.module)
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
