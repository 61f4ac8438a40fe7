"""Attempts as lines of a table: reports with their numbers alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.feedback import restrict
from grader.report import Mutation, Report
from grader.report_parts import STATUS_CODES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from grader.classroom.store import Attempt


def reports_of(lesson: str, told: Iterable[tuple[Attempt, str]]) -> Iterator[tuple[str, Report]]:
    """A learner and a report for each attempt, as `grader.writers.csv` takes them.

    Args:
        lesson: the lesson's id.
        told: attempts, each with the level of feedback at which its reason is told.
    """
    for attempt, level in told:
        yield attempt.learner, restrict(_report(lesson, attempt), level)


def _report(lesson: str, attempt: Attempt) -> Report:
    return Report(
        lesson=lesson,
        status=attempt.status,
        reason=attempt.reason,
        exit_code=STATUS_CODES[attempt.status],
        seed=attempt.key.seed,
        sandbox=(),
        versions={},
        submission_sha256=attempt.key.submission_sha256,
        lesson_sha256=attempt.key.lesson_sha256,
        seconds=0.0,
        mutation=_mutation(attempt),
    )


def _mutation(attempt: Attempt) -> Mutation | None:
    numbers = (attempt.killed, attempt.total, attempt.needed, attempt.score)
    match numbers:
        case int(killed), int(total), int(needed), float(score):
            return Mutation(
                killed=killed,
                total=total,
                needed=needed,
                threshold="",
                score=score,
                required_missing=attempt.required_missing,
                faults=(),
            )
        case _:
            return None
