"""Tries many programs against a lesson's course tests, through a workbench of its own.

A run of a grading costs several times what the course tests themselves do, which is right for a suite of a stranger and
would be a waste here: see `bench` for what is left out. `grader.author.trials` makes runs as a grading does; what matters
(a candidate that no test kills, the tests of one that is adopted) is asked there once more.
"""

from __future__ import annotations

import shutil
import socket
import tempfile
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

from grader import interrupts
from grader.author.candidates.records import Channel, Ready, Setup, Tried, Try
from grader.course_part import course_suite
from grader.errors import HarnessError, LessonError
from grader.programs import library_of, replaced_modules
from grader.workers import launch
from grader.workers.wire import Module

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from grader.lesson import Lesson

# Candidates that the workbench has been given and has not answered for, for each that it runs at a time.
AHEAD = 30
COMMAND = "import sys; sys.path[:] = [p for p in sys.path if p] + sys.argv[2:]; from grader.author.candidates import bench; bench.main(int(sys.argv[1]))"


@dataclass(frozen=True)
class Attempt:
    """A program to try.

    Attributes:
        source: the module's text.
        tests: indices of the tests that can tell it from the reference.
        probe: whether the values of the lesson's witnesses are wanted.
    """

    source: str
    tests: Sequence[int]
    probe: bool = False


class Workbench:
    """The course tests of a lesson in a warm process. Use as a context manager: at its end nothing of it is left.

    Args:
        lesson: whose tests, reference and witnesses.
        jobs: programs that run at a time.
    """

    def __init__(self, lesson: Lesson, jobs: int) -> None:
        self._lesson = lesson
        self._jobs = jobs

    def __enter__(self) -> Self:
        with interrupts.held():
            self._home = tempfile.mkdtemp(prefix="ol-bench-")
            self._sock, theirs = socket.socketpair()
            with theirs:
                arguments = ["-c", COMMAND, str(theirs.fileno())]
                self._process = launch.start(arguments, theirs.fileno(), self._home)
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @cached_property
    def ready(self) -> Ready:
        """How the course tests went on the reference; waits for it, once, while the caller could do something else before.

        Raises:
            LessonError: they do not load or do not pass.
            HarnessError: the process is gone.
        """
        try:
            Channel(self._sock, Tried).send(_setup(self._lesson, self._home, self._jobs))
            ready = Channel(self._sock, Ready).receive()
        except (EOFError, OSError) as error:
            raise HarnessError("the process that tries candidates is gone") from error
        if ready.problem:
            raise LessonError(f"reference/tests/{self._lesson.id}", "tests", ready.problem)
        return ready

    def run(
        self, attempts: Sequence[Attempt], on_done: Callable[[int, int], None] = lambda _done, _all: None
    ) -> list[Tried]:
        """Try each program; the results in the order of `attempts`. `on_done` hears how many are done.

        Raises:
            HarnessError: the process is gone.
        """
        channel = Channel(self._sock, Tried)
        waiting = [Try(key, each.source, list(each.tests), each.probe) for key, each in enumerate(attempts)][
            ::-1
        ]
        found: dict[int, Tried] = {}
        try:
            while len(found) < len(attempts):
                while waiting and len(attempts) - len(waiting) - len(found) < AHEAD * self._jobs:
                    channel.send(waiting.pop())
                tried = channel.receive()
                found[tried.key] = tried
                on_done(len(found), len(attempts))
        except (EOFError, OSError) as error:
            raise HarnessError("the process that tries candidates is gone") from error
        return [found[key] for key in range(len(attempts))]

    def close(self) -> None:
        """End the process, and with it every candidate's, and remove its files."""
        with interrupts.held():
            self._sock.close()
            self._process.kill()  # and its children die with it
            self._process.wait()
            shutil.rmtree(self._home, ignore_errors=True)


def _setup(lesson: Lesson, home: str, jobs: int) -> Setup:
    return Setup(
        library=library_of(lesson),
        program=_program(lesson),
        module=lesson.module,
        root=str(lesson.course_tests),
        files=list(course_suite(lesson).files),
        home=home,
        probes=[fault.witness.call for fault in lesson.faults],
        names=lesson.witness_names,
        jobs=jobs,
    )


def _program(lesson: Lesson) -> list[Module]:
    modules = {name: lesson.reference_modules[name] for name in sorted(replaced_modules(lesson))}
    return [Module(name, module.source, module.is_package) for name, module in modules.items()]
