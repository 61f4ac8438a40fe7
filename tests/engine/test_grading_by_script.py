"""Which runs a grading makes, under which deadlines and beside what, shown by a host that plays its results."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from grader.errors import HarnessError
from grader.grading import Grading, Options
from grader.plan import CORRECT_RUNS_WITH_RANDOMNESS, LATER_CORRECT_RUNS, draw_plan
from grader.programs import programs_of
from grader.run import Ending, RunResult, TestResult
from grader.runner import FLOOR
from grader.workers.wire import Outcome, Prepared

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.grading import SuiteGrade
    from grader.lesson import Lesson
    from grader.programs import Program
    from grader.workers.conversation import Job
    from grader.workers.wire import Module

TEST = "test_it.py::test"
LIMIT = 20.0


def played(
    outcome: Outcome = Outcome.PASSED,
    ending: Ending = Ending.COMPLETED,
    *,
    seconds: float = 0.1,
    draws: int = 0,
) -> RunResult:
    results = {} if ending is not Ending.COMPLETED else {TEST: TestResult(outcome, "no")}
    return RunResult((TEST,), results, {}, ending, "its detail", TEST, seconds, draws)


TIMEOUT = played(ending=Ending.TIMEOUT)


@dataclass
class Made:
    """One run that was asked for."""

    program: str
    job: Job


@dataclass
class PlayedHost:
    """Answers each run as its script says: from the program's name, the job, and how often it ran before."""

    names: dict[str, str]
    script: Callable[[str, Job, int], RunResult]
    made: list[Made] = field(default_factory=list)
    prepared: Prepared = field(default_factory=lambda: Prepared([], ["test_it.py"]))
    _lock: threading.Lock = field(default_factory=threading.Lock)
    cancelled: bool = False

    def run(self, job: Job) -> RunResult:
        name = self.names[job.run.program[0].source]
        with self._lock:
            before = sum(made.program == name for made in self.made)
            self.made.append(Made(name, job))
        return self.script(name, job, before)

    def cancel(self) -> None:
        self.cancelled = True

    def of(self, name: str) -> list[Job]:
        return [made.job for made in self.made if made.program == name]


def honest(name: str, _job: Job, _before: int) -> RunResult:
    """A good suite: it rejects the canary and every fault."""
    return played() if name in {"reference", "backwards", "formatted"} else played(Outcome.FAILED)


def as_written(lesson: Lesson) -> Any:
    """Programs that are not rewritten, so that a played host can tell them apart."""

    class AsWritten:
        programs = programs_of(lesson)

        def fresh(self, program: Program) -> list[Module]:
            return list(program.modules)

    return AsWritten()


@pytest.fixture
def play(lesson: Lesson) -> Callable[..., tuple[SuiteGrade, PlayedHost]]:
    programs = programs_of(lesson)
    everything = [*programs.correct, programs.canary, *programs.faults]
    names = {program.modules[0].source: program.name for program in everything}

    def play(script: Callable[[str, Job, int], RunResult], **options: Any) -> tuple[SuiteGrade, PlayedHost]:
        host: Any = PlayedHost(names, script)
        return Grading(
            lesson, host, as_written(lesson), Options(**({"seed": 7, "timeout": LIMIT} | options))
        ).grade(), host

    return play


def test_a_good_suite_takes_one_run_per_correct_setting_one_canary_and_two_runs_per_fault(play: Any) -> None:
    grade, host = play(honest)
    assert grade.problems == ()
    counts = {name: len(host.of(name)) for name in host.names.values()}
    assert sum(counts.values()) == 4 + 1 + 2 * 2 + LATER_CORRECT_RUNS
    assert counts["canary"] == 1
    assert counts["s01"] == counts["s02"] == 2


def test_a_correct_program_comes_before_everything_else_whatever_the_seed(play: Any) -> None:
    for seed in range(12):
        _grade, host = play(honest, seed=seed)
        assert host.made[0].program in {"reference", "backwards", "formatted"}
        assert host.made[1].program == "canary"


