"""Puts what a grading found into the report: which status, which sentence, which of the texts a learner may see."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING

from grader import __version__
from grader.errors import ExitCode
from grader.programs import Kind
from grader.report import FaultLine, Mutation, PolicyLine, ProblemLine, Report, Validity
from grader.score import Score, score_of
from grader.validity import ADVICE, Problem, ProblemKind, nothing_ran
from grader.verdict import Status
from grader.workers.wire import ENCODING, SYNTAX, Finding

if TYPE_CHECKING:
    from grader.grading import FaultResult, SuiteGrade
    from grader.lesson import Lesson
    from grader.pipeline import Request
    from grader.submission import Submission

NO_PYTHON = frozenset({SYNTAX, ENCODING})
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


def suite_report(
    request: Request,
    lesson: Lesson,
    submission: Submission,
    findings: Findings,
    grade: SuiteGrade | None,
    seconds: float,
) -> Report:
    """The report of a suite's mutation grade."""
    problems = _problems(findings) if grade is None else list(grade.problems)
    score = score_of(grade.faults, lesson.threshold) if grade is not None and not problems else None
    status, reason = _status(problems, score)
    return Report(
        lesson=lesson.id,
        status=status,
        reason=reason,
        exit_code=STATUS_CODES[status],
        seed=request.options.seed,
        sandbox=("rlimits", "no_new_privs"),
        versions=versions(),
        submission_sha256=submission.sha256,
        lesson_sha256=lesson.sha256,
        seconds=round(seconds, 3),
        policy=tuple(
            PolicyLine(file=f.file, line=f.line, rule=f.rule, message=f.message) for f in _policy(findings)
        ),
        validity=_validity(problems, grade),
        mutation=_mutation(score, grade, request.feedback)
        if score is not None and grade is not None
        else None,
        notices=(*_ignored(submission), *(grade.notices if grade is not None else ())),
    )


def versions() -> dict[str, str]:
    """Versions of what a grade may depend on."""
    return {
        "ol": __version__,
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in PACKAGES},
    }


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


def _status(problems: list[Problem], score: Score | None) -> tuple[str, str]:
    if problems or score is None:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        return "invalid", f"the suite cannot be graded: {_SUMMARY[problems[0].kind]}{more}"
    count = f"{score.killed} of {score.total} faults killed, {score.needed} needed"
    if score.passed:
        return "passed", count
    if score.required_missing:
        return "failed", f"{count}; required and not killed: {', '.join(score.required_missing)}"
    return "failed", count


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


def _validity(problems: list[Problem], grade: SuiteGrade | None) -> Validity:
    lines = tuple(
        ProblemLine(
            kind=problem.kind.value, test=problem.test, program=problem.program, message=problem.message
        )
        for problem in problems
    )
    return Validity(valid=not problems, tests=grade.tests if grade is not None else 0, problems=lines)


def _mutation(score: Score, grade: SuiteGrade, feedback: str) -> Mutation:
    return Mutation(
        killed=score.killed,
        total=score.total,
        needed=score.needed,
        threshold=str(score.threshold),
        score=score.shown,
        required_missing=score.required_missing,
        faults=() if feedback == "score" else tuple(_fault(result, feedback) for result in grade.faults),
    )


def _fault(result: FaultResult, feedback: str) -> FaultLine:
    fault, verdict = result.fault, result.verdict
    survived = verdict.status is not Status.KILLED
    return FaultLine(
        id=fault.id,
        title=fault.title,
        required=fault.required,
        status=verdict.status.value,
        killed_by=verdict.killed_by,
        message=verdict.message,
        hint=fault.hint if survived and feedback in {"hints", "full"} else "",
        seconds=round(result.seconds, 4),
    )


def _ignored(submission: Submission) -> list[str]:
    return [
        f"{name} has no effect: a suite is graded with the grader's own pytest configuration"
        for name in submission.ignored
    ]
