"""Puts what a grading found into the report, all of it; who may see how much is `grader.feedback`'s to say."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING

from msgspec import UNSET

from grader import __version__
from grader.diagnosis import usual_mistake
from grader.errors import ExitCode
from grader.feedback import told_missing
from grader.programs import Kind
from grader.report import FaultLine, Mutation, PolicyLine, PoolLine, ProblemLine, Report, Validity
from grader.score import Score, score_of
from grader.validity import ADVICE, Problem, ProblemKind, nothing_ran
from grader.verdict import Status
from grader.workers.wire import ENCODING, SYNTAX, Finding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.course_part import Part
    from grader.errors import GraderError
    from grader.grading import FaultResult, SuiteGrade
    from grader.lesson import Lesson
    from grader.submission import Submission

NO_PYTHON = frozenset({SYNTAX, ENCODING})
NOT_READ = frozenset({"archive", "unreadable"})  # rules of findings that say that nothing could be read
PACKAGES = ("numpy", "pytest")
STATUS_CODES = {
    "passed": ExitCode.PASSED,
    "failed": ExitCode.FAILED,
    "invalid": ExitCode.INVALID,
    "error": ExitCode.HARNESS,
}


@dataclass(frozen=True)
class Findings:
    """What was found in a suite before it ran; with no finding and some test file it can run."""

    found: tuple[Finding, ...]
    test_files: tuple[str, ...]

    @property
    def stop(self) -> bool:
        """Whether there is nothing to run."""
        return bool(self.found) or not self.test_files


@dataclass(frozen=True)
class SuitePart:
    """What came of grading the suite.

    Attributes:
        grade: None where there was nothing to run.
        witnesses: fault's id → its witness as text, for faults that are alive, where they were asked for.
    """

    submission: Submission
    findings: Findings
    grade: SuiteGrade | None = None
    witnesses: Mapping[str, str] = field(default_factory=dict)

    @property
    def problems(self) -> list[Problem]:
        """Why the suite cannot be graded."""
        return _problems(self.findings) if self.grade is None else list(self.grade.problems)

    def score(self, lesson: Lesson) -> Score | None:
        """On the lesson's own faults; None where the suite cannot be graded."""
        return score_of(self.of_pool(""), lesson.threshold) if self.grade and not self.problems else None

    def pools(self, lesson: Lesson) -> dict[str, Score]:
        """By name, the scores on the lesson's pools, where the suite can be graded."""
        if self.grade is None or self.problems:
            return {}
        return {name: score_of(self.of_pool(name), pool.threshold) for name, pool in lesson.pools.items()}

    def of_pool(self, name: str) -> list[FaultResult]:
        """What became of the programs of a pool; the empty name: of the lesson's own faults."""
        return [each for each in self.grade.faults if each.fault.pool == name] if self.grade else []


@dataclass(frozen=True)
class Found:
    """The parts of a check; None: not asked for, or not possible."""

    course: Part | None = None
    own: Part | None = None
    suite: SuitePart | None = None


def report_of(lesson: Lesson, found: Found, sandbox: tuple[str, ...], seconds: float, *, seed: int) -> Report:
    """The full report of a check: with private faults, every hint, and the witnesses that were made.

    Args:
        lesson: the lesson.
        found: what came of it.
        sandbox: the layers that held the runs.
        seconds: how long it all took.
        seed: of the check.
    """
    suite = found.suite
    status, reason = _status(found, lesson)
    return Report(
        lesson=lesson.id,
        status=status,
        reason=reason,
        exit_code=STATUS_CODES[status],
        seed=seed,
        sandbox=sandbox,
        versions=versions(),
        submission_sha256=suite.submission.sha256 if suite else "",
        lesson_sha256=lesson.sha256,
        seconds=round(seconds, 3),
        policy=_policy_lines(suite),
        course=found.course.tests if found.course else None,
        own=found.own.tests if found.own else None,
        validity=_validity(suite) if suite else None,
        mutation=_mutation(suite, lesson) if suite else None,
        notices=_notices(found),
    )


def error_report(lesson: str, seed: int, error: GraderError) -> Report:
    """The report of a check that came to no grade, through the course's fault or the house's."""
    return Report(
        lesson=lesson,
        status="error",
        reason=f"{error.message.rstrip('.')} [{error.slug}]",
        exit_code=error.exit_code,
        seed=seed,
        sandbox=(),
        versions=versions(),
        submission_sha256="",
        lesson_sha256="",
        seconds=0.0,
    )


def versions() -> dict[str, str]:
    """Versions of what a grade may depend on."""
    return {"ol": __version__, "python": platform.python_version(), **_versions_of_packages()}


@cache
def _versions_of_packages() -> dict[str, str]:
    # It reads and parses files, and what is installed does not change while we run.
    return {name: metadata.version(name) for name in PACKAGES}


def _policy(findings: Findings) -> list[Finding]:
    return [finding for finding in findings.found if finding.rule not in NO_PYTHON]


def _problems(findings: Findings) -> list[Problem]:
    if not findings.found:
        return [nothing_ran([], findings.test_files)]
    return [_finding_problem(finding) for finding in findings.found]


def _finding_problem(finding: Finding) -> Problem:
    place = f"[{finding.file}:{finding.line}]"
    if finding.rule in NO_PYTHON:
        text = f"{finding.message} {place}. {ADVICE[ProblemKind.DOES_NOT_LOAD]}"
        return Problem(ProblemKind.DOES_NOT_LOAD, finding.file, Kind.REFERENCE.value, text)
    return Problem(ProblemKind.POLICY, finding.file, Kind.REFERENCE.value, f"{finding.message} {place}.")