def test_a_fault_runs_only_in_settings_of_correct_programs_and_twice_in_different_ones(play: Any) -> None:
    _grade, host = play(honest)
    correct = {
        setting(made.job) for made in host.made if made.program in {"reference", "backwards", "formatted"}
    }
    for fault in ("s01", "s02"):
        settings = [setting(job) for job in host.of(fault)]
        assert len(set(settings)) == 2
        assert set(settings) <= correct


def setting(job: Job) -> tuple[str, int, str]:
    return job.run.order.value, job.run.order_seed, job.run.seed


# Deadlines ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slowest", "limit", "deadline"),
    [(0.1, 20.0, FLOOR), (0.4, 20.0, 2.0), (1.0, 20.0, 5.0), (6.0, 20.0, 20.0), (0.1, 1.0, 1.0)],
)
def test_a_faults_deadline_follows_from_the_slowest_correct_run(
    play: Any, slowest: float, limit: float, deadline: float
) -> None:
    def script(name: str, job: Job, before: int) -> RunResult:
        return played(seconds=slowest) if name == "backwards" else honest(name, job, before)

    _grade, host = play(script, timeout=limit)
    assert {host.of(fault)[-1].deadline for fault in ("s01", "s02")} == {deadline}
    for name in ("reference", "backwards", "formatted", "canary"):
        assert {job.deadline for job in host.of(name)} == {limit}


# Runs that are cut short --------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [Ending.TIMEOUT, Ending.CRASHED, Ending.MEMORY, Ending.EXITED])
def test_a_correct_run_that_was_cut_short_is_believed_only_when_it_recurs_alone(
    play: Any, ending: Ending
) -> None:
    def once(name: str, job: Job, before: int) -> RunResult:
        return played(ending=ending) if name == "backwards" and before == 0 else honest(name, job, before)

    grade, host = play(once)
    assert grade.problems == ()
    assert [job.alone for job in host.of("backwards")] == [False, True]
    assert setting(host.of("backwards")[0]) == setting(host.of("backwards")[1])


@pytest.mark.parametrize("ending", [Ending.TIMEOUT, Ending.CRASHED, Ending.EXITED])
def test_a_faults_run_that_was_cut_short_is_believed_only_when_it_recurs_alone(
    play: Any, ending: Ending
) -> None:
    def once(name: str, job: Job, before: int) -> RunResult:
        return played(ending=ending) if name == "s01" and before == 0 else honest(name, job, before)

    def always(name: str, job: Job, before: int) -> RunResult:
        return played(ending=ending) if name == "s01" else honest(name, job, before)

    grade, host = play(once)
    assert grade.faults[0].verdict.status == "killed"
    assert [job.alone for job in host.of("s01")] == [False, True, False]
    grade, host = play(always)
    assert grade.faults[0].verdict.status == ("timeout" if ending is Ending.TIMEOUT else "crashed")
    assert [job.alone for job in host.of("s01")] == [False, True]


def test_a_slow_machine_kills_nothing(play: Any) -> None:
    def slow(name: str, job: Job, before: int) -> RunResult:
        return TIMEOUT if name in {"s01", "s02"} and not job.alone else honest(name, job, before)

    grade, _host = play(slow)
    assert {result.verdict.status for result in grade.faults} <= {"killed", "timeout"}
    assert all(not result.verdict.killed_by for result in grade.faults if result.verdict.status != "killed")


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_the_first_confirmed_end_on_a_correct_program_ends_the_grading_and_is_the_one_reported(
    play: Any, lesson: Lesson, jobs: int
) -> None:
    def hangs(name: str, _job: Job, _before: int) -> RunResult:
        return played(ending=Ending.TIMEOUT)

    for seed in range(6):
        first = draw_plan(programs_of(lesson), seed).first
        grade, host = play(hangs, seed=seed, jobs=jobs)
        assert [(problem.kind, problem.program) for problem in grade.problems] == [
            ("timeout", first.program.kind)
        ]
        assert grade.faults == ()
        assert not {made.program for made in host.made} & {"s01", "s02"}


