"""Grades as a table of comma-separated values: a line a submission, for a spreadsheet or a learning platform.

Spreadsheets take a cell that begins like a formula for one, and run it (CWE-1236); such a cell gets an apostrophe.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from typing import TYPE_CHECKING

from grader import texts
from grader.writers.said import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from grader.report import Mutation, Report

HEADER = ("learner", "status", "killed", "needed", "score", "passed", "required_missing", "reason")
FORMULA = frozenset("=+-@")
# Some spreadsheets split lines at a semicolon or a tab too, unless the text is in quotes; these would get none.
TORN_APART = re.compile(r'[^,"\r\n]*[;\t][^,"\r\n]*')
REASON = 1_000  # characters
PASSED = {"passed": "true", "failed": "false", "invalid": "false"}  # an error says nothing about the learner


class Plain(csv.unix_dialect):
    """RFC 4180, but for the line ends: quotes where a comma, a quote or a line end asks for them."""

    quoting = csv.QUOTE_MINIMAL


class Quoted(csv.unix_dialect):
    """The same with quotes around every cell."""


def write(report: Report) -> str:
    """The header and one line; a report does not know whose it is, so the learner is left empty."""
    return "".join(lines([("", report)]))


def lines(graded: Iterable[tuple[str, Report]]) -> Iterator[str]:
    """The table as text, line by line, the header first: any number of reports, one in memory at a time.

    Args:
        graded: learner's name, as it is, and the report on their submission.
    """
    for row in rows(graded):
        line = io.StringIO()
        dialect = Quoted if any(map(TORN_APART.fullmatch, row)) else Plain
        csv.writer(line, dialect).writerow(row)
        yield line.getvalue()


def rows(graded: Iterable[tuple[str, Report]]) -> Iterator[tuple[str, ...]]:
    """The cells of each line, the header first; each is harmless in a spreadsheet."""
    yield HEADER
    for learner, report in graded:
        yield row(learner, report)


def row(learner: str, report: Report) -> tuple[str, ...]:
    """The cells of one submission; numbers are empty where there is no grade."""
    grade = report.mutation
    return (
        cell(learner),
        report.status,
        *(_numbers(grade) if grade else ("", "", "")),
        PASSED.get(report.status, ""),
        cell(" ".join(grade.required_missing) if grade else ""),
        cell(shortened(texts.one_line(report.reason), REASON)),
    )


def _numbers(grade: Mutation) -> tuple[str, str, str]:
    return str(grade.killed), str(grade.needed), str(grade.score)


def cell(text: str) -> str:
    """`text` on one line, nothing in it hidden, and no formula: an apostrophe stands before what begins like one."""
    shown = texts.plain(text).replace("\n", "\\n")
    # Some programs skip blanks, and take fullwidth signs for plain ones.
    first = unicodedata.normalize("NFKC", shown.lstrip()[:1])
    return f"'{shown}" if first in FORMULA else shown
