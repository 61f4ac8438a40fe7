"""Reports to write: those that were kept, and some in which a learner wrote what they could."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from grader.report import BAD_ENDS, PolicyLine, ProblemLine, Report, TestLine, Tests
from grader.report_parts import error_report
from grader.writers.json import read

if TYPE_CHECKING:
    from collections.abc import Callable

CASES = Path(__file__).resolve().parents[1] / "screens" / "cases"
OUTCOMES = ("passed", "failed", "error", "skipped", "xfailed", "xpassed", "timeout", "crashed", "not_run")


@pytest.fixture(scope="session")
def kept() -> dict[str, Report]:
    """The reports whose screens are kept, by the name of the case."""
    return {path.parent.name: read(path) for path in sorted(CASES.glob("*/report.json"))}


@pytest.fixture(scope="session")
def told(kept: dict[str, Report]) -> Callable[[str], list[Report]]:
    """`told(text)`: an invalid suite, one with survivors on a module of its own, and an error, all saying `text`."""

    def make(text: str) -> list[Report]:
        return [_invalid(kept["not-allowed"], text), _failed(kept["full"], text), _error(text)]

    return make


def _invalid(report: Report, text: str) -> Report:
    assert report.validity is not None
    problems = (
        ProblemLine(kind="too_strict", test=text, program="variant", message=text),
        ProblemLine(kind="policy", test="", program="reference", message=f"{text} [{text}:3]."),
    )
    return replace(
        report,
        reason=text,
        policy=(PolicyLine(file=text, line=3, rule="import", message=text),),
        validity=replace(report.validity, problems=problems),
        notices=(text,),
    )


def _failed(report: Report, text: str) -> Report:
    assert report.mutation is not None
    faults = tuple(
        replace(fault, killed_by=(text,))
        if fault.status == "killed"
        else replace(fault, message=text, witness=text)
        for fault in report.mutation.faults
    )
    lines = tuple(TestLine(test=text, outcome=outcome, message=text) for outcome in OUTCOMES)
    tests = Tests(passed=1, failed=sum(line.outcome in BAD_ENDS for line in lines), tests=lines)
    return replace(
        report,
        reason=text,
        course=tests,
        own=tests,
        mutation=replace(report.mutation, faults=faults),
        notices=(text,),
    )


def _error(text: str) -> Report:
    from grader.errors import HarnessError  # noqa: PLC0415 - only here

    return error_report("L7.1", 7, HarnessError(text))
