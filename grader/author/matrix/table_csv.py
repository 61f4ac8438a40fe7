"""The table as comma-separated values: a line a test, after the suites where there are several."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from grader.writers.csv import cell

if TYPE_CHECKING:
    from grader.author.matrix.analysis import Analysis
    from grader.author.matrix.model import Matrix


def write(matrix: Matrix, _analysis: Analysis) -> str:
    """The whole text. The line of a whole suite has no test; a suite without a grade has its problem, and `invalid` for each fault."""
    page = io.StringIO()
    writer = csv.writer(page, lineterminator="\n")
    ids = [cell(fault.id) for fault in matrix.faults]
    if not matrix.suites:
        writer.writerow(["test", *ids])
        writer.writerows([cell(row.test), *row.cells] for row in matrix.tests)
        return page.getvalue()
    writer.writerow(["suite", "test", "problem", *ids])
    for suite in matrix.suites:
        cells = suite.cells or ("invalid",) * len(ids)
        writer.writerow([cell(suite.suite), "", cell(suite.problem), *cells])
        own = [row for row in matrix.tests if row.suite == suite.suite]
        writer.writerows([cell(row.suite), cell(row.test), "", *row.cells] for row in own)
    return page.getvalue()
