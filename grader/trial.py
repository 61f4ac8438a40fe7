"""The trial of one fault: the runs that it takes until its verdict is certain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.run import CUT_SHORT, Ending
from grader.runner import any_failure, failure_of
from grader.verdict import Status, Verdict, decide, suspects

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.plan import Planned, Setting
    from grader.programs import Program
    from grader.run import RunResult
    from grader.runner import Runner
    from grader.verdict import Baseline


@dataclass(frozen=True)
class Trial:
    """What stays the same through the trial of one fault.

    Attributes:
        runner: makes the runs.
        reference: the program that a test run alone must pass on.
        baseline: what the correct programs showed.
        planned: the fault and the setting of its first run.
        repeat: the other setting.
        timeout_is_kill: whether the fault is meant to hang.
        every_killer: name all tests that show the fault, not only the first.
    """

    runner: Runner
    reference: Program
    baseline: Baseline
    planned: Planned
    repeat: Setting
    timeout_is_kill: bool
    every_killer: bool

    def verdict(self, first: RunResult) -> Verdict:
        """The verdict, given the fault's first run; makes the further runs that it takes."""
        verdict = self._verdict(first)
        if verdict.status is Status.TIMEOUT and self.timeout_is_kill:
            return Verdict(Status.KILLED, tuple(filter(None, [verdict.hung_in])), verdict.message)
        return verdict

    def _verdict(self, first: RunResult) -> Verdict:
        if first.ending in CUT_SHORT:
            shown = self._shown_alone(suspects(first, self.baseline))
            first = first if shown else self._again(self.planned.setting)
            if shown or first.ending in CUT_SHORT:
                return decide(first, None, self.baseline, shown_alone=shown)
        elif first.ending is Ending.STOPPED and not suspects(first, self.baseline):
            first = self._run(self.planned.setting)
        return self._repeated(first)

    def _repeated(self, first: RunResult) -> Verdict:
        seen = suspects(first, self.baseline)
        if not seen:
            return decide(first, None, self.baseline)
        repeat = self._run(self.repeat, until=seen)
        if repeat.ending in CUT_SHORT:
            shown = self._shown_alone(seen)
            repeat = repeat if shown else self._again(self.repeat)
            return decide(first, repeat, self.baseline, shown_alone=shown)
        verdict = decide(first, repeat, self.baseline)
        if verdict.status is Status.SURVIVED and first.ending is Ending.STOPPED:
            # The first run ended at its first failure, which was chance; the tests after it have their say now.
            return decide(self._run(self.planned.setting), repeat, self.baseline)
        return verdict

    def _run(self, setting: Setting, until: Sequence[str] = ()) -> RunResult:
        watch = failure_of(until) if until and not self.every_killer else None
        return self.runner.run(self.planned.program, setting, watch=watch)

    def _again(self, setting: Setting) -> RunResult:
        """A run that was cut short, once more, with nothing else running."""
        return self.runner.run(self.planned.program, setting, alone=True)

    def _shown_alone(self, tests: Sequence[str]) -> list[str]:
        """Those of `tests` that fail on the fault when they run alone, in both settings, and pass so on the reference."""
        shown: list[str] = []
        for test in tests:
            if all(self._shows(test, setting) for setting in (self.planned.setting, self.repeat)):
                shown.append(test)
                if not self.every_killer:
                    break
        return shown

    def _shows(self, test: str, setting: Setting) -> bool:
        on_fault = self.runner.run(self.planned.program, setting, only=[test])
        if test not in on_fault.failed():
            return False
        return test in self.runner.run(self.reference, setting, only=[test]).passed()


def first_run(runner: Runner, planned: Planned, *, every_killer: bool) -> RunResult:
    """A fault's first run; it is ended at its first failing test, unless all of them are wanted."""
    return runner.run(planned.program, planned.setting, watch=None if every_killer else any_failure)
