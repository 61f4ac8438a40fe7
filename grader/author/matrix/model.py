"""The table: a row a test, a column a fault, and in each cell what became of the fault."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cached_property


class Cell(enum.StrEnum):
    """What became of a fault in one test, or in one suite."""

    KILLED = "killed"
    SURVIVED = "survived"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    SKIPPED = "skipped"  # or expected to fail: never a kill
    NOT_RUN = "not run"


@dataclass(frozen=True)
class FaultColumn:
    """A fault. `timeout_is_kill`: it is meant to hang, so a cell `timeout` kills it."""

    id: str
    title: str
    required: bool = False
    timeout_is_kill: bool = False


@dataclass(frozen=True)
class TestRow:
    """One test. `suite`: whose, where there are several; else empty. `cells`: in the order of the faults."""

    __test__ = False  # no test, whatever pytest thinks of the name

    test: str
    cells: tuple[Cell, ...]
    suite: str = ""

    @property
    def name(self) -> str:
        """The test's name, with its suite's in front where there are several."""
        return f"{self.suite}: {self.test}" if self.suite else self.test


@dataclass(frozen=True)
class SuiteRow:
    """One suite as a whole. `problem`: why it has no grade; empty for one that has, and then `cells` are its verdicts."""

    suite: str
    cells: tuple[Cell, ...]
    problem: str = ""


@dataclass(frozen=True)
class Matrix:
    """A lesson's faults against tests.

    Attributes:
        lesson: its id.
        faults: the columns.
        tests: the rows; of all suites that have a grade, where there are several.
        suites: a row for each suite; empty for the course tests.
    """

    lesson: str
    faults: tuple[FaultColumn, ...]
    tests: tuple[TestRow, ...]
    suites: tuple[SuiteRow, ...] = ()

    def label(self, row: TestRow) -> str:
        """The test's name within its suite, without its file where the suite has only one."""
        file, _, rest = row.test.partition("::")
        return rest if self._files[row.suite] == {file} and rest else row.test

    @cached_property
    def _files(self) -> dict[str, set[str]]:
        files: dict[str, set[str]] = {}
        for row in self.tests:
            files.setdefault(row.suite, set()).add(row.test.partition("::")[0])
        return files

    def labels(self) -> dict[str, str]:
        """By a row's name, the shortest one that is clear."""
        return {
            row.name: f"{row.suite}: {self.label(row)}" if row.suite else self.label(row)
            for row in self.tests
        }

    def kills(self, cells: tuple[Cell, ...]) -> frozenset[str]:
        """Ids of the faults that a row kills."""
        return frozenset(
            fault.id for fault, cell in zip(self.faults, cells, strict=False) if _is_kill(cell, fault)
        )


def _is_kill(cell: Cell, fault: FaultColumn) -> bool:
    return cell is Cell.KILLED or (cell is Cell.TIMEOUT and fault.timeout_is_kill)
