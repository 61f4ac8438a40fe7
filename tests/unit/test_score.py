"""The score is exact: rounding lifts nothing over a threshold."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.grading import FaultResult
from grader.lesson import Edit, Fault, Witness
from grader.score import Score, score_of
from grader.verdict import Status, Verdict

THRESHOLDS = st.decimals(min_value=Decimal("0.01"), max_value=1, places=2)


def score(killed: int, total: int, threshold: str = "0.80") -> Score:
    return score_of([result(i, killed=i < killed) for i in range(total)], Decimal(threshold))


def result(number: int, *, killed: bool, required: bool = False) -> FaultResult:
    fault = Fault(
        id=f"s{number:03}",
        path=Path(f"s{number:03}.toml"),
        title="a fault",
        symptom="a symptom",
        hint="a hint",
        caught_by=("test_a",),
        edits=(Edit(file="a.py", find="a", replace="b"),),
        witness=Witness(call="return 1"),
        required=required,
    )
    return FaultResult(fault, Verdict(Status.KILLED if killed else Status.SURVIVED), 0.0)


def test_nine_faults_and_a_threshold_of_four_fifths_need_eight() -> None:
    assert score(0, 9).needed == 8
    assert not score(7, 9).passed
    assert score(8, 9).passed


def test_799_of_1000_fails_four_fifths_and_is_not_shown_as_it() -> None:
    missed = score(799, 1000)
    assert not missed.passed
    assert missed.shown == 0.799
    assert score(800, 1000).passed


def test_what_would_round_to_the_threshold_is_shown_below_it() -> None:
    missed = Score(799_999, 1_000_000, 800_000, Decimal("0.80"), ())
    assert not missed.passed
    assert missed.shown == 0.7999


def test_all_but_one_of_very_many_is_not_shown_as_all() -> None:
    assert Score(99_999_999, 100_000_000, 1, Decimal("0.80"), ()).shown == 0.9999


def test_a_threshold_keeps_its_decimal_digits() -> None:
    # In binary floating point 0.07 * 100 is a little more than 7.
    assert score(7, 100, "0.07").passed


@given(
    st.integers(1, 3000).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))), THRESHOLDS
)
def test_passed_means_that_the_exact_share_reaches_the_threshold(
    counts: tuple[int, int], threshold: Decimal
) -> None:
    killed, total = counts
    exact = Fraction(killed, total)
    needed = -(-Fraction(threshold) * total // 1)
    found = Score(killed, total, int(needed), threshold, ())
    assert found.passed == (exact >= Fraction(threshold))
    assert (Fraction(str(found.shown)) >= Fraction(threshold)) == found.passed
    assert (found.shown == 1.0) == (killed == total)
    assert abs(Fraction(str(found.shown)) - exact) <= Fraction(1, 10_000)


@given(st.integers(1, 40).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))), THRESHOLDS)
def test_the_kills_asked_for_are_the_fewest_that_reach_the_threshold(
    counts: tuple[int, int], threshold: Decimal
) -> None:
    killed, total = counts
    assert score(killed, total, str(threshold)).passed == (Fraction(killed, total) >= Fraction(threshold))


@pytest.mark.parametrize("required_killed", [True, False])
def test_a_required_fault_that_is_alive_fails_whatever_the_score(required_killed: bool) -> None:
    faults = [
        result(0, killed=required_killed, required=True),
        *(result(i, killed=True) for i in range(1, 10)),
    ]
    found = score_of(faults, Decimal("0.80"))
    assert found.killed >= found.needed
    assert found.passed == required_killed
    assert found.required_missing == (() if required_killed else ("s000",))


@pytest.mark.parametrize("status", sorted(set(Status) - {Status.KILLED}))
def test_only_killed_counts_as_killed(status: Status) -> None:
    alive = FaultResult(result(0, killed=False).fault, Verdict(status), 0.0)
    assert score_of([alive], Decimal("0.80")).killed == 0