# The first that applies is the status: invalid, failed, passed.


def _status(found: Found, lesson: Lesson) -> tuple[str, str]:
    if found.suite is not None and found.suite.problems:
        return "invalid", f"the suite cannot be graded: {_why_invalid(found.suite)}"
    said = []
    passed = True
    if found.course is not None:
        passed = not found.course.problem and not found.course.tests.failed
        said.append(_course_reason(found.course))
    for name, pool in found.suite.pools(lesson).items() if found.suite is not None else ():
        passed = passed and pool.passed
        said.append(f"pool {name}: {pool.killed} of {pool.total} killed, {pool.needed} needed")
    # Last, so that the names at its end can be taken off for who may not see them.
    score = found.suite.score(lesson) if found.suite is not None else None
    if score is not None:
        passed = passed and score.passed
        said.append(_score_reason(score))
    return "passed" if passed else "failed", "; ".join(said)


def _why_invalid(suite: SuitePart) -> str:
    found = suite.findings.found
    if found and found[0].rule in NOT_READ:
        return found[0].message
    more = f" (and {len(suite.problems) - 1} more)" if len(suite.problems) > 1 else ""
    return f"{_SUMMARY[suite.problems[0].kind]}{more}"


def _course_reason(course: Part) -> str:
    if course.problem:
        return course.problem
    total = len(course.tests.tests)
    if not course.tests.failed:
        return f"{course.tests.passed} of {total} course tests pass"
    return f"{course.tests.failed} of {total} course tests fail"


def _score_reason(score: Score) -> str:
    count = f"{score.killed} of {score.total} faults killed, {score.needed} needed"
    return f"{count}{told_missing(score.required_missing)}"


_SUMMARY = {
    ProblemKind.REJECTS_REFERENCE: "a test fails on the reference, which is correct",
    ProblemKind.TOO_STRICT: "a test rejects another correct implementation",
    ProblemKind.FLAKY: "a test fails by chance on a correct program",
    ProblemKind.ORDER_DEPENDENT: "a test passes only in file order",
    ProblemKind.BLIND: "its tests pass on a module that does nothing",
    ProblemKind.NOTHING_RAN: "no test passed on the correct programs",
    ProblemKind.DOES_NOT_LOAD: "a test file does not load",
    ProblemKind.TIMEOUT: "it meets the time limit on a correct program",
    ProblemKind.CRASHED: "its process does not get to its end on a correct program",
    ProblemKind.MEMORY: "it meets the memory limit on a correct program",
    ProblemKind.POLICY: "it holds something that a suite may not contain",
}


def _policy_lines(suite: SuitePart | None) -> tuple[PolicyLine, ...]:
    found = _policy(suite.findings) if suite else []
    return tuple(PolicyLine(file=f.file, line=f.line, rule=f.rule, message=f.message) for f in found)


def _validity(suite: SuitePart) -> Validity:
    problems = suite.problems
    tests = suite.grade.tests if suite.grade is not None else 0
    return Validity(valid=not problems, tests=tests, problems=tuple(map(_problem_line, problems)))


def _problem_line(problem: Problem) -> ProblemLine:
    usual = usual_mistake(problem.kind.value, problem.message)
    return ProblemLine(
        kind=problem.kind.value,
        test=problem.test,
        program=problem.program,
        message=f"{problem.message} Usually it is {usual}" if usual else problem.message,
    )


def _mutation(suite: SuitePart, lesson: Lesson) -> Mutation | None:
    score = suite.score(lesson)
    if score is None or suite.grade is None:
        return None
    return Mutation(
        killed=score.killed,
        total=score.total,
        needed=score.needed,
        threshold=str(score.threshold),
        score=score.shown,
        required_missing=score.required_missing,
        faults=tuple(_fault(result, suite.witnesses) for result in suite.of_pool("")),
        pools=tuple(_pool(name, pool) for name, pool in suite.pools(lesson).items()) or UNSET,
    )


def _pool(name: str, score: Score) -> PoolLine:
    return PoolLine(
        name=name,
        killed=score.killed,
        total=score.total,
        needed=score.needed,
        threshold=str(score.threshold),
        score=score.shown,
    )


def _fault(result: FaultResult, witnesses: Mapping[str, str]) -> FaultLine:
    fault, verdict = result.fault, result.verdict
    alive = verdict.status is not Status.KILLED
    return FaultLine(
        id=fault.id,
        title=fault.title,
        required=fault.required,
        status=verdict.status.value,
        killed_by=verdict.killed_by,
        message=verdict.message,
        hint=fault.hint if alive else "",
        seconds=round(result.seconds, 4),
        symptom=fault.symptom if alive else "",
        witness=witnesses.get(fault.id, ""),
        private=fault.private or UNSET,
    )


def _notices(found: Found) -> tuple[str, ...]:
    notices = []
    if found.own is not None and found.own.problem:
        notices.append(f"Your tests on your module: {found.own.problem}.")
    suite = found.suite
    if suite is None:
        return tuple(notices)
    notices += _ignored(suite.submission)
    if suite.grade is not None:
        # What happened to single programs of a pool is told nowhere.
        pooled = tuple(f"{each.fault.id}: " for each in suite.grade.faults if each.fault.pool)
        notices += [notice for notice in suite.grade.notices if not notice.startswith(pooled)]
    return tuple(notices)


def _ignored(submission: Submission) -> list[str]:
    return [
        f"{name} has no effect: a suite is graded with the grader's own pytest configuration"
        for name in submission.ignored
    ]
