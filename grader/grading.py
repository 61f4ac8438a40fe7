"""Grades one suite: the correct programs, the canary, and every fault until its verdict is certain."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.plan import Planned, draw_plan
from grader.programs import Kind
from grader.run import CUT_SHORT, Ending, RunResult, with_failures_of
from grader.runner import Runner, any_failure
from grader.trial import Trial, first_run
from grader.validity import (
    BLIND,
    Examination,
    Observed,
    Problem,
    ending_problem,
    flaky_problems,
    nothing_ran,
    noticed,
    unloaded,
)
from grader.verdict import Baseline, Verdict, baseline_of, suspects

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from grader.lesson import Fault, Lesson
    from grader.plan import Plan, Setting
    from grader.repertoire import Repertoire
    from grader.workers.pool import Host


NAMES_IN_A_NOTICE = 3


@dataclass(frozen=True)
class FaultResult:
    """What became of one fault, and how long its first run took."""

    fault: Fault
    verdict: Verdict
    seconds: float


@dataclass(frozen=True)
class SuiteGrade:
    """What a grading found; `faults` is empty unless there are no problems."""

    tests: int
    problems: tuple[Problem, ...]
    faults: tuple[FaultResult, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True)
class Options:
    """How to grade.

    Attributes:
        seed: drives settings, orders and all randomness of the suite.
        timeout: seconds for one correct run.
        jobs: runs at a time.
        every_killer: name all tests that show a fault, not only the first.
    """

    seed: int
    timeout: float = 20.0
    jobs: int = 1
    every_killer: bool = False


@dataclass
class Grading:
    """The grading of one suite that a host has prepared.

    Attributes:
        on_progress: called with the runs that are done and the runs that are known to be needed.
    """

    lesson: Lesson
    host: Host
    repertoire: Repertoire
    options: Options
    on_progress: Callable[[int, int], None] = lambda _done, _all: None

    def __post_init__(self) -> None:
        self._programs = self.repertoire.programs
        self._plan: Plan = draw_plan(self._programs, self.options.seed)
        self._runner = Runner(self.host, self.repertoire, self.options.timeout)
        self._board = _Board()
        self._progress_lock = threading.Lock()
        self._done = 0
        self._needed = 2 + len(self._plan.rest) + len(self._plan.later)

    def grade(self) -> SuiteGrade:
        """Run everything that a certain verdict takes."""
        with ThreadPoolExecutor(self.options.jobs, thread_name_prefix="run") as pool:
            try:
                return self._grade(pool)
            except BaseException:
                self.host.cancel()
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def _grade(self, pool: ThreadPoolExecutor) -> SuiteGrade:
        begun = pool.submit(self._first_pass, self._plan.first)
        canary = pool.submit(self._first_pass, self._plan.canary)
        # Until one correct run has come to its end, it is not known that anything else needs to run.
        begun.result()
        list(pool.map(self._first_pass, self._plan.rest))
        canary.result()
        if self._board.draws and not self._board.given_up:
            self._needed += len(self._plan.extra)
            list(pool.map(self._first_pass, self._plan.extra))
        runs = self._board.correct([*self._plan.correct, *self._plan.extra])
        tests = len({test for run in runs for test in run.result.tests})
        problems = self._problems(runs)
        if problems:
            return SuiteGrade(tests, tuple(problems), (), ())
        baseline = baseline_of([run.result for run in runs], self.host.prepared.test_files)
        later = list(pool.map(lambda planned: self._later(planned, baseline), self._plan.later))
        problems = [problem for each in later if isinstance(each, list) for problem in each]
        if problems:
            return SuiteGrade(tests, tuple(problems), (), ())
        tried = [each for each in later if isinstance(each, FaultResult)]
        faults = sorted(tried, key=lambda result: result.fault.id)
        return SuiteGrade(
            tests, (), tuple(faults), tuple(_notices(runs, self._board, self._told_faults, faults))
        )

    @property
    def _told_faults(self) -> list[Planned]:
        """Without private faults: the name of a test may hold what it saw of the program, and is told in a notice."""
        private = {fault.id for fault in self.lesson.faults if fault.private}
        return [planned for planned in self._plan.faults if planned.program.name not in private]

    # first runs

    def _first_pass(self, planned: Planned) -> None:
        kind = planned.program.kind
        if kind.correct:
            self._correct_run(planned)
        elif kind is Kind.CANARY:
            self._board.put(planned, self._runner.run(planned.program, planned.setting, watch=any_failure))
        elif not self._board.rejected:
            self._board.put(planned, first_run(self._runner, planned, every_killer=self.options.every_killer))
        self._advance()

    def _correct_run(self, planned: Planned) -> None:
        # The first correct run that is cut short, twice, ends the grading.
        if not self._board.given_up:
            self._board.put(planned, self._certain_run(planned))

    def _certain_run(self, planned: Planned) -> RunResult:
        """A run of a correct program; that it was cut short is believed when it recurs with nothing else running."""
        result = self._runner.run(planned.program, planned.setting)
        if result.ending not in CUT_SHORT:
            return result
        return with_failures_of(result, self._runner.run(planned.program, planned.setting, alone=True))

    def _advance(self) -> None:
        with self._progress_lock:
            self._done += 1
            self.on_progress(self._done, self._needed)

    # what they mean

    def _problems(self, runs: Sequence[Observed]) -> list[Problem]:
        if self._board.given_up:
            # Runs start in the order of the plan, so the first one to be cut short was made whatever the others did.
            started = self._board.correct([self._plan.first, *self._plan.rest, *self._plan.extra])
            return [ending_problem(next(run for run in started if run.result.ending in CUT_SHORT))]
        problems = Examination(self._runner, self._programs.reference).problems(runs)
        if problems:
            return problems
        if not baseline_of([run.result for run in runs], self.host.prepared.test_files).sound:
            return [nothing_ran([run.result for run in runs], self.host.prepared.test_files)]
        return [] if self._canary_noticed() else [BLIND]

    def _canary_noticed(self) -> bool:
        reference = self._board.result(self._plan.correct[0])
        canary = self._board.result(self._plan.canary)
        if noticed(reference, canary) or canary.ending is not Ending.STOPPED:
            return noticed(reference, canary)
        full = self._runner.run(self._plan.canary.program, self._plan.canary.setting)
        return noticed(reference, full)

    def _later(self, planned: Planned, baseline: Baseline) -> FaultResult | list[Problem]:
        """The trial of a fault; or a correct run once more, and what it shows that it did not show before."""
        if not planned.program.kind.correct:
            return self._try(planned, baseline)
        again = Observed(planned, self._certain_run(planned))
        self._advance()
        return [ending_problem(again)] if again.result.ending in CUT_SHORT else flaky_problems(again)

    def _repeat_setting(self, planned: Planned, first: RunResult, baseline: Baseline) -> Setting:
        """The setting of a fault's second run: of those of the correct runs, the one in which what failed comes first.

        A run is ended when what it is made for has been seen, so this saves most of it. Which setting it is tells a run
        nothing: a correct program ran in each.
        """
        seen = suspects(first, baseline)
        known = self._board.correct(self._plan.correct)
        others = [run for run in known if run.planned.setting != planned.setting]
        if not seen or seen[0] not in baseline.sound or not others:
            return self._plan.repeats[planned.program.name]
        return min(others, key=lambda run: list(run.result.results).index(seen[0])).planned.setting

    def _try(self, planned: Planned, baseline: Baseline) -> FaultResult:
        fault = next(fault for fault in self.lesson.faults if fault.id == planned.program.name)
        first = self._board.result(planned)
        trial = Trial(
            self._runner,
            self._programs.reference,
            baseline,
            planned,
            self._repeat_setting(planned, first, baseline),
            fault.timeout_is_kill,
            self.options.every_killer,
        )
        verdict = trial.verdict(first)
        self._advance()
        return FaultResult(fault, verdict, first.seconds)


@dataclass
class _Board:
    """What the first runs showed, put there by several threads."""

    draws: bool = False
    rejected: bool = False  # a correct program was rejected: no fault needs to run any more
    given_up: bool = False  # a correct run was cut short, twice: nothing needs to run any more
    _results: dict[Planned, RunResult] = field(default_factory=dict)

    def put(self, planned: Planned, result: RunResult) -> None:
        self._results[planned] = result
        if planned.program.kind.correct:
            self.draws |= result.draws > 0
            self.given_up |= result.ending in CUT_SHORT
            self.rejected |= self.given_up or bool(result.rejecting()) or bool(unloaded(result))

    def result(self, planned: Planned) -> RunResult:
        return self._results[planned]

    def correct(self, planned: Sequence[Planned]) -> list[Observed]:
        """The correct runs that were made, in the order of the plan."""
        return [
            Observed(p, self._results[p]) for p in planned if p.program.kind.correct and p in self._results
        ]


def _about_unstable_names(tests: Sequence[str]) -> list[str]:
    if not tests:
        return []
    shown = ", ".join(tests[:NAMES_IN_A_NOTICE])
    more = f" and {len(tests) - NAMES_IN_A_NOTICE} more" if len(tests) > NAMES_IN_A_NOTICE else ""
    rule = "a test that does not exist on every correct program kills nothing"
    return [f"{shown}{more}: {rule}. Let the names of tests depend neither on chance nor on the module."]


def _notices(
    runs: Sequence[Observed], board: _Board, faults_planned: Sequence[Planned], faults: Sequence[FaultResult]
) -> list[str]:
    everywhere = set.intersection(*(set(run.result.tests) for run in runs))
    every = [*(run.result for run in runs), *(board.result(planned) for planned in faults_planned)]
    somewhere = dict.fromkeys(test for run in every for test in run.tests)
    notices = _about_unstable_names([test for test in somewhere if test not in everywhere])
    if board.draws:
        notices.append(
            f"The suite draws randomness that it does not seed: it ran {len(runs)} times on correct programs. "
            "Give its generators a seed."
        )
    notices += [f"{each.fault.id}: {each.verdict.notice}" for each in faults if each.verdict.notice]
    return notices