def test_no_fault_needs_to_run_once_a_correct_program_was_rejected(play: Any) -> None:
    def rejects(name: str, job: Job, before: int) -> RunResult:
        return played(Outcome.FAILED) if name == "reference" else honest(name, job, before)

    grade, host = play(rejects, seed=7)
    assert [problem.kind for problem in grade.problems] == ["rejects_reference"]
    assert grade.faults == ()
    first = next(i for i, made in enumerate(host.made) if made.program == "reference")
    assert not {made.program for made in host.made[first:]} & {"s01", "s02"}


# Randomness ---------------------------------------------------------------------------------------------------


def test_draws_in_any_correct_run_raise_the_correct_runs_to_twelve(play: Any) -> None:
    def draws(name: str, job: Job, before: int) -> RunResult:
        return played(draws=1) if name == "formatted" else honest(name, job, before)

    _grade, host = play(draws)
    correct = [made for made in host.made if made.program in {"reference", "backwards", "formatted"}]
    assert len(correct) == CORRECT_RUNS_WITH_RANDOMNESS + LATER_CORRECT_RUNS
    assert len({setting(made.job) for made in correct}) == 12


# Kills --------------------------------------------------------------------------------------------------------


def test_one_failure_of_two_is_no_kill_and_has_a_notice(play: Any) -> None:
    def once(name: str, job: Job, before: int) -> RunResult:
        return played() if name == "s01" and before > 0 else honest(name, job, before)

    grade, _host = play(once)
    assert grade.faults[0].verdict.status == "survived"
    assert any("s01" in notice and TEST in notice for notice in grade.notices)


@pytest.mark.parametrize("seed", range(12))
def test_a_failure_is_repeated_in_the_setting_in_which_its_test_comes_first(play: Any, seed: int) -> None:
    names = tuple(f"test_it.py::test_{letter}" for letter in "abcdef")

    def order(job: Job) -> list[str]:
        # Any order will do that follows from the setting alone.
        return sorted(names, key=lambda name: hashlib.sha256(f"{job.run.seed}{name}".encode()).digest())

    def last_fails(name: str, job: Job, before: int) -> RunResult:
        del before
        fails = {"canary": names[0], "s01": names[5]}.get(name, "")
        outcomes = {test: Outcome.FAILED if test == fails else Outcome.PASSED for test in order(job)}
        results = {test: TestResult(outcome) for test, outcome in outcomes.items()}
        return RunResult(names, results, {}, Ending.COMPLETED, "", "", 0.1, 0)

    grade, host = play(last_fails, seed=seed)
    assert grade.faults[0].verdict.status == "killed"
    first, repeat = host.of("s01")
    correct = [made.job for made in host.made if made.program in {"reference", "backwards", "formatted"}]
    others = [job for job in correct if setting(job) != setting(first)]
    assert setting(repeat) in {setting(job) for job in others}
    assert order(repeat).index(names[5]) == min(order(job).index(names[5]) for job in others)


def test_the_counts_add_up(play: Any) -> None:
    grade, _host = play(honest)
    assert [result.fault.id for result in grade.faults] == ["s01", "s02"]


# Failures of the house ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("failing", ["reference", "canary", "s01"])
def test_a_failure_of_the_house_ends_the_grading_as_such(play: Any, failing: str, jobs: int) -> None:
    def fails(name: str, job: Job, before: int) -> RunResult:
        if name == failing:
            raise HarnessError("the server is gone", "")
        return honest(name, job, before)

    with pytest.raises(HarnessError):
        play(fails, jobs=jobs)


def test_progress_never_passes_what_is_known_to_be_needed(lesson: Lesson, play: Any) -> None:
    seen: list[tuple[int, int]] = []
    programs = programs_of(lesson)
    everything = [*programs.correct, programs.canary, *programs.faults]
    host: Any = PlayedHost({program.modules[0].source: program.name for program in everything}, honest)
    Grading(
        lesson, host, as_written(lesson), Options(7, LIMIT), lambda done, needed: seen.append((done, needed))
    ).grade()
    assert [done for done, _needed in seen] == list(range(1, len(seen) + 1))
    assert seen[-1][0] == seen[-1][1]
