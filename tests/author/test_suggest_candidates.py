"""Candidates: made in an order that stays, named by what they change, one for each program, judged by pure rules."""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from grader.author.candidates.classify import classify
from grader.author.candidates.comparing import compared_with_faults, compared_with_reference
from grader.author.candidates.generate import candidates_of, names_of_operators
from grader.author.candidates.model import Candidate, Class, Judged
from grader.author.candidates.probes import alike
from grader.author.candidates.rank import ranked
from grader.author.candidates.records import Ending, Value
from grader.author.candidates.suggest import Wanted
from grader.author.candidates.trying import Outcomes
from grader.author.candidates.wording import MEANING, option
from grader.commands.mutants.suggest import CLASSES
from grader.errors import UnknownOperatorError
from grader.lesson import Lesson, Witness, load_lesson
from grader.lesson.replacement import name_of, occurrence_of
from grader.lesson.syntax import compiled, without_lines
from grader.progress import Silent

DIARY = Path(__file__).resolve().parents[1] / "cases/diary"


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return load_lesson(DIARY, "D1")


@pytest.fixture(scope="module")
def candidates(lesson: Lesson) -> list[Candidate]:
    return candidates_of(lesson)


def with_text(lesson: Lesson, text: str) -> Lesson:
    modules = dict(lesson.reference_modules)
    modules[lesson.module] = replace(modules[lesson.module], source=text)
    return replace(lesson, reference_modules=modules)


def names(found: list[Candidate]) -> set[str]:
    return {name for each in found for name in (each.id, *each.also)}


# what they are


def test_they_are_the_same_each_time(lesson: Lesson, candidates: list[Candidate]) -> None:
    assert candidates_of(lesson) == candidates


def test_a_change_elsewhere_leaves_their_names_as_they_are(
    lesson: Lesson, candidates: list[Candidate]
) -> None:
    text = lesson.reference_modules[lesson.module].source
    moved = candidates_of(
        with_text(lesson, f"# a comment\n\n{text}\n\ndef more(x: int) -> int:\n    return x + 1\n")
    )
    assert names(candidates) < names(moved)


def test_each_has_the_change_that_it_describes(lesson: Lesson, candidates: list[Candidate]) -> None:
    text = lesson.reference_modules[lesson.module].source
    for each in candidates:
        end = each.start + len(each.original)
        assert text[each.start : end] == each.original
        assert each.source == text[: each.start] + each.replacement + text[end:]
        assert each.lines_before in text
        assert each.lines_after in each.source
        assert text[: each.start].count("\n") + 1 == each.line


def test_the_name_is_a_hash_of_all_that_a_candidate_is(candidates: list[Candidate]) -> None:
    each = candidates[0]
    parts: dict[str, Any] = {
        "file": each.file,
        "function": each.function,
        "original": each.original,
        "replacement": each.replacement,
        "occurrence": each.occurrence,
    }
    assert each.id == name_of(**parts)
    others = {name_of(**(parts | {key: 9 if key == "occurrence" else "other"})) for key in parts}
    assert each.id not in others
    assert len(others) == len(parts)


def test_an_occurrence_counts_what_stands_before_overlapping_ones_too() -> None:
    assert [occurrence_of("aaa", "aa", start) for start in (0, 1, 2)] == [0, 1, 2]


def test_no_two_compile_to_the_same_code_and_none_to_the_references(lesson: Lesson) -> None:
    text = "def f(x):\n    y = (x + 1).mean(axis=-1, keepdims=True)\n    return float(y) if y else 0.0\n"
    found = candidates_of(with_text(lesson, text))
    codes = [without_lines(compiled(each.source)) for each in found]
    assert len(found) > 3
    assert any(each.also for each in found)
    assert len({without_lines(compiled(text)), *codes}) == 1 + len(found)


