"""How the tests of a suite ended on one program, put together from the runs that it took to hear of each."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.run import CUT_SHORT, Ending
from grader.workers import wire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.programs import Program
    from grader.run import RunResult


class Outcome(enum.StrEnum):
    """How one test ended on a program."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"
    TIMEOUT = "timeout"
    CRASHED = "crashed"  # the process ended, or the memory limit was met
    NOT_LOADED = "not_loaded"  # the program or the test file raises while it is imported
    NOT_RUN = "not_run"  # the run ended before it, and a run of it alone said nothing


KILLS = frozenset({Outcome.FAILED, Outcome.ERROR, Outcome.NOT_LOADED})
OUTCOMES = {
    wire.Outcome.XPASSED_STRICT: Outcome.XPASSED,
    wire.Outcome.OUT_OF_MEMORY: Outcome.CRASHED,
}


@dataclass(frozen=True)
class Tried:
    """What one program did to every test of the suite.

    Attributes:
        program: which.
        outcomes: node id → outcome, for every test that the suite has on the reference, in collection order.
        messages: node id → what the test said, where it said something.
        ending: how the first run ended, whatever was found out afterwards.
        detail: one sentence about an ending that is not as it should be.
        seconds: wall-clock time of the first run.
    """

    program: Program
    outcomes: Mapping[str, Outcome]
    messages: Mapping[str, str]
    ending: Ending
    detail: str
    seconds: float

    @property
    def killers(self) -> tuple[str, ...]:
        """Node ids of the tests that show that the program is wrong, in collection order."""
        return tuple(test for test, outcome in self.outcomes.items() if outcome in KILLS)

    @property
    def hung_in(self) -> tuple[str, ...]:
        """Node ids of the tests that did not end."""
        return tuple(test for test, outcome in self.outcomes.items() if outcome is Outcome.TIMEOUT)

    @property
    def loads(self) -> bool:
        """Whether every test file loads on the program."""
        return Outcome.NOT_LOADED not in self.outcomes.values()

    def names(self, *, hanging: bool = False) -> frozenset[str]:
        """The functions that kill, as `caught_by` names them; `hanging`: not to end is a kill too."""
        return frozenset(map(function_name, self.killers + (self.hung_in if hanging else ())))


def function_name(test: str) -> str:
    """The name of a test's function: `a/test_b.py::TestC::test_d[x-1]` → `test_d`."""
    return test.partition("[")[0].rpartition("::")[2]


class Said:
    """What the runs of one program have said so far; what was said first stands.

    Args:
        outcomes: every test of the suite, as not run.
    """

    def __init__(self, outcomes: dict[str, Outcome]) -> None:
        self.outcomes = outcomes
        self.messages: dict[str, str] = {}

    def take(self, result: RunResult, *, believed: bool) -> None:
        """Take in what one run said; `believed`: also of the test, or the file, in which it was cut short."""
        for test, ended in result.results.items():
            self._note(test, OUTCOMES.get(ended.outcome) or Outcome(ended.outcome.value), ended.message)
        if believed and result.ending in CUT_SHORT:
            ending = Outcome.TIMEOUT if result.ending is Ending.TIMEOUT else Outcome.CRASHED
            for test in [result.current] if result.tests else list(self.outcomes):
                self._note(test, ending, result.detail)
        for test in self.outcomes:
            if (failure := result.load_failures.get(test.partition("::")[0])) is not None:
                self._note(test, Outcome.NOT_LOADED, failure.message)

    def _note(self, test: str, outcome: Outcome, message: str) -> None:
        if self.outcomes.get(test) is Outcome.NOT_RUN:
            self.outcomes[test] = outcome
            if message:
                self.messages[test] = message
