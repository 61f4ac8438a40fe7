"""What the runs of a fault mean. Pure and total: no process, no clock, no file.

A kill needs positive evidence: one test, or one test file while loading, that was sound on every correct program,
failed on the fault, and failed on it again in a second process. No ending of a process is a kill by itself.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.run import CUT_SHORT, Ending

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.run import RunResult


class Status(enum.StrEnum):
    """What became of a fault."""

    KILLED = "killed"
    SURVIVED = "survived"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    NOT_RUN = "not_run"


@dataclass(frozen=True)
class Baseline:
    """What the correct programs showed.

    Attributes:
        sound: node ids that passed in every correct run.
        loading: test files that loaded in every correct run.
    """

    sound: frozenset[str]
    loading: frozenset[str]


@dataclass(frozen=True)
class Verdict:
    """The verdict on one fault.

    Attributes:
        killed_by: the tests (or test files) that showed it twice.
        message: what the first of them said, or how the runs ended.
        notice: what the one who wrote the suite should know besides.
        hung_in: the test that ran when time was up, if it was.
    """

    status: Status
    killed_by: tuple[str, ...] = ()
    message: str = ""
    notice: str = ""
    hung_in: str = ""


def baseline_of(correct: Sequence[RunResult], test_files: Sequence[str]) -> Baseline:
    """What may kill, by the runs of the correct programs."""
    sound = set(correct[0].passed()) if correct else set()
    for run in correct[1:]:
        sound &= run.passed()
    failing = {file for run in correct for file in run.load_failures}
    return Baseline(frozenset(sound), frozenset(set(test_files) - failing))


def suspects(run: RunResult, baseline: Baseline) -> list[str]:
    """What failed on a fault though it was sound on every correct program, in the order of the suite."""
    files = [file for file in run.files_that_raised() if file in baseline.loading]
    return files + [test for test in run.failed() if test in baseline.sound]


def decide(
    first: RunResult, repeat: RunResult | None, baseline: Baseline, *, shown_alone: Sequence[str] = ()
) -> Verdict:
    """The verdict on a fault.

    Args:
        first: its first run; one that was cut short has been repeated alone already, and is what recurred.
        repeat: its run in the other setting; None when there was nothing to repeat.
        baseline: what the correct programs showed.
        shown_alone: tests that failed when they ran alone, twice, and pass alone on the reference.
    """
    if shown_alone:
        return _killed(shown_alone, first)
    for run in (first, repeat):
        if run is not None and run.ending in CUT_SHORT:
            return _no_verdict(run)
    seen = suspects(first, baseline)
    if repeat is None or not seen:
        return Verdict(Status.SURVIVED)
    again = set(suspects(repeat, baseline))
    killers = [suspect for suspect in seen if suspect in again]
    if killers:
        return _killed(killers, first)
    return Verdict(Status.SURVIVED, notice=f"{', '.join(seen)} failed once and not again: that is no kill")


def _killed(killers: Sequence[str], run: RunResult) -> Verdict:
    return Verdict(Status.KILLED, tuple(killers), message_of(run, killers[0]))


def message_of(run: RunResult, name: str) -> str:
    """What a test, or a test file while loading, said when it failed; empty when it did not."""
    shown = run.results.get(name) or run.load_failures.get(name)
    return shown.message if shown is not None else ""


def _no_verdict(run: RunResult) -> Verdict:
    if run.ending is Ending.TIMEOUT:
        return Verdict(Status.TIMEOUT, message=f"time limit: {run.detail}", hung_in=run.current)
    if run.ending is Ending.MEMORY:
        return Verdict(Status.CRASHED, message="memory limit: the run asked for more memory than it may have")
    return Verdict(Status.CRASHED, message=run.detail)
