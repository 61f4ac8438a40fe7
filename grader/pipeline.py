"""The stages of a check, in order."""

from __future__ import annotations

import hashlib
import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.course_part import learners_program
from grader.errors import UnreadableError
from grader.feedback import restrict
from grader.lesson import load_lesson
from grader.lesson.pin import check_pin
from grader.progress import Progress, Silent
from grader.report_parts import Found
from grader.submission import Submission, read_submission
from grader.suite_grader import Settings, SuiteGrader, nothing
from grader.workers.pool import Server
from grader.workspace import find_workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from grader.course_part import Part, Program
    from grader.grading import Options
    from grader.lesson import Lesson
    from grader.report import Report
    from grader.workers.sandbox import Mode
    from grader.workspace import Workspace

COURSE, MUTATION = "course", "mutation"


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
        lesson_sha256: the hash that the lesson's data must have; empty: any.
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
    lesson_sha256: str = ""
    meanwhile: Callable[[], None] = nothing
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
        check_pin(lesson.id, lesson.sha256, request.lesson_sha256)
        grader = SuiteGrader(lesson, _settings(request), warm, request.meanwhile)
        stages = _Check(request, grader)
        module = stages.workspace.module_sha256(lesson) if stages.workspace else ""
        found = stages.run()
    full = grader.report(found, request.options.seed, time.monotonic() - begun)
    report = restrict(full, request.feedback)
    return Checked(report, lesson, stages.workspace, module)


def _settings(request: Request) -> Settings:
    options = request.options
    return Settings(
        timeout=options.timeout,
        jobs=options.jobs,
        every_killer=options.every_killer,
        witnesses=request.feedback == "full",
        sandbox=request.sandbox,
        policy=request.policy,
    )


@dataclass
class _Check:
    request: Request
    grader: SuiteGrader

    def __post_init__(self) -> None:
        request = self.request
        self.lesson = self.grader.lesson
        alone = request.only == MUTATION and request.tests is not None
        self.workspace = None if alone else find_workspace(request.workspace, self.lesson.package)

    def run(self) -> Found:
        """Every part that is asked for."""
        request, seed = self.request, self.request.options.seed
        program = self._learners_program()
        course = self._course(program) if program is not None else None
        if request.only == COURSE:
            return Found(course=course)
        request.progress.stage("reading your tests")
        with self.grader.open(self._submission()) as suite:
            request.progress.stage("your tests on your module")
            own = suite.on_learners_module(program, seed) if program is not None else None
            request.progress.stage("your tests on correct programs and faults")
            return Found(course=course, own=own, suite=suite.grade(seed, request.progress))

    def _learners_program(self) -> Program | None:
        if self.workspace is None or self.request.only == MUTATION:
            return None
        return learners_program(self.workspace, self.lesson, ref_deps=self.request.ref_deps)

    def _course(self, program: Program) -> Part:
        self.request.progress.stage("course tests")
        return self.grader.course(program, self.request.options.seed, self.request.chosen)

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
