"""The plan of a grading: no setting betrays a fault, and the seed decides everything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.plan import CORRECT_RUNS_WITH_RANDOMNESS, Plan, Setting, draw_plan
from grader.programs import Kind, Program, Programs
from grader.workers.wire import Module, Order


def program(kind: Kind, name: str) -> Program:
    return Program(kind, name, (Module("words.shout", f"# {name}"),))


def programs_with(variants: int, faults: int, marker: str = "") -> Programs:
    return Programs(
        program(Kind.REFERENCE, f"reference{marker}"),
        tuple(program(Kind.VARIANT, f"variant {i}{marker}") for i in range(variants)),
        program(Kind.CANARY, f"canary{marker}"),
        tuple(program(Kind.FAULT, f"s{i:02}{marker}") for i in range(faults)),
    )


counts = st.tuples(st.integers(1, 8), st.integers(1, 20))
seeds = st.integers(0, 2**63)


def settings_of(plan: Plan) -> list[Setting]:
    return [planned.setting for planned in plan.correct]


@given(counts, seeds)
def test_each_correct_run_has_a_setting_of_its_own(count: tuple[int, int], seed: int) -> None:
    plan = draw_plan(programs_with(*count), seed)
    settings = [planned.setting for planned in (*plan.correct, *plan.extra)]
    assert len(set(settings)) == len(settings)
    assert len({setting.seed for setting in settings}) == len(settings)


@given(counts, seeds)
def test_the_reference_runs_in_collection_order_and_in_its_reverse_and_each_variant_once(
    count: tuple[int, int], seed: int
) -> None:
    programs = programs_with(*count)
    plan = draw_plan(programs, seed)
    assert [planned.program for planned in plan.correct] == [programs.reference, *programs.correct]
    orders = [setting.order for setting in settings_of(plan)]
    assert orders[:2] == [Order.COLLECTION, Order.REVERSED]
    assert set(orders[2:]) == {Order.SHUFFLED}


@given(counts, seeds)
def test_a_fault_and_the_canary_run_only_where_a_correct_program_also_ran(
    count: tuple[int, int], seed: int
) -> None:
    plan = draw_plan(programs_with(*count), seed)
    correct = set(settings_of(plan))
    assert plan.canary.setting in correct
    for fault in plan.faults:
        assert fault.setting in correct
        assert plan.repeats[fault.program.name] in correct - {fault.setting}


@given(counts, seeds)
def test_settings_do_not_depend_on_the_programs(count: tuple[int, int], seed: int) -> None:
    plain = draw_plan(programs_with(*count), seed)
    renamed = draw_plan(programs_with(*count, marker=" renamed"), seed)
    assert settings_of(plain) == settings_of(renamed)
    assert [planned.setting for planned in plain.faults] == [planned.setting for planned in renamed.faults]


@given(counts, seeds)
def test_a_correct_program_comes_first_and_the_rest_is_every_other_run_once(
    count: tuple[int, int], seed: int
) -> None:
    plan = draw_plan(programs_with(*count), seed)
    assert plan.first in plan.correct
    everything = [plan.first, *plan.rest]
    assert sorted(map(repr, everything)) == sorted(map(repr, (*plan.correct, *plan.faults)))


@given(counts, seeds)
def test_the_same_seed_gives_the_same_plan(count: tuple[int, int], seed: int) -> None:
    assert draw_plan(programs_with(*count), seed) == draw_plan(programs_with(*count), seed)


def test_another_seed_gives_other_settings_and_another_order() -> None:
    plans = [draw_plan(programs_with(4, 9), seed) for seed in range(20)]
    assert len({settings_of(plan)[0].seed for plan in plans}) == 20
    assert len({tuple(planned.program.name for planned in plan.rest) for plan in plans}) == 20
    assert len({plan.first.program.name for plan in plans}) > 1


@given(counts, seeds)
def test_with_randomness_there_are_at_least_twelve_correct_runs(count: tuple[int, int], seed: int) -> None:
    plan = draw_plan(programs_with(*count), seed)
    assert len(plan.correct) + len(plan.extra) >= CORRECT_RUNS_WITH_RANDOMNESS == 12
    assert all(planned.program.kind.correct for planned in plan.extra)


def test_a_lesson_with_many_variants_needs_no_further_runs() -> None:
    assert draw_plan(programs_with(15, 1), 7).extra == ()


@pytest.mark.parametrize("order", Order)
def test_other_seeds_keep_the_order_and_collection_order_keeps_the_seed(order: Order) -> None:
    setting = Setting(order, 5, "ab")
    others = setting.with_other_seeds()
    assert {(other.order, other.order_seed) for other in others} == {(order, 5)}
    assert len({"ab", *(other.seed for other in others)}) == 4
    assert setting.in_collection_order() == Setting(Order.COLLECTION, 0, "ab")


def test_the_seed_of_a_grading_cannot_be_read_from_its_settings() -> None:
    plan = draw_plan(programs_with(2, 2), 123456789)
    for setting in settings_of(plan):
        assert len(setting.seed) == 64
        assert "123456789" not in setting.seed
