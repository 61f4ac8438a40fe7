"""The table of tests and faults on a screen: cells first, so that a test's name has all the room that is left."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rich.text import Text

from grader import texts
from grader.author.matrix.model import Cell
from grader.author.matrix.sentences import sections
from grader.writers.terminal.layout import INDENT, block, safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from grader.author.matrix.analysis import Analysis
    from grader.author.matrix.model import FaultColumn, Matrix

MARKS = {
    Cell.KILLED: ("x", "green"),
    Cell.SURVIVED: (".", "dim"),
    Cell.TIMEOUT: ("t", "yellow"),
    Cell.CRASHED: ("c", "yellow"),
    Cell.SKIPPED: ("s", "dim"),
    Cell.NOT_RUN: ("-", "dim"),
}
INVALID = ("!", "red")
NAME = 24  # columns that a name gets at least


def show(matrix: Matrix, analysis: Analysis, console: Console) -> None:
    """Everything: the table of the suites, that of the tests, and what they say."""
    console.print(Text(_title(matrix), style="bold"))
    console.print()
    if matrix.suites:
        _table(matrix, [(row.suite, row.cells) for row in matrix.suites], console)
    for suite, rows in groupby(matrix.tests, key=lambda row: row.suite):
        if suite:
            console.print(safe(suite, "bold"), overflow="fold")
        _table(matrix, [(matrix.label(row), row.cells) for row in rows], console)
    _legend(matrix, console)
    for section in sections(matrix, analysis):
        console.print()
        line = Text.assemble((f"{section.heading}: ", "bold"), texts.plain(section.sentence))
        console.print(line, overflow="fold")
        for item in section.items:
            block(console, item)


def _title(matrix: Matrix) -> str:
    tests, faults = texts.count(len(matrix.tests), "test"), texts.count(len(matrix.faults), "fault")
    suites = f"{texts.count(len(matrix.suites), 'suite')}, " if matrix.suites else ""
    return f"{matrix.lesson}: {suites}{tests} on {faults}"


def _table(matrix: Matrix, rows: Sequence[tuple[str, tuple[Cell, ...]]], console: Console) -> None:
    for start, stop in _parts(matrix.faults, console.width):
        faults = matrix.faults[start:stop]
        console.print(Text(" ".join(fault.id for fault in faults), style="bold"))
        for name, cells in rows:
            _row(faults, cells[start:stop], name, console)
        console.print()


def _parts(faults: Sequence[FaultColumn], width: int) -> Iterator[tuple[int, int]]:
    """Where to break a table that is wider than the screen: first and last column of each part, all about as wide."""
    most = max((len(fault.id) + 1 for fault in faults), default=1)
    columns = max((width - NAME) // most, 1)
    parts = -(-len(faults) // columns)
    for part in range(parts):
        yield part * len(faults) // parts, (part + 1) * len(faults) // parts


def _row(faults: Sequence[FaultColumn], cells: Sequence[Cell], name: str, console: Console) -> None:
    line = Text()
    for place, fault in enumerate(faults):
        mark, style = MARKS[cells[place]] if cells else INVALID
        line.append(mark.center(len(fault.id)), style=style)
        line.append(" ")
    shown = safe(name)
    first, *rest = shown.wrap(console, max(console.width - len(line) - 1, 1), overflow="fold")
    console.print(Text.assemble(line, " ", first), no_wrap=True, overflow="ignore")
    for more in rest:
        console.print(Text.assemble(" " * (len(line) + 1), more), no_wrap=True, overflow="ignore")


def _legend(matrix: Matrix, console: Console) -> None:
    every = [*(row.cells for row in matrix.tests), *(row.cells for row in matrix.suites)]
    used = {cell for cells in every for cell in cells}
    parts = [f"{mark} {cell}" for cell, (mark, _style) in MARKS.items() if cell in used]
    if any(row.problem for row in matrix.suites):
        parts.append(f"{INVALID[0]} no grade")
    console.print(safe("   ".join(parts)), overflow="fold")
    console.print()
    for fault in matrix.faults:
        required = ", required" if fault.required else ""
        block(console, f"{fault.id}  {fault.title}{required}", INDENT)
