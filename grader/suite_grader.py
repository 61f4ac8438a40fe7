"""Grades the suites of one lesson, one after the other, on one warm server; nothing of one reaches the next."""

from __future__ import annotations

import hashlib
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

from grader.course_part import course_part, own_part
from grader.grading import Grading, Options
from grader.programs import library_of
from grader.progress import Silent
from grader.repertoire import Repertoire
from grader.report_parts import Findings, Found, SuitePart, report_of
from grader.verdict import Status
from grader.workers.pool import Server, Suite, hypothesis_installed
from grader.workers.sandbox import Mode  # noqa: TC001 - msgspec reads the annotations of `Settings`
from grader.workers.wire import Rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from grader.course_part import Part, Program
    from grader.grading import SuiteGrade
    from grader.lesson import Lesson
    from grader.progress import Progress
    from grader.report import Report
    from grader.submission import Submission
    from grader.workers.pool import Host


@dataclass(frozen=True)
class Settings:
    """How suites are graded, whatever the suite. Plain data: it travels to other processes and machines.

    Attributes:
        timeout: seconds for one correct run.
        jobs: runs of one suite at a time.
        every_killer: name all tests that show a fault, not only the first.
        witnesses: show an input on which a fault that is alive differs from the reference.
        sandbox: which layers hold the runs: auto, require or off.
        policy: whether the static policy is applied.
    """

    timeout: float = 20.0
    jobs: int = 1
    every_killer: bool = False
    witnesses: bool = False
    sandbox: Mode = "auto"
    policy: bool = True


def nothing() -> None:
    """Nothing."""


class SuiteGrader:
    """One lesson, its programs and a warm server, for any number of submissions.

    Use as a context manager: at its end no process of it is left, nor any file.

    Args:
        lesson: the lesson.
        settings: how its suites are graded.
        server: a server of the caller's, with nothing loaded into it, which the caller closes; None: one of its own.
        meanwhile: called once, while the server is busy with the first suite and this process is not.

    Raises:
        SandboxUnavailableError: `require`, on a machine that lacks a layer.
    """

    def __init__(
        self,
        lesson: Lesson,
        settings: Settings | None = None,
        server: Server | None = None,
        meanwhile: Callable[[], None] = nothing,
    ) -> None:
        self.lesson = lesson
        self.graded = lesson.with_pools()
        self.settings = settings or Settings()
        self._meanwhile = meanwhile
        self._witnesses: dict[str, str] = {}
        self._many = server is None  # who brings a server brings one suite
        with ExitStack() as undo:
            self.server = server or undo.enter_context(Server(self.settings.sandbox))
            self.server.load(library_of(self.graded))
            self._end = undo.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the server, if it is this grader's own."""
        self._end.close()

    @cached_property
    def repertoire(self) -> Repertoire:
        """The programs of the lesson."""
        return Repertoire(self.graded, shared=self._many)

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers of the sandbox that hold the runs."""
        return tuple(self.server.sandbox.names)

    def grade(self, submission: Submission, seed: int, program: Program | None = None) -> Report:
        """Grade one submission.

        Args:
            submission: what was handed in.
            seed: drives settings, orders and all randomness of the suite.
            program: the learner's package, for the course tests and for a run of their suite; None: neither.

        Raises:
            HarnessError: the machine or the grader failed; this grader cannot be relied on any more.
        """
        begun = time.monotonic()
        course = self.course(program, seed) if program is not None else None
        with self.open(submission) as suite:
            own = suite.on_learners_module(program, seed) if program is not None else None
            found = Found(course=course, own=own, suite=suite.grade(seed))
        return self.report(found, seed, time.monotonic() - begun)

    def course(self, program: Program, seed: int, chosen: str = "") -> Part:
        """The course tests on a learner's package; `chosen` is pytest's `-k` expression.

        Raises:
            NoSuchTestError: `chosen` fits no test.
        """
        learners = learners_seed(seed)
        timeout = self.settings.timeout
        return course_part(self.server, self.lesson, program, seed=learners, timeout=timeout, chosen=chosen)

    @contextmanager
    def open(self, submission: Submission) -> Iterator[OpenSuite]:
        """A submission, ready to be run; at the end its processes and files are gone."""
        if submission.findings:
            yield OpenSuite(self, submission, None, Findings(submission.findings, ()))
            return
        rules = Rules(list(self.lesson.imports), hypothesis_installed()) if self.settings.policy else None
        suite = Suite(submission.root_name, submission.files, rules)
        with self.server.open(suite, self.settings.jobs) as host:
            self._use_the_time()
            prepared = host.prepared
            findings = Findings(tuple(prepared.findings), tuple(prepared.test_files))
            yield OpenSuite(self, submission, host, findings)

    def _use_the_time(self) -> None:
        """Before its first suite the server is still importing numpy and pytest."""
        if "repertoire" not in self.__dict__:
            self.repertoire.draw_ahead()
            self._meanwhile()

    def witnesses(self, grade: SuiteGrade) -> dict[str, str]:
        """Fault's id → its witness as text, for the faults that are alive; each is run once for all submissions."""
        alive = [
            each.fault
            for each in grade.faults
            if each.verdict.status is not Status.KILLED and not each.fault.pool
        ]
        new = [fault for fault in alive if fault.id not in self._witnesses]
        if new:
            from grader.witness import witnesses  # noqa: PLC0415 - only where they are shown

            self._witnesses |= witnesses(self.server, self.lesson, self.repertoire, new)
        return {fault.id: self._witnesses[fault.id] for fault in alive}

    def report(self, found: Found, seed: int, seconds: float) -> Report:
        """The full report of what was found: `grader.feedback.restrict` takes out what its readers may not see."""
        return report_of(self.lesson, found, self.layers, seconds, seed=seed)


class OpenSuite:
    """One submission, prepared once for both of its uses.

    Args:
        grader: whose submission it is.
        submission: what was handed in.
        host: None where nothing may be run.
        findings: what was found in it before anything of it ran.
    """

    def __init__(
        self, grader: SuiteGrader, submission: Submission, host: Host | None, findings: Findings
    ) -> None:
        self._grader = grader
        self._submission = submission
        self._host = host
        self._findings = findings

    def on_learners_module(self, program: Program, seed: int) -> Part | None:
        """The suite on the learner's own package; None where there is nothing to run, or nothing to run it on."""
        if self._host is None or self._findings.stop or program.problem:
            return None
        lesson, timeout = self._grader.lesson, self._grader.settings.timeout
        return own_part(self._host, program, lesson, seed=learners_seed(seed), timeout=timeout)

    def grade(self, seed: int, progress: Progress | None = None) -> SuitePart:
        """The suite on the correct programs, the canary and the faults."""
        if self._host is None or self._findings.stop:
            return SuitePart(self._submission, self._findings)
        settings = self._grader.settings
        options = Options(seed, settings.timeout, settings.jobs, settings.every_killer)
        follow = (progress or Silent()).runs
        grade = Grading(self._grader.graded, self._host, self._grader.repertoire, options, follow).grade()
        shown = self._grader.witnesses(grade) if settings.witnesses else {}
        return SuitePart(self._submission, self._findings, grade, shown)


def learners_seed(seed: int) -> str:
    """All randomness on the learner's module follows from it: a hex digest."""
    return hashlib.sha256(f"{seed}/learner".encode()).hexdigest()
