"""What the checks go by: every program of a lesson, seen by the course tests and by all witnesses."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.author.trials import OTHER_SETTING, SETTING, CourseTrials
from grader.author.verify.bits import check_bits
from grader.author.verify.names import public_names
from grader.author.verify.probes import SECONDS, Probing
from grader.programs import Kind, programs_of
from grader.progress import Silent

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from grader.author.outcomes import Outcome, Tried
    from grader.author.verify.finding import Finding
    from grader.author.verify.probes import Answers
    from grader.lesson import Lesson
    from grader.programs import Program
    from grader.progress import Progress
    from grader.workers.pool import Server


@dataclass(frozen=True)
class Seen:
    """One program.

    Attributes:
        first: the course tests on it, in the order in which pytest finds them.
        second: the same in the opposite order, with other seeds; for a fault that nobody asked about, `first` again.
        answers: what it gives for each witness.
        names: how the test ended that its public names are there.
    """

    first: Tried
    second: Tried
    answers: Answers
    names: Outcome


@dataclass(frozen=True)
class Others:
    """The programs that no fault is among.

    Attributes:
        variants: by name.
        canary: the course tests on a program in which everything raises.
        bits: whether each variant rounds in its own way.
    """

    variants: Mapping[str, Seen]
    canary: Tried
    bits: tuple[Finding, ...]


@dataclass(frozen=True)
class Evidence:
    """The programs of a lesson.

    Attributes:
        reference: the course's own.
        faults: by id, all of them: those that nobody asked about are what the others have to differ from.
        others: None where only faults were asked about.
    """

    reference: Seen
    faults: Mapping[str, Seen]
    others: Others | None


@dataclass(frozen=True)
class Bounds:
    """What verifying may take: programs at a time, and seconds for all witnesses on one program."""

    jobs: int = 1
    witness_seconds: float = SECONDS


BOUNDS = Bounds()


def gather(
    lesson: Lesson,
    server: Server,
    *,
    only: Collection[str] | None = None,
    bounds: Bounds = BOUNDS,
    progress: Progress | None = None,
) -> Evidence:
    """Run the course tests and the witnesses on the programs of a lesson.

    Args:
        lesson: whose.
        server: warm, with its library.
        only: the faults that are asked about; None: everything.
        bounds: how many runs at a time, and how long they may take.
        progress: hears of each program.

    Raises:
        HarnessError: the processes are gone.
    """
    gathering = _Gathering(lesson, server, only, bounds, progress or Silent())
    try:
        return gathering.evidence()
    finally:
        gathering.close()


class _Gathering:
    def __init__(
        self,
        lesson: Lesson,
        server: Server,
        only: Collection[str] | None,
        bounds: Bounds,
        progress: Progress,
    ) -> None:
        self._lesson = lesson
        self._only = only
        self._programs = programs_of(lesson)
        self._progress = progress
        self._jobs = bounds.jobs
        self._lock = threading.Lock()
        self._done = 0
        self._course = CourseTrials(lesson, server, jobs=bounds.jobs)
        self._course.deadline  # noqa: B018 - the reference runs by itself, before anything competes with it
        source = lesson.reference_modules[lesson.module].source
        names = [name for name in public_names(source) if "." not in name]
        self._probing = Probing(lesson, server, names, jobs=bounds.jobs, seconds=bounds.witness_seconds)

    def evidence(self) -> Evidence:
        programs = self._programs
        variants = programs.variants if self._only is None else ()
        asked = (programs.reference, *variants, *programs.faults)
        with ThreadPoolExecutor(self._jobs, thread_name_prefix="verify") as pool:
            try:
                canary = pool.submit(self._on_canary) if self._only is None else None
                bits = pool.submit(check_bits, self._lesson, self._course) if self._only is None else None
                seen = dict(
                    zip(asked, pool.map(lambda each: self._seen(each, len(asked)), asked), strict=True)
                )
                faults = {program.name: seen[program] for program in programs.faults}
                others = None
                if canary is not None and bits is not None:
                    by_name = {program.name: seen[program] for program in variants}
                    others = Others(by_name, canary.result(), tuple(bits.result()))
                return Evidence(seen[programs.reference], faults, others)
            except BaseException:
                self.close()
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def close(self) -> None:
        """End what runs."""
        self._course.close()
        self._probing.close()

    def _on_canary(self) -> Tried:
        return self._course.run(self._programs.canary, complete=False)

    def _seen(self, program: Program, needed: int) -> Seen:
        course = self._course
        first = course.reference if program.kind is Kind.REFERENCE else course.run(program, SETTING)
        is_fault = program.kind is Kind.FAULT
        answers, names = self._probing.answers(program, program.name if is_fault else "")
        asked = self._only is None or not is_fault or program.name in self._only
        second = course.run(program, OTHER_SETTING) if asked else first
        with self._lock:
            self._done += 1
            self._progress.runs(self._done, needed)
        return Seen(first, second, answers, names)
