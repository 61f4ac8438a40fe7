"""Fills the table: the course tests, or every suite of a folder, on every fault of a lesson."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from grader.author.matrix.model import Cell, FaultColumn, Matrix, SuiteRow, TestRow
from grader.author.trials import Outcome, Trials, course_trials
from grader.classroom.layouts import find_submissions
from grader.classroom.reading import read_entry
from grader.programs import programs_of
from grader.progress import Silent
from grader.suite_grader import Settings, SuiteGrader
from grader.workers.pool import Suite, hypothesis_installed
from grader.workers.wire import Rules

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from grader.author.trials import Tried
    from grader.lesson import Lesson
    from grader.progress import Progress
    from grader.submission import Submission

CELLS = {
    Outcome.FAILED: Cell.KILLED,
    Outcome.ERROR: Cell.KILLED,
    Outcome.NOT_LOADED: Cell.KILLED,
    Outcome.PASSED: Cell.SURVIVED,
    Outcome.TIMEOUT: Cell.TIMEOUT,
    Outcome.CRASHED: Cell.CRASHED,
    Outcome.NOT_RUN: Cell.NOT_RUN,
    Outcome.SKIPPED: Cell.SKIPPED,
    Outcome.XFAILED: Cell.SKIPPED,
    Outcome.XPASSED: Cell.SKIPPED,
}


def course_matrix(lesson: Lesson, settings: Settings, progress: Progress | None = None) -> Matrix:
    """The course tests on every fault.

    Raises:
        LessonError: a course test fails on the reference.
        HarnessError: the machine does not allow the runs.
    """
    follow = progress or Silent()
    with course_trials(
        lesson, jobs=settings.jobs, sandbox=settings.sandbox, timeout=settings.timeout
    ) as trials:
        trials.check_reference()
        return Matrix(lesson.id, _columns(lesson), tuple(_rows(lesson, trials, follow)))


def suites_matrix(
    lesson: Lesson, folder: Path, seed: int, settings: Settings, progress: Progress | None = None
) -> Matrix:
    """Every suite of a folder, in whatever layout `ol grade` knows, on every fault: graded first, then test by test.

    Raises:
        PathNotFoundError: there is no such folder.
        UnreadableError: it cannot be listed.
        HarnessError: the machine does not allow the runs.
    """
    follow = progress or Silent()
    suites: list[SuiteRow] = []
    tests: list[TestRow] = []
    entries = find_submissions(folder)
    with SuiteGrader(lesson, settings) as grader:
        for number, entry in enumerate(entries):
            follow.runs(number, len(entries))
            submission = read_entry(entry, lesson)
            row = _graded(grader, entry.learner, submission, seed)
            suites.append(row)
            if not row.problem:
                tests += _test_rows(grader, entry.learner, submission)
    return Matrix(lesson.id, _columns(lesson), tuple(tests), tuple(suites))


def _columns(lesson: Lesson) -> tuple[FaultColumn, ...]:
    return tuple(
        FaultColumn(fault.id, fault.title, fault.required, fault.timeout_is_kill) for fault in lesson.faults
    )


def _graded(grader: SuiteGrader, name: str, submission: Submission, seed: int) -> SuiteRow:
    report = grader.grade(submission, seed)
    if report.mutation is None:
        return SuiteRow(name, (), report.reason)
    return SuiteRow(name, tuple(Cell(fault.status.replace("_", " ")) for fault in report.mutation.faults))


def _test_rows(grader: SuiteGrader, name: str, submission: Submission) -> list[TestRow]:
    rules = Rules(list(grader.lesson.imports), hypothesis_installed())
    suite = Suite(submission.root_name, submission.files, rules)
    settings = grader.settings
    with closing(
        Trials(grader.lesson, grader.server, suite, jobs=settings.jobs, timeout=settings.timeout)
    ) as trials:
        return _rows(grader.lesson, trials, Silent(), name)


def _rows(lesson: Lesson, trials: Trials, follow: Progress, suite: str = "") -> list[TestRow]:
    programs = programs_of(lesson).faults
    done = 0

    def on_done(_tried: Tried) -> None:
        nonlocal done
        done += 1
        follow.runs(done, len(programs))

    tried = trials.run_all(programs, on_done=on_done)
    return [TestRow(test, _cells(test, trials.reference, tried), suite) for test in trials.tests]


def _cells(test: str, reference: Tried, tried: Sequence[Tried]) -> tuple[Cell, ...]:
    cells = tuple(CELLS[each.outcomes[test]] for each in tried)
    if reference.outcomes[test] is Outcome.PASSED:
        return cells
    # What does not pass on the reference says nothing by failing.
    return tuple(Cell.SKIPPED if cell is Cell.KILLED else cell for cell in cells)
