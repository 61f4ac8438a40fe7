"""The searching side of the process that tries inputs: starts it, asks it, and does not wait for what never answers."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import tempfile
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from grader import interrupts, values
from grader.author.witness.inputs import templates_of
from grader.author.witness.journal import UNKNOWN
from grader.author.witness.records import (
    DTYPES,
    Ask,
    Done,
    Judged,
    Kind,
    NewBench,
    Ready,
    Setup,
    Tried,
    Trying,
    decoder,
)
from grader.errors import HarnessError
from grader.workers import launch
from grader.workers.wire import Link, Module

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Mapping

    from grader.author.witness.records import Hunt
    from grader.author.witness.templates import Template
    from grader.lesson import Lesson

# Wall-clock seconds for one input. A bench gives an input up long before, by its own CPU time, unless it cannot.
DEADLINE = 20.0
T = TypeVar("T")
SEE_DEBUG = "Run the command again with --debug, and report what it prints."


class Laboratory:
    """The warm process in which inputs are tried on the programs of one lesson.

    Use as a context manager: at its end no process of it is left.

    Args:
        lesson: of its faults, only the witnesses are looked at.
    """

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        with interrupts.held():
            self._temp = tempfile.TemporaryDirectory(prefix="ol-inputs-")
            ours, theirs = socket.socketpair()
            with theirs:
                self._process = _start(theirs.fileno(), self._temp.name)
            self._link = Link(ours, decoder)
        self._send(_setup(lesson))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @cached_property
    def templates(self) -> list[Template]:
        """What inputs are drawn from: all that the lesson gives, see `templates_of`.

        Raises:
            LessonError: the lesson's file of inputs is wrong.
        """
        return templates_of(self.lesson)

    def bench(self, sources: Mapping[str, str]) -> Bench:
        """A bench for the program that has these texts in some of its files (relative to `reference`).

        Raises:
            HarnessError: the process is gone.
        """
        changed = [
            Module(name, sources[module.file], module.is_package)
            for name, module in self.lesson.reference_modules.items()
            if module.file in sources
        ]
        return Bench(self, changed)

    def fork(self, faulty: list[Module]) -> tuple[Link, int]:
        """A fresh process for a bench, and its id.

        Raises:
            HarnessError: the process is gone.
        """
        ours, theirs = socket.socketpair()
        link = Link(ours, decoder)
        try:
            with theirs:
                self._send(NewBench(faulty), theirs.fileno())
            return link, link.receive(Ready)[0].pid
        except (EOFError, OSError) as error:
            link.close()
            raise HarnessError("the process that tries inputs is gone", SEE_DEBUG) from error
        except BaseException:
            link.close()
            raise

    def _send(self, record: Setup | NewBench, *descriptors: int) -> None:
        try:
            self._link.send(record, *descriptors)
        except OSError as error:
            raise HarnessError("the process that tries inputs is gone", SEE_DEBUG) from error

    def close(self) -> None:
        """End the process and every bench."""
        with interrupts.held():
            self._link.close()
            self._process.kill()  # and benches die with it
            self._process.wait()
            self._temp.cleanup()


class _Broken(Exception):  # noqa: N818 - an event: what an input did to the bench
    """A bench does not answer any more."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class Bench:
    """Tries one input after the other on one faulty program, each on modules that have just been loaded.

    Attributes:
        pid: of its process; another one after an input that broke it.
    """

    def __init__(self, laboratory: Laboratory, faulty: list[Module]) -> None:
        self._laboratory = laboratory
        self._faulty = faulty
        self._begin()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def another(self) -> Bench:
        """A bench for the same program that has tried nothing yet."""
        return Bench(self._laboratory, self._faulty)

    def judge(self, call: str) -> Judged:
        """What an input shows; one that does not end, or ends the process, differs.

        Raises:
            HarnessError: the laboratory is gone.
        """
        try:
            self._say(Ask(call))
            return self._heard(Judged)
        except _Broken as broken:
            return self._blamed(call, broken.what)

    def hunt(self, hunt: Hunt, on_tried: Callable[[Tried], None]) -> Tried | None:
        """Search; the input that broke it off before its end, or None.

        Raises:
            HarnessError: the laboratory is gone.
        """
        trying: Trying | None = None
        try:
            self._say(hunt)
            while not isinstance(record := self._heard(Trying, Tried, Done), Done):
                trying = record if isinstance(record, Trying) else None
                if isinstance(record, Tried):
                    on_tried(record)
        except _Broken as broken:
            if trying is None:
                raise HarnessError("the process that tries inputs has failed", SEE_DEBUG) from broken
            return Tried(trying.call, trying.picked, self._blamed(trying.call, broken.what))
        return None

    def _say(self, record: Ask | Hunt) -> None:
        try:
            self._link.send(record)
        except OSError as error:
            raise _Broken(values.ENDS_THE_PROCESS) from error

    def _heard(self, *kinds: type[T]) -> T:
        """The next record from the bench."""
        try:
            if not select.select([self._link.sock], [], [], DEADLINE)[0]:
                raise _Broken(values.DOES_NOT_END)
            record, _none = self._link.receive_any()
        except (EOFError, OSError) as error:
            raise _Broken(values.ENDS_THE_PROCESS) from error
        if not isinstance(record, kinds):
            raise HarnessError(f"the process that tries inputs said {type(record).__name__}", SEE_DEBUG)
        return record

    def _blamed(self, call: str, what: str) -> Judged:
        """What an input showed that broke the bench: nothing, if it breaks the reference's as well."""
        self.close()
        self._begin()
        if not self._faulty:
            return UNKNOWN
        with self._laboratory.bench({}) as reference:
            right = reference.judge(call)
        return Judged(Kind.ENDLESS, DTYPES, right=right.right, wrong=what) if right.known else UNKNOWN

    def _begin(self) -> None:
        self._link, self.pid = self._laboratory.fork(self._faulty)
        # Taken while it waits for its first input: a number could be another process's by the time of its end.
        self._handle: int | None = os.pidfd_open(self.pid)

    def close(self) -> None:
        """End the bench, and wait until it is gone."""
        self._link.close()
        if self._handle is None:
            return
        handle, self._handle = self._handle, None
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        select.select([handle], [], [], DEADLINE)
        os.close(handle)


def _start(descriptor: int, temp: str) -> subprocess.Popen[bytes]:
    arguments = [str(Path(__file__).with_name("process.py")), str(descriptor)]
    return launch.start(arguments, descriptor, temp, HYPOTHESIS_STORAGE_DIRECTORY=temp)


def _setup(lesson: Lesson) -> Setup:
    modules = lesson.reference_modules
    package = [Module(name, module.source, module.is_package) for name, module in modules.items()]
    own = modules[lesson.module]
    correct = [[Module(lesson.module, variant.source, own.is_package)] for variant in lesson.variants]
    return Setup(package, lesson.module, dict(lesson.witness_names), correct)