def test_those_of_one_code_are_one_with_every_operator_that_makes_it(lesson: Lesson) -> None:
    found = candidates_of(with_text(lesson, "def f(x):\n    return x.mean(axis=-1, keepdims=True)\n"))
    both = [each for each in found if {"drop-keepdims", "mutmut:argument"} <= set(each.operators)]
    assert len(both) == 1
    assert both[0].replacement == "x.mean(axis=-1)"


def test_what_tells_is_the_statement_or_the_head_of_a_compound_one(lesson: Lesson) -> None:
    text = "def f(a):\n    if a > (\n        7\n    ):\n        return a + 1\n    return 0\n"
    lines = {each.original: list(each.lines) for each in candidates_of(with_text(lesson, text))}
    assert lines["a + 1"] == [5]
    assert next(value for key, value in lines.items() if key.startswith("7")) == [2, 3, 4]


def test_a_default_value_can_be_noticed_by_every_test(lesson: Lesson) -> None:
    found = candidates_of(with_text(lesson, "def f(a=1):\n    return a\n"))
    assert [list(each.lines) for each in found if each.original == "1"] == [[]]


def test_operators_can_be_chosen(lesson: Lesson) -> None:
    assert {name for each in candidates_of(lesson, ["detach"]) for name in each.operators} == {"detach"}
    own = {name for each in candidates_of(lesson, ["mutmut"]) for name in each.operators}
    assert own
    assert all(name.startswith("mutmut:") for name in own)
    one = candidates_of(lesson, ["mutmut:number"])
    assert {name for each in one for name in each.operators} == {"mutmut:number"}


def test_an_operator_that_there_is_not_is_refused_with_those_that_there_are(lesson: Lesson) -> None:
    with pytest.raises(UnknownOperatorError) as caught:
        candidates_of(lesson, ["detach", "explode"])
    assert "'explode'" in caught.value.message
    assert all(name in caught.value.hint for name in names_of_operators())


# what they are worth


def outcomes(
    killed: str = "", reached: str = "abcd", inside: str = "", ending: Ending = Ending.COMPLETED
) -> Outcomes:
    return Outcomes(
        ending,
        "why" if ending is not Ending.COMPLETED else "",
        tuple(killed),
        frozenset(inside),
        tuple(reached),
    )


@pytest.mark.parametrize(
    ("given", "twin", "kind"),
    [
        (outcomes(), "", Class.MISSED),
        (outcomes(reached=""), "", Class.UNREACHED),
        (outcomes("a"), "", Class.KILLED),
        (outcomes("abcd"), "", Class.KILLED),
        (outcomes("abcd", inside="abc"), "", Class.KILLED),
        (outcomes("abcd", inside="abcd"), "", Class.TOO_EASY),
        (outcomes("abc", inside="abc"), "", Class.KILLED),
        (outcomes("ab"), "s01", Class.TWIN),
        (outcomes(ending=Ending.NOT_IMPORTED), "", Class.TOO_EASY),
        (outcomes(ending=Ending.TIMEOUT), "", Class.TIMEOUT),
        (outcomes("a", ending=Ending.TIMEOUT), "", Class.TIMEOUT),
        (outcomes(ending=Ending.MEMORY), "", Class.CRASH),
        (outcomes("a", ending=Ending.CRASHED), "", Class.CRASH),
    ],
)
def test_the_class_follows_from_what_became_of_it(
    candidates: list[Candidate], given: Outcomes, twin: str, kind: Class
) -> None:
    assert classify(candidates[0], given, twin).kind is kind


@pytest.mark.parametrize("ending", [Ending.NOT_IMPORTED, Ending.TIMEOUT, Ending.MEMORY, Ending.CRASHED])
def test_how_a_process_ended_is_no_kill(candidates: list[Candidate], ending: Ending) -> None:
    judged = classify(candidates[0], outcomes("ab", ending=ending), "s01")
    assert judged.kind not in {Class.KILLED, Class.TWIN}


