"""A whole class in one document, in the formats that have a form for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.classroom import summary
from grader.writers import csv, junit
from grader.writers.inert import cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from grader.classroom.batch import Batch
    from grader.report import Report

LIMIT = 900_000  # characters of Markdown; GitHub takes a step's summary of 1 MiB, or none of it


def write(name: str, batch: Batch) -> str:
    """The table of grades of a batch that has ended: csv, junit or markdown; or its summary, json."""
    lesson, table = batch.lesson.id, batch.outputs.table()
    match name:
        case "csv":
            return "".join(csv.lines(table))
        case "junit":
            return junit.write_class(lesson, table)
        case "markdown":
            return markdown(f"{lesson}: {batch.tally.summary()}", table)
        case _:
            return summary.write(summary.summary_of(batch))


def markdown(title: str, table: Iterable[tuple[str, Report]], limit: int = LIMIT) -> str:
    """A page with one table; what is too much for `limit` characters is counted."""
    kept = [f"## {title}\n\n| learner | status | killed | reason |\n| --- | --- | --- | --- |\n"]
    length, left = len(kept[0]), 0
    for line in _lines(table):
        length += len(line)
        if length > limit:
            left += 1
        else:
            kept.append(line)
    if left:
        kept.append(f"\n*{left} more are left out here.*\n")
    return "".join(kept)


def _lines(table: Iterable[tuple[str, Report]]) -> Iterator[str]:
    for learner, report in table:
        grade = report.mutation
        killed = f"{grade.killed} of {grade.total}" if grade else ""
        yield f"| {cell(learner)} | {report.status} | {killed} | {cell(report.reason)} |\n"
