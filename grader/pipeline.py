"""The stages of a grading, in order."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.grading import Grading, Options
from grader.lesson import load_lesson
from grader.programs import library_of
from grader.report_parts import Findings, suite_report
from grader.submission import read_submission
from grader.workers.pool import Server, Suite, hypothesis_installed
from grader.workers.wire import Rules

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from grader.grading import SuiteGrade
    from grader.lesson import Lesson
    from grader.report import Report
    from grader.submission import Submission


def _silent(_done: int, _needed: int) -> None:
    return


@dataclass(frozen=True)
class Request:
    """What `check` is asked to grade.

    Attributes:
        course: the course's folder.
        lesson: the lesson's id.
        tests: the suite: a folder or one file.
        options: how to grade.
        feedback: how much of the faults the report tells: score, names, hints or full.
        on_progress: called with the runs that are done and those known to be needed.
    """

    course: Path
    lesson: str
    tests: Path
    options: Options
    feedback: str = "hints"
    on_progress: Callable[[int, int], None] = field(default=_silent)


def check_suite(request: Request) -> Report:
    """Grade one suite against the lesson's faults.

    1. Start the warm server: it imports numpy and pytest while the next stages read files.
    2. Load the lesson, strictly.
    3. Read the submission, once.
    4. Let a process of its own parse, check and compile the suite.
    5. Run it on the correct programs, the canary and the faults.
    6. Put what was found into the report.

    Raises:
        GraderError: the lesson or the machine does not allow a grading.
    """
    begun = time.monotonic()
    with Server() as server:
        lesson = load_lesson(request.course, request.lesson)
        server.load(library_of(lesson))
        submission = read_submission(request.tests)
        findings, grade = _grade(request, server, lesson, submission)
    seconds = time.monotonic() - begun
    return suite_report(request, lesson, submission, findings, grade, seconds)


def _grade(
    request: Request, server: Server, lesson: Lesson, submission: Submission
) -> tuple[Findings, SuiteGrade | None]:
    if submission.findings:
        return Findings(submission.findings, ()), None
    rules = Rules(list(lesson.imports), hypothesis_installed())
    host = server.open(Suite(submission.root_name, submission.files, rules), request.options.jobs)
    findings = Findings(tuple(host.prepared.findings), tuple(host.prepared.test_files))
    if findings.stop:
        return findings, None
    return findings, Grading(lesson, host, request.options, request.on_progress).grade()