def order(candidates: list[Candidate], *killed: Outcomes, faults: dict[str, tuple[str, ...]]) -> list[Judged]:
    some = candidates[: len(killed)]
    judged = [classify(each, given) for each, given in zip(some, killed, strict=True)]
    return ranked(judged, {each.id: given for each, given in zip(some, killed, strict=True)}, faults)


def test_what_the_course_misses_comes_first(candidates: list[Candidate]) -> None:
    found = order(candidates, outcomes("a"), outcomes(), outcomes("abcd", inside="abcd"), faults={})
    assert [each.kind for each in found] == [Class.MISSED, Class.KILLED, Class.TOO_EASY]


@pytest.mark.parametrize(
    ("better", "worse", "faults"),
    [
        (outcomes("a"), outcomes("bcd"), {}),  # few tests notice it
        (outcomes("ab"), outcomes("cd"), {"s01": ("c", "d")}),  # unlike the faults there are
        (outcomes("bc"), outcomes("ad"), {"s01": ("a",)}),  # not subsumed by a fault
        (outcomes("ab"), outcomes("cd", inside="cd"), {}),  # wrong values, no error
    ],
)
def test_of_two_that_are_killed_the_one_that_teaches_more_comes_first(
    candidates: list[Candidate], better: Outcomes, worse: Outcomes, faults: dict[str, tuple[str, ...]]
) -> None:
    found = order(candidates, worse, better, faults=faults)
    assert found[0].killed_by == better.killed_by
    assert 1 >= found[0].score > found[1].score >= 0


def test_one_that_another_candidate_subsumes_is_worth_less(candidates: list[Candidate]) -> None:
    alone = order(candidates, outcomes("ab"), faults={})[0]
    beside = order(candidates, outcomes("ab"), outcomes("a"), faults={})[1]
    assert beside.killed_by == alone.killed_by
    assert beside.score < alone.score


@pytest.fixture(scope="module")
def speechless() -> Lesson:
    """A lesson of which no input is known on which its reference gives a value."""
    lesson = load_lesson(DIARY, "D1")
    witness = Witness(call="return parts('soon')")
    return replace(lesson, faults=tuple(replace(fault, witness=witness) for fault in lesson.faults))


def unreachable(lesson: Lesson) -> Candidate:
    """A change of what comes after the line that raises."""
    return next(each for each in candidates_of(lesson) if "number = min(" in each.lines_before)


def test_what_no_input_says_anything_about_is_not_called_equivalent(speechless: Lesson) -> None:
    [missed] = compared_with_reference(
        speechless, [Judged(unreachable(speechless), Class.MISSED)], Wanted(inputs=20), Silent()
    )
    assert missed.kind is Class.MISSED
    assert re.fullmatch("not compared: no value on any of [0-9]+ inputs?", missed.evidence)


def test_what_no_input_says_anything_about_stays_a_twin(speechless: Lesson) -> None:
    candidate = Judged(unreachable(speechless), Class.TWIN, "same tests", twin=speechless.faults[0].id)
    [twin] = compared_with_faults(speechless, [candidate], Wanted(inputs=20), Silent())
    assert (twin.kind, twin.twin) == (Class.TWIN, candidate.twin)
    assert twin.evidence.startswith("same tests; not compared: no value on any of ")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ([1.0, 2.0], [1.0, 2.0 + 1e-9], True),
        ([1.0, 2.0], [1.0, 2.1], False),
        ([float("nan")], [float("nan")], True),
        ([float("inf")], [1.0], False),
        ([1.0], [1.0, 1.0], False),
    ],
)
def test_values_are_alike_up_to_the_tolerance_of_their_precision(
    one: list[float], other: list[float], same: bool
) -> None:
    assert alike([Value("array", "(2,)", one)], [Value("array", "(2,)", other)]) is same


def test_the_command_line_knows_every_class() -> None:
    assert [option(kind) for kind in Class] == list(CLASSES)
    assert set(MEANING) == set(Class)
