"""Whether a report can be one of ours: what the schema cannot say, for a report that comes from somewhere else."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from grader.advice import enough, pool_parts
from grader.errors import ExitCode
from grader.lesson.model import needed_kills
from grader.report import FORMAT_VERSION, Mutation, Report, Tally

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARE = re.compile(r"[01](\.[0-9]{1,30})?")  # as a number, `1e-999999999` would take all memory
LARGEST = 16 << 20  # bytes of a report that is read
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
    if report.format_version != FORMAT_VERSION:
        yield f"its format is version {report.format_version}, and this is version {FORMAT_VERSION}"
    if report.exit_code not in CODES[report.status]:
        yield f"exit code {report.exit_code} is none of {report.status}"
    if report.status == "error" and (report.validity or report.mutation):
        yield "an error has no grade"
    if (report.validity is not None and not report.validity.valid) != (report.status == "invalid"):
        yield f"the suite's validity is not that of {report.status}"
    if report.mutation is not None:
        if report.validity is None or not report.validity.valid:
            yield "there is a grade of a suite that is not valid"
        yield from _of_the_grade(report.mutation)
    if report.status == "passed" and not _enough(report):
        yield "it says passed, and its numbers do not"


def _of_the_grade(grade: Mutation) -> Iterator[str]:
    if not grade.killed <= grade.total or not grade.total:
        yield f"{grade.killed} of {grade.total} faults cannot be killed"
        return
    if abs(grade.score - grade.killed / grade.total) > 1e-4:  # noqa: PLR2004 - it is shown with four decimals
        yield f"a score of {grade.score} is not that of {grade.killed} of {grade.total}"
    if grade.needed != _needed(grade):
        yield f"{grade.needed} of {grade.total} is not what a threshold of {grade.threshold} needs"
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


def _needed(grade: Mutation) -> int | None:
    """The kills that its threshold asks for; None: that is no share."""
    share = SHARE.fullmatch(grade.threshold)
    return needed_kills(Decimal(share[0]), grade.total) if share else None


def _enough(report: Report) -> bool:
    course, grade = report.course, report.mutation
    if course is None and grade is None:
        return False
    return (course is None or not course.failed) and (grade is None or _enough_killed(grade))


def _enough_killed(grade: Mutation) -> bool:
    return enough(grade) and all(reached for _told, reached in pool_parts(grade))
