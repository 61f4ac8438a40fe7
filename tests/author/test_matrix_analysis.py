"""What a table says as a whole, against definitions that are spelled out by brute force."""

from __future__ import annotations

import random
from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from grader.author.matrix import Cell, FaultColumn, Matrix, SuiteRow, TestRow, analysed
from grader.author.matrix.cover import smallest_cover
from grader.author.matrix.sentences import MOST, sections

if TYPE_CHECKING:
    from collections.abc import Sequence

K, S = Cell.KILLED, Cell.SURVIVED
SEEDS = range(150)


def matrix(*rows: str, hangs: str = "", suites: Sequence[SuiteRow] = ()) -> Matrix:
    """Rows of marks: x killed, . survived, t timeout, c crashed, s skipped, - not run. The faults are a, b, c and so on."""
    marks = {"x": K, ".": S, "t": Cell.TIMEOUT, "c": Cell.CRASHED, "s": Cell.SKIPPED, "-": Cell.NOT_RUN}
    faults = tuple(
        FaultColumn(each, f"fault {each}", timeout_is_kill=each in hangs)
        for each in "abcdefghij"[: len(rows[0])]
    )
    tests = tuple(TestRow(f"test_{n}", tuple(marks[each] for each in row)) for n, row in enumerate(rows))
    return Matrix("T1", faults, tests, tuple(suites))


def drawn(seed: int) -> Matrix:
    source = random.Random(seed)  # noqa: S311 - the same each time is the point
    tests, faults, density = source.randint(1, 8), source.randint(1, 8), source.random()
    return matrix(
        *("".join("x" if source.random() < density else "." for _ in range(faults)) for _ in range(tests))
    )


def kills(table: Matrix) -> dict[str, frozenset[str]]:
    return {row.name: table.kills(row.cells) for row in table.tests}


def killers(table: Matrix, fault: str) -> set[str]:
    return {test for test, killed in kills(table).items() if fault in killed}


# The smallest cover -------------------------------------------------------------------------------------------


