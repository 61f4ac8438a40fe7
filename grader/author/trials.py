"""Runs a suite of the course's own on any program: for each test how it ended, also after one that does not end.

What verifies a lesson, fills a matrix or tries candidates needs no verdict, but every test's outcome on a program that
may hang, crash or not even load. Programs run as they are written, in the same sandboxed runs as a grading's.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.author.outcomes import Outcome, Said, Tried, function_name
from grader.course_part import course_suite
from grader.errors import HarnessError, LessonError
from grader.plan import Setting
from grader.programs import Kind, Program, library_of, replaced_modules
from grader.run import CUT_SHORT
from grader.workers import wire
from grader.workers.conversation import Job
from grader.workers.pool import Server, Suite
from grader.workers.wire import Module, Order

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from grader.lesson import Lesson
    from grader.run import RunResult
    from grader.workers.sandbox import Mode

__all__ = ["CourseTrials", "Outcome", "Trials", "Tried", "course_trials", "function_name"]

TIMEOUT = 20.0  # seconds for a correct program
SLOWDOWN = 5  # any other may take so many times as long as the reference did
FLOOR = 2.0  # seconds that every program gets

# All randomness follows from the last part. No two settings share an order or a seed.
SETTING = Setting(Order.COLLECTION, 0, "0a")
OTHER_SETTING = Setting(Order.REVERSED, 0, "1b")


class Trials:
    """One suite on any number of programs, several at a time.

    The reference runs first, by itself: it says which tests there are, and how long a program may take.

    Args:
        lesson: whose programs.
        server: warm, with the library of `lesson`.
        suite: the tests; they are trusted, and no policy is applied.
        jobs: programs that run at a time.
        timeout: seconds for the reference.

    Raises:
        HarnessError: the suite does not compile.
    """

    def __init__(
        self, lesson: Lesson, server: Server, suite: Suite, *, jobs: int = 1, timeout: float = TIMEOUT
    ) -> None:
        self.lesson = lesson
        self._jobs = jobs
        self._host = server.open(suite, jobs)
        if self._host.prepared.findings:
            found = self._host.prepared.findings[0]
            raise HarnessError(f"{suite.root_name}/{found.file}: line {found.line}: {found.message}")
        self._timeout = timeout
        self._replaced = replaced_modules(lesson)
        self._reference: Tried | None = None
        self._lock = threading.Lock()

    @property
    def reference(self) -> Tried:
        """The suite on the reference."""
        with self._lock:
            if self._reference is None:
                program = self.program("reference", {}, Kind.REFERENCE)
                order = _Order(program, SETTING, self._timeout)
                first = self._once(order)
                self._reference = self._tried(order, first, first.tests, complete=True)
            return self._reference

    @property
    def tests(self) -> tuple[str, ...]:
        """Node ids of the suite's tests, in collection order, as they are on the reference."""
        return tuple(self.reference.outcomes)

    @property
    def deadline(self) -> float:
        """Seconds for a program that may be wrong."""
        return min(self._timeout, max(FLOOR, SLOWDOWN * self.reference.seconds))

    def program(self, name: str, sources: Mapping[str, str], kind: Kind = Kind.FAULT) -> Program:
        """The reference with other text in some of its files.

        Args:
            name: what to call it.
            sources: by a file's name relative to the course's `reference` folder, its text.
            kind: only correct programs get all of the time-out.
        """
        modules = self.lesson.reference_modules.items()
        names = self._replaced | {name for name, module in modules if module.file in sources}
        return Program(
            kind,
            name,
            tuple(
                Module(name, sources.get(module.file, module.source), module.is_package)
                for name, module in modules
                if name in names
            ),
        )

    def run(
        self,
        program: Program,
        setting: Setting = SETTING,
        *,
        only: Sequence[str] | None = None,
        complete: bool = True,
    ) -> Tried:
        """The tests on one program; callable from several threads.

        A test that does not end, or ends the process, gets a run of its own with nothing beside it, which says what it
        is; the tests after it go on in another run.

        Args:
            program: see `program`.
            setting: order and seed.
            only: the node ids to run; the others are `NOT_RUN`.
            complete: go on after a test that cut a run short; else the tests after it are `NOT_RUN`, which saves much
                time where every test hangs.

        Raises:
            HarnessError: the processes are gone.
        """
        deadline = max(self.deadline, self._timeout if program.kind.correct else 0)
        order = _Order(program, setting, deadline, only)
        return self._tried(order, self._once(order, only), self.tests, complete=complete)

    def run_all(
        self,
        programs: Sequence[Program],
        on_done: Callable[[Tried], None] = lambda _tried: None,
    ) -> list[Tried]:
        """The tests on every program, `jobs` at a time, in the order of `programs`; `on_done` hears of each."""
        self.deadline  # noqa: B018 - the reference runs by itself, before anything competes with it

        def tried(program: Program) -> Tried:
            result = self.run(program)
            on_done(result)
            return result

        with ThreadPoolExecutor(self._jobs, thread_name_prefix="trial") as pool:
            try:
                return list(pool.map(tried, programs))
            except BaseException:
                self.close()
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def close(self) -> None:
        """End every run and the suite's host; the server goes on."""
        self._host.close()

    # one program

    def _tried(self, order: _Order, first: RunResult, tests: Sequence[str], *, complete: bool) -> Tried:
        said = Said(dict.fromkeys(tests, Outcome.NOT_RUN))
        for result, believed in self._runs(order, first, complete=complete):
            said.take(result, believed=believed)
        return Tried(order.program, said.outcomes, said.messages, first.ending, first.detail, first.seconds)

    def _runs(self, order: _Order, first: RunResult, *, complete: bool) -> Iterator[tuple[RunResult, bool]]:
        """The first run, and those that it takes to hear of every test after one that cuts a run short.

        With each: whether it is believed how it ended, as it is when nothing else ran beside it.
        """
        if first.ending in CUT_SHORT and not first.tests:
            first = self._once(order, order.only, alone=True)
        result, left = first, list(order.only or first.tests)
        while True:
            yield result, not result.tests
            left = [test for test in left if test not in result.results]
            if result.ending not in CUT_SHORT or result.current not in left:
                return
            left.remove(result.current)
            repeat = self._once(order, [result.current], alone=True)
            yield repeat, True
            # Where the test ends when nothing else runs, it was the machine that was slow.
            if not left or (repeat.ending in CUT_SHORT and not complete):
                return
            result = self._once(order, left)

    def _once(self, order: _Order, only: Sequence[str] | None = None, *, alone: bool = False) -> RunResult:
        setting = order.setting
        whole = not {module.name for module in order.program.modules} <= self._replaced
        modules = self._whole(order.program) if whole else order.program.modules
        chosen = list(only) if only is not None else None
        run = wire.Run(list(modules), setting.order, setting.order_seed, setting.seed, chosen, whole)
        return self._host.run(Job(run, order.deadline, alone))

    def _whole(self, program: Program) -> Iterable[Module]:
        """All of the package: for a program that changes a module which the server has imported already."""
        own = {module.name: module for module in program.modules}
        return (
            own.get(name) or Module(name, other.source, other.is_package)
            for name, other in self.lesson.reference_modules.items()
        )


