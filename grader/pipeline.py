"""The stages of a check, in order."""

from __future__ import annotations

import hashlib
import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.course_part import Part, course_part, learners_program, own_part
from grader.errors import UnreadableError
from grader.grading import Grading, Options
from grader.lesson import load_lesson
from grader.programs import library_of
from grader.progress import Progress, Silent
from grader.repertoire import Repertoire
from grader.report_parts import Findings, Found, SuitePart, report_of
from grader.submission import Submission, read_submission
from grader.verdict import Status
from grader.workers.pool import Server, Suite, hypothesis_installed
from grader.workers.wire import Rules
from grader.workspace import find_workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from grader.course_part import Program
    from grader.lesson import Fault, Lesson
    from grader.report import Report
    from grader.workers.sandbox import Mode
    from grader.workspace import Workspace

COURSE, MUTATION = "course", "mutation"


def _nothing() -> None:
    """Nothing."""


@dataclass(frozen=True)
class Request:
    """What is asked for.

    Attributes:
        course: the course's folder.
        lesson: the lesson's id.
        options: how to grade.
        tests: the suite, a folder or one file; None: the workspace's.
        workspace: the learner's folder; None: found upward from here, if it is needed.
        only: `course` or `mutation`; None: everything.
        ref_deps: earlier lessons come from the reference.
        feedback: how much of the faults the report tells: score, names, hints or full.
        chosen: pytest's `-k` expression for the course tests.
        sandbox: which layers hold the runs: auto, require or off.
        policy: whether the static policy is applied. The command line always does; tests of what stands behind it do not.
        meanwhile: called once, while the server is busy and this process is not.
        progress: follows the check.
    """

    course: Path
    lesson: str
    options: Options
    tests: Path | None = None
    workspace: Path | None = None
    only: str | None = None
    ref_deps: bool = False
    feedback: str = "hints"
    chosen: str = ""
    sandbox: Mode = "auto"
    policy: bool = True
    meanwhile: Callable[[], None] = _nothing
    progress: Progress = field(default_factory=Silent)


@dataclass(frozen=True)
class Checked:
    """What came of a check.

    Attributes:
        workspace: None where none was needed.
        module_sha256: of the learner's module, as it was when the check began.
    """

    report: Report
    lesson: Lesson
    workspace: Workspace | None = None
    module_sha256: str = ""


def check(request: Request, server: Server | None = None) -> Checked:
    """Check the learner's module and grade their suite, as far as is asked for.

    1. Start the warm server: it imports numpy and pytest while the next stages read files.
    2. Load the lesson, strictly; find the workspace.
    3. Read the submission, once, and let a process of its own parse, check and compile it.
    4. Run the course tests, then the suite, on the learner's module.
    5. Run the suite on the correct programs, the canary and the faults.
    6. Put what was found into the report.

    Raises:
        GraderError: what was asked for is not there, or the lesson or the machine does not allow a check.
    """
    # A caller who started a server, and loaded nothing into it, saves the time that this module takes to import.
    begun = time.monotonic()
    with nullcontext(server) if server is not None else Server(request.sandbox) as warm:
        lesson = load_lesson(request.course, request.lesson)
        warm.load(library_of(lesson))
        stages = _Check(request, warm, lesson)
        module = stages.workspace.module_sha256(lesson) if stages.workspace else ""
        found = stages.run()
        layers = tuple(warm.sandbox.names)
    report = report_of(request, lesson, found, layers, time.monotonic() - begun)
    return Checked(report, lesson, stages.workspace, module)


@dataclass
class _Check:
    request: Request
    server: Server
    lesson: Lesson

    def __post_init__(self) -> None:
        request = self.request
        alone = request.only == MUTATION and request.tests is not None
        self.workspace = None if alone else find_workspace(request.workspace, self.lesson.package)

    def run(self) -> Found:
        """Every part that is asked for."""
        program = self._learners_program()
        course = self._course(program) if program is not None else None
        if self.request.only == COURSE:
            return Found(course=course)
        self.request.progress.stage("reading your tests")
        submission = self._submission()
        suite = _Suite(self, submission)
        own = suite.on_learners_module(program) if program is not None else None
        return Found(course=course, own=own, suite=suite.grade())

    def _learners_program(self) -> Program | None:
        if self.workspace is None or self.request.only == MUTATION:
            return None
        return learners_program(self.workspace, self.lesson, ref_deps=self.request.ref_deps)

    def _course(self, program: Program) -> Part:
        self.request.progress.stage("course tests")
        return course_part(
            self.server,
            self.lesson,
            program,
            seed=self.seed,
            timeout=self.request.options.timeout,
            chosen=self.request.chosen,
        )

    @property
    def seed(self) -> str:
        """All randomness on the learner's module follows from it."""
        return hashlib.sha256(f"{self.request.options.seed}/learner".encode()).hexdigest()

    def _submission(self) -> Submission:
        path = self.request.tests
        if path is None:
            assert self.workspace is not None  # noqa: S101 - `__post_init__` found one
            path = self.workspace.tests(self.lesson)
            if not path.exists():
                # No tests yet: graded as a suite without any, which says what was searched for.
                return Submission(path.name, (), (), (), hashlib.sha256().hexdigest())
        try:
            return read_submission(path)
        except OSError as error:
            raise UnreadableError(error.filename or path, error.strerror or str(error)) from error


class _Suite:
    """The learner's suite, prepared once for both of its uses."""

    def __init__(self, stages: _Check, submission: Submission) -> None:
        self._lesson = stages.lesson
        self._server = stages.server
        self._request = stages.request
        self._seed = stages.seed
        self._submission = submission
        self._host = None
        self._findings = Findings(submission.findings, ())
        if not submission.findings:
            imports = list(self._lesson.imports)
            rules = Rules(imports, hypothesis_installed()) if self._request.policy else None
            suite = Suite(submission.root_name, submission.files, rules)
            self._host = self._server.open(suite, self._request.options.jobs)
            # The server is still importing numpy and pytest.
            self._repertoire = Repertoire(stages.lesson)
            self._repertoire.draw_ahead()
            self._request.meanwhile()
            prepared = self._host.prepared
            self._findings = Findings(tuple(prepared.findings), tuple(prepared.test_files))

    def on_learners_module(self, program: Program) -> Part | None:
        """None where there is nothing to run, or nothing to run it on."""
        if self._host is None or self._findings.stop or program.problem:
            return None
        self._request.progress.stage("your tests on your module")
        timeout = self._request.options.timeout
        return own_part(self._host, program, self._lesson, seed=self._seed, timeout=timeout)

    def grade(self) -> SuitePart:
        if self._host is None or self._findings.stop:
            return SuitePart(self._submission, self._findings)
        self._request.progress.stage("your tests on correct programs and faults")
        grading = Grading(
            self._lesson, self._host, self._repertoire, self._request.options, self._request.progress.runs
        )
        grade = grading.grade()
        alive = [each.fault for each in grade.faults if each.verdict.status is not Status.KILLED]
        shown = self._witnesses(alive) if self._request.feedback == "full" and alive else {}
        return SuitePart(self._submission, self._findings, grade, shown)

    def _witnesses(self, alive: list[Fault]) -> dict[str, str]:
        from grader.witness import witnesses  # noqa: PLC0415 - only full feedback shows them

        return witnesses(self._server, self._lesson, self._repertoire, alive)