def fewest(sets: list[frozenset[str]]) -> int:
    """The size of a minimum cover, by trying all choices, small ones first."""
    everything = frozenset().union(*sets)
    return next(
        size
        for size in range(len(sets) + 1)
        if any(frozenset().union(*chosen) == everything for chosen in combinations(sets, size))
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_no_choice_is_smaller_than_the_smallest_cover_and_it_covers_all(seed: int) -> None:
    source = random.Random(seed)  # noqa: S311 - as above
    elements = "abcdefghijkl"[: source.randint(1, 12)]
    density = source.choice([0.1, 0.2, 0.3, 0.5])
    sets = [
        frozenset(each for each in elements if source.random() < density)
        for _ in range(source.randint(1, 11))
    ]
    chosen = smallest_cover(sets)
    assert frozenset().union(*(sets[place] for place in chosen)) == frozenset().union(*sets)
    assert len(chosen) == len(set(chosen)) == fewest(sets)
    assert list(chosen) == sorted(chosen)


def test_to_take_the_largest_set_first_is_not_always_smallest() -> None:
    """The greedy choice, `abcd` first, needs three."""
    assert smallest_cover(["abcd", "abe", "cdf"]) == (1, 2)


def test_nothing_is_covered_by_nothing() -> None:
    assert smallest_cover([]) == ()
    assert smallest_cover(["", ""]) == ()


def test_of_two_sets_alike_the_first_is_taken() -> None:
    assert smallest_cover(["a", "a", "b"]) == (0, 2)


def test_a_table_of_a_class_is_covered_too() -> None:
    source = random.Random(1)  # noqa: S311 - as above
    sets = [frozenset(each for each in "abcdefghijklmnop" if source.random() < 0.15) for _ in range(3000)]
    assert 1 <= len(smallest_cover(sets)) <= 5


# Subsumption --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_subsumption_is_what_its_definition_says(seed: int) -> None:
    table = drawn(seed)
    found = analysed(table)
    ids = [fault.id for fault in table.faults]
    killed = [fault for fault in ids if killers(table, fault)]
    assert set(found.unkilled) == set(ids) - set(killed)
    for one in killed:
        strictly = {
            other
            for other in killed
            if killers(table, one) <= killers(table, other) and killers(table, one) != killers(table, other)
        }
        assert set(found.subsumes.get(one, ())) == strictly


@pytest.mark.parametrize("seed", SEEDS)
def test_whoever_kills_the_minimal_faults_kills_all_and_none_of_them_can_go(seed: int) -> None:
    table = drawn(seed)
    found = analysed(table)
    can_be_killed = {fault.id for fault in table.faults} - set(found.unkilled)

    def enough(faults: Sequence[str]) -> bool:
        """Whether every set of tests that kills these faults kills all."""
        tests = list(kills(table).values())
        for size in range(len(tests) + 1):
            for chosen in combinations(tests, size):
                killed = frozenset().union(*chosen)
                if set(faults) <= killed and not can_be_killed <= killed:
                    return False
        return True

    assert enough(found.minimal)
    assert not any(enough([other for other in found.minimal if other != each]) for each in found.minimal)


def test_faults_that_the_same_tests_kill_are_one_group() -> None:
    found = analysed(matrix("xx.x", ".x..", "..x."))
    assert found.groups == (("a", "d"),)
    assert found.subsumes == {"a": ("b",), "d": ("b",)}
    assert found.minimal == ("a", "c")


# Tests --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_a_redundant_test_is_one_without_which_all_is_killed(seed: int) -> None:
    table = drawn(seed)
    found, killed = analysed(table), kills(table)
    everything = frozenset().union(*killed.values())
    for test, own in killed.items():
        others = frozenset().union(*(each for name, each in killed.items() if name != test))
        assert (test in found.redundant) == (bool(own) and others == everything)
        assert (test in found.idle) == (not own)
    assert frozenset().union(*(killed[test] for test in found.smallest)) == everything


def test_only_a_kill_kills() -> None:
    table = matrix("xtcs-.", hangs="b")
    assert table.kills(table.tests[0].cells) == {"a", "b"}


def test_suites_have_a_smallest_choice_of_their_own_and_those_without_a_grade_no_part_in_it() -> None:
    suites = [SuiteRow("one", (K, S)), SuiteRow("broken", (), "no tests"), SuiteRow("both", (K, K))]
    assert analysed(matrix("x.", ".x", suites=suites)).smallest_suites == ("both",)


# In words -----------------------------------------------------------------------------------------------------


def test_the_sentences_name_what_was_found() -> None:
    table = matrix("xx.", ".x.", "...", suites=[SuiteRow("one", (K, K, S)), SuiteRow("two", (), "no tests")])
    told = {
        section.heading: (section.sentence, section.items) for section in sections(table, analysed(table))
    }
    assert told == {
        "Subsumption": (
            "Of the 2 faults that these tests kill, 1 brings all others with it: a.",
            ("c: no test kills it", "a subsumes b: what kills a kills b too"),
        ),
        "Fewest tests": ("1 of 3 tests kills all that any kills, and no fewer do:", ("test_0",)),
        "Redundant tests": (
            "Each of these could go alone, since others kill all that it kills:",
            ("test_1",),
        ),
        "Idle tests": ("These kill no fault:", ("test_2",)),
        "Fewest suites": ("1 of 2 suites kills all that any kills, and no fewer do:", ("one",)),
        "Without a grade": ("These suites are in no count:", ("two: no tests",)),
    }


def test_a_long_list_is_cut_and_what_is_left_out_is_counted() -> None:
    table = matrix(*["."] * (MOST + 5))
    idle = next(each for each in sections(table, analysed(table)) if each.heading == "Idle tests")
    assert len(idle.items) == MOST + 1
    assert idle.items[-1] == "and 5 more"
    assert sections(table, analysed(table))[0].sentence == "No fault is killed."