class CourseTrials(Trials):
    """The course tests of a lesson on any number of programs. See `Trials`; use `course_trials` to have a server made.

    Example::

        with course_trials(lesson, jobs=2) as trials:
            variant = trials.program("mine", {lesson.module_file: source})
            trials.run(variant).killers            # node ids that fail on it
            trials.run_all(programs_of(lesson).faults)   # fault by fault, in parallel
    """

    def __init__(self, lesson: Lesson, server: Server, *, jobs: int = 1, timeout: float = TIMEOUT) -> None:
        super().__init__(lesson, server, course_suite(lesson), jobs=jobs, timeout=timeout)

    def check_reference(self) -> None:
        """Make sure that the course tests say something by failing.

        Raises:
            LessonError: one of them fails on the reference.
            HarnessError: they cannot be run.
        """
        if self.reference.killers:
            where = f"reference/tests/{self.lesson.id}"
            raise LessonError(where, function_name(self.reference.killers[0]), "fails on the reference")


@contextmanager
def course_trials(
    lesson: Lesson, *, jobs: int = 1, sandbox: Mode = "auto", timeout: float = TIMEOUT
) -> Iterator[CourseTrials]:
    """`CourseTrials` on a server of their own, which ends with them."""
    with Server(sandbox) as server:
        server.load(library_of(lesson))
        yield CourseTrials(lesson, server, jobs=jobs, timeout=timeout)


@dataclass(frozen=True)
class _Order:
    """What the runs of one program have in common."""

    program: Program
    setting: Setting
    deadline: float
    only: Sequence[str] | None = None
