"""A whole class in one document, in the formats that have a form for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.classroom import summary
from grader.writers import csv, github, junit
from grader.writers.inert import cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from grader.classroom.batch import Batch
    from grader.report import Report

LIMIT = 900_000  # bytes of Markdown; GitHub takes a step's summary of 1 MiB, or none of it


def write(name: str, batch: Batch) -> str:
    """The table of grades of a batch that has ended: csv, junit, markdown, github; or its summary, json."""
    lesson, table = batch.lesson.id, batch.outputs.table()
    match name:
        case "csv":
            return "".join(csv.lines(table))
        case "junit":
            return junit.write_class(lesson, table)
        case "markdown":
            return markdown(_title(batch), table)
        case "github":
            return _annotations(batch, table)
        case _:
            return summary.write(summary.summary_of(batch))


def deliver(name: str, batch: Batch) -> None:
    """What the format takes beside a text on standard output: github shows the table as the step's summary.

    Raises:
        UnreadableError: a file of it cannot be written.
    """
    if name == "github":
        table = batch.outputs.table()
        github.append_to_summary(lambda room: markdown(_title(batch), table, min(room, LIMIT)))


def _title(batch: Batch) -> str:
    return f"{batch.lesson.id}: {batch.tally.summary()}"


def _annotations(batch: Batch, table: Iterable[tuple[str, Report]]) -> str:
    """What the run comes to, and submissions that came to no grade; learners are no concern of the log's."""
    level = "error" if summary.exit_code(batch) else "notice"
    told = [github.Annotation(level, batch.lesson.id, batch.tally.summary())]
    told += [
        github.Annotation("error", name, report.reason) for name, report in table if report.status == "error"
    ]
    return "\n".join(github.commands(told)) + "\n"


def markdown(title: str, table: Iterable[tuple[str, Report]], limit: int = LIMIT) -> str:
    """A page with one table; what is too much for `limit` bytes is counted."""
    kept = [f"## {title}\n\n| learner | status | killed | reason |\n| --- | --- | --- | --- |\n"]
    length, left = len(kept[0].encode()), 0
    for line in _lines(table):
        length += len(line.encode())
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
