"""Whether a report can be one of ours: what the schema cannot say, for a report that comes from somewhere else."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from grader.advice import enough, pool_parts
from grader.errors import ExitCode
from grader.lesson.model import needed_kills
from grader.report import BAD_ENDS, FORMAT_VERSION, Mutation, Report, Tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.report import PoolLine, Tests

SHARE = re.compile(r"[01](\.[0-9]{1,30})?")  # as a number, `1e-999999999` would take all memory
LARGEST = 16 << 20  # bytes of a report that is read
LONGEST = 1e9  # seconds; what a report takes is added up
CODES = {
    "passed": {ExitCode.PASSED},
    "failed": {ExitCode.FAILED},
    "invalid": {ExitCode.INVALID},
    "error": {ExitCode.COURSE, ExitCode.HARNESS},
}


def contradiction(report: Report) -> str:
    """The first thing in a report that cannot be so, as words; empty when there is none."""
    return next(_contradictions(report), "")


def _contradictions(report: Report) -> Iterator[str]:
    yield from _of_the_head(report)
    yield from _of_the_suite(report)
    for tests in filter(None, (report.course, report.own)):
        yield from _of_the_tests(tests)
    if report.mutation is not None:
        yield from _of_the_grade(report.mutation)
    if report.status == "passed" and not _enough(report):
        yield "it says passed, and its numbers do not"


def _of_the_head(report: Report) -> Iterator[str]:
    if report.format_version != FORMAT_VERSION:
        yield f"its format is version {report.format_version}, and this is version {FORMAT_VERSION}"
    if report.exit_code not in CODES[report.status]:
        yield f"exit code {report.exit_code} is none of {report.status}"
    if report.status == "error" and (report.validity or report.mutation):
        yield "an error has no grade"
    if max(_seconds(report)) > LONGEST:
        yield "nothing takes so long"


def _of_the_suite(report: Report) -> Iterator[str]:
    if (report.validity is not None and not report.validity.valid) != (report.status == "invalid"):
        yield f"the suite's validity is not that of {report.status}"
    if report.validity is not None and report.validity.valid == bool(report.validity.problems):
        yield "a suite is valid exactly if there is no problem with it"
    if report.mutation is not None and (report.validity is None or not report.validity.valid):
        yield "there is a grade of a suite that is not valid"


def _of_the_tests(tests: Tests) -> Iterator[str]:
    outcomes = [test.outcome for test in tests.tests]
    counted = (outcomes.count("passed"), sum(outcome in BAD_ENDS for outcome in outcomes))
    if (tests.passed, tests.failed) != counted:
        yield f"{tests.passed} tests passed and {tests.failed} failed: these are not those that it lists"


def _seconds(report: Report) -> Iterator[float]:
    yield report.seconds
    if report.mutation is not None:
        yield from (fault.seconds for fault in report.mutation.faults)


def _of_the_numbers(grade: Mutation | PoolLine) -> Iterator[str]:
    if not grade.killed <= grade.total or not grade.total:
        yield f"{grade.killed} of {grade.total} faults cannot be killed"
        return
    if abs(grade.score - grade.killed / grade.total) > 1e-4:  # noqa: PLR2004 - it is shown with four decimals
        yield f"a score of {grade.score} is not that of {grade.killed} of {grade.total}"
    if grade.needed != _needed(grade):
        yield f"{grade.needed} of {grade.total} is not what a threshold of {grade.threshold} needs"


def _of_the_grade(grade: Mutation) -> Iterator[str]:
    yield from _of_the_numbers(grade)
    for pool in grade.pools or ():
        yield from _of_the_numbers(pool)
    hidden = grade.private if isinstance(grade.private, Tally) else Tally(killed=0, total=0)
    killed = sum(fault.status == "killed" for fault in grade.faults)
    if grade.faults and (len(grade.faults), killed) != (
        grade.total - hidden.total,
        grade.killed - hidden.killed,
    ):
        yield "its faults are not those that it counts"
    missing = {fault.id for fault in grade.faults if fault.required and fault.status != "killed"}
    if grade.faults and missing != set(grade.required_missing):
        yield "the required faults that it misses are not those that are alive"


def _needed(grade: Mutation | PoolLine) -> int | None:
    """The kills that its threshold asks for; None: that is no share."""
    share = SHARE.fullmatch(grade.threshold)
    return needed_kills(Decimal(share[0]), grade.total) if share else None


def _enough(report: Report) -> bool:
    course, grade = report.course, report.mutation
    if course is None and grade is None:
        return False
    return (course is None or not course.failed) and (grade is None or _enough_killed(grade))


def _enough_killed(grade: Mutation) -> bool:
    return enough(grade) and all(pool.enough for pool in pool_parts(grade))
