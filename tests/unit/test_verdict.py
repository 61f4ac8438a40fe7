"""A kill needs positive evidence: the verdict on a fault, over every combination of what its runs can show."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.run import CUT_SHORT, Ending, LoadFailure, RunResult, TestResult
from grader.verdict import Baseline, Status, Verdict, baseline_of, decide, message_of, suspects
from grader.workers.wire import LoadEnding, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE, OTHER_FILE = "test_a.py", "test_b.py"
SOUND, UNSOUND = f"{FILE}::test_sound", f"{FILE}::test_unsound"
BASELINE = Baseline(frozenset({SOUND}), frozenset({FILE}))


def run_of(
    results: Mapping[str, Outcome] | None = None,
    ending: Ending = Ending.COMPLETED,
    load: Mapping[str, LoadEnding] | None = None,
) -> RunResult:
    results = results or {}
    return RunResult(
        tests=tuple(results),
        results={name: TestResult(outcome, f"{name} said so") for name, outcome in results.items()},
        load_failures={name: LoadFailure(how, f"{name} said so", "") for name, how in (load or {}).items()},
        ending=ending,
        detail="its detail",
        current="",
        seconds=0.1,
        draws=0,
    )


# What the one sound test (or the one sound file) showed, and whether that is evidence of a fault.
EVIDENCE: dict[str, tuple[RunResult, bool]] = {
    "nothing": (run_of(), False),
    **{str(outcome): (run_of({SOUND: outcome}), False) for outcome in Outcome},
    "failed": (run_of({SOUND: Outcome.FAILED}), True),
    "error": (run_of({SOUND: Outcome.ERROR}), True),
    "an unsound test failed": (run_of({UNSOUND: Outcome.FAILED, SOUND: Outcome.PASSED}), False),
    **{f"load {how}": (run_of(load={FILE: how}), False) for how in LoadEnding},
    "load raised": (run_of(load={FILE: LoadEnding.RAISED}), True),
    "another file raised": (run_of({SOUND: Outcome.PASSED}, load={OTHER_FILE: LoadEnding.RAISED}), False),
}


def ended(run: RunResult, ending: Ending) -> RunResult:
    return RunResult(
        run.tests,
        run.results,
        run.load_failures,
        ending,
        run.detail,
        run.current,
        run.seconds,
        run.draws,
    )


def expected_status(first: str, first_ending: Ending, second: str | None, second_ending: Ending) -> Status:
    """The table of the contract, written without the code that it judges."""
    for ending in (first_ending, *([second_ending] if second is not None else [])):
        if ending is Ending.TIMEOUT:
            return Status.TIMEOUT
        if ending in {Ending.CRASHED, Ending.EXITED, Ending.MEMORY}:
            return Status.CRASHED
    if second is None:
        return Status.SURVIVED
    shown_twice = EVIDENCE[first][1] and EVIDENCE[second][1]
    same_name = first.startswith("load") == second.startswith("load")
    return Status.KILLED if shown_twice and same_name else Status.SURVIVED


@pytest.mark.parametrize("first", EVIDENCE)
def test_every_combination_of_endings_and_evidence_has_the_status_of_the_table(first: str) -> None:
    for first_ending, second, second_ending in itertools.product(Ending, [None, *EVIDENCE], Ending):
        one = ended(EVIDENCE[first][0], first_ending)
        two = None if second is None else ended(EVIDENCE[second][0], second_ending)
        verdict = decide(one, two, BASELINE)
        case = (first, first_ending, second, second_ending)
        assert verdict.status is expected_status(*case), case
        assert bool(verdict.killed_by) == (verdict.status is Status.KILLED), case


@pytest.mark.parametrize("ending", Ending)
def test_what_was_shown_alone_kills_however_the_whole_run_ended(ending: Ending) -> None:
    first = run_of({SOUND: Outcome.FAILED}, ending)
    verdict = decide(first, None, BASELINE, shown_alone=[SOUND])
    assert verdict == Verdict(Status.KILLED, (SOUND,), f"{SOUND} said so")


outcomes = st.dictionaries(st.sampled_from([SOUND, UNSOUND]), st.sampled_from(Outcome))
loads = st.dictionaries(st.sampled_from([FILE, OTHER_FILE]), st.sampled_from(LoadEnding))
runs = st.builds(run_of, outcomes, st.sampled_from(Ending), loads)
baselines = st.builds(
    Baseline,
    st.frozensets(st.sampled_from([SOUND, UNSOUND])),
    st.frozensets(st.sampled_from([FILE, OTHER_FILE])),
)


def raised_or_failed(run: RunResult, name: str) -> bool:
    result, failure = run.results.get(name), run.load_failures.get(name)
    failed = result is not None and result.outcome in {Outcome.FAILED, Outcome.ERROR}
    return failed or (failure is not None and failure.ending is LoadEnding.RAISED)


@given(runs, st.none() | runs, baselines)
def test_no_ending_is_a_kill_without_a_sound_test_that_failed_in_two_whole_runs(
    first: RunResult, repeat: RunResult | None, baseline: Baseline
) -> None:
    verdict = decide(first, repeat, baseline)
    assert (verdict.status is Status.KILLED) == bool(verdict.killed_by)
    for killer in verdict.killed_by:
        assert repeat is not None
        assert killer in baseline.sound | baseline.loading
        assert raised_or_failed(first, killer)
        assert raised_or_failed(repeat, killer)
        assert not {first.ending, repeat.ending} & CUT_SHORT


@given(runs, st.none() | runs, baselines)
def test_a_failure_that_did_not_repeat_survives_with_a_notice_that_names_it(
    first: RunResult, repeat: RunResult | None, baseline: Baseline
) -> None:
    verdict = decide(first, repeat, baseline)
    if verdict.status is not Status.SURVIVED or repeat is None:
        assert verdict.notice == ""
    else:
        assert all(name in verdict.notice for name in suspects(first, baseline))


@pytest.mark.parametrize(
    ("ending", "words"),
    [(Ending.TIMEOUT, "time limit"), (Ending.MEMORY, "memory limit"), (Ending.CRASHED, "its detail")],
)
def test_each_kind_of_cut_short_run_says_what_it_was(ending: Ending, words: str) -> None:
    assert words in decide(run_of(ending=ending), None, BASELINE).message


def test_the_memory_limit_is_not_called_a_time_limit() -> None:
    assert "time limit" not in decide(run_of(ending=Ending.MEMORY), None, BASELINE).message


def test_killers_come_in_the_order_of_the_suite_with_files_first() -> None:
    first = run_of({SOUND: Outcome.FAILED, UNSOUND: Outcome.ERROR}, load={OTHER_FILE: LoadEnding.RAISED})
    everything = Baseline(frozenset({UNSOUND, SOUND}), frozenset({OTHER_FILE}))
    assert decide(first, first, everything).killed_by == (OTHER_FILE, SOUND, UNSOUND)


def test_a_test_is_sound_only_when_it_passed_in_every_correct_run() -> None:
    always = run_of({SOUND: Outcome.PASSED, UNSOUND: Outcome.PASSED})
    once = run_of({SOUND: Outcome.PASSED, UNSOUND: Outcome.SKIPPED})
    assert baseline_of([always, always], [FILE]).sound == {SOUND, UNSOUND}
    assert baseline_of([always, once], [FILE]).sound == {SOUND}
    assert baseline_of([always, run_of({SOUND: Outcome.PASSED})], [FILE]).sound == {SOUND}


@pytest.mark.parametrize("outcome", sorted(set(Outcome) - {Outcome.PASSED}))
def test_nothing_but_passed_makes_a_test_sound(outcome: Outcome) -> None:
    assert baseline_of([run_of({SOUND: outcome})], [FILE]).sound == frozenset()


@pytest.mark.parametrize("ending", LoadEnding)
def test_a_file_that_once_gave_no_tests_on_a_correct_program_kills_nothing(ending: LoadEnding) -> None:
    baseline = baseline_of([run_of(), run_of(load={FILE: ending})], [FILE, OTHER_FILE])
    assert baseline.loading == {OTHER_FILE}


def test_without_correct_runs_nothing_is_sound() -> None:
    assert baseline_of([], []).sound == frozenset()


def test_the_message_of_a_test_or_file_is_its_own() -> None:
    run = run_of({SOUND: Outcome.FAILED}, load={FILE: LoadEnding.RAISED})
    assert message_of(run, SOUND) == f"{SOUND} said so"
    assert message_of(run, FILE) == f"{FILE} said so"
    assert message_of(run, "test_elsewhere.py") == ""
