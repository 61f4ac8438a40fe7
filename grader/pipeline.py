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
from grader.workers.pool import Workers, hypothesis_installed
from grader.workers.wire import Prepare, Rules

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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
    with Workers(request.options.jobs) as workers:
        lesson = load_lesson(request.course, request.lesson)
        workers.load(library_of(lesson))
        submission = read_submission(request.tests)
        findings = _findings(workers, lesson, submission)
        grade = None
        if not findings.stop:
            grading = Grading(lesson, workers, findings.test_files, request.options, request.on_progress)
            grade = grading.grade()
    seconds = time.monotonic() - begun
    return suite_report(request, lesson, submission, findings, grade, seconds)


def _findings(workers: Workers, lesson: Lesson, submission: Submission) -> Findings:
    if submission.findings:
        return Findings(submission.findings, ())
    rules = Rules(list(lesson.imports), hypothesis_installed())
    prepared = workers.prepare(Prepare(list(submission.files), submission.root_name, workers.home(), rules))
    return Findings(tuple(prepared.findings), tuple(prepared.test_files))
