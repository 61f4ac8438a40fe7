"""Each fault is the mistake it says it is, shows on its witness, and dies by the tests it names."""

import re
import textwrap
from collections.abc import Callable
from importlib import import_module
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import DTypeLike

from grader.lesson import Fault, Lesson
from tests.course.lessons import CHAPTERS, FAULTS, LESSONS, PROGRAMS, faulty, load

FailingTests = Callable[[Lesson, Path, str], set[str]]

each_lesson = pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)
each_fault = pytest.mark.parametrize(("lesson", "fault"), FAULTS.values(), ids=FAULTS)
each_program = pytest.mark.parametrize(
    ("lesson", "name"),
    [
        pytest.param(LESSONS[lesson], name, id=f"{lesson}-{name}")
        for lesson in LESSONS
        for name in PROGRAMS[lesson]
    ],
)


@each_lesson
def test_there_are_exactly_those_of_the_chapter(lesson: Lesson) -> None:
    chapter, folder = CHAPTERS[lesson.id], lesson.root / "mutants" / lesson.id
    assert [fault.id for fault in lesson.faults] == list(chapter.pitfalls)
    assert len(list(folder.iterdir())) == len(chapter.pitfalls) + 1  # and lesson.toml


def test_an_id_belongs_to_one_fault_of_the_course() -> None:
    """So that a bare id is enough to name it."""
    ids = [fault.id for _, fault in FAULTS.values()]
    assert len(set(ids)) == len(ids)


@each_fault
def test_numbered_pitfalls_are_the_required_ones(lesson: Lesson, fault: Fault) -> None:
    chapter = CHAPTERS[lesson.id]
    number = list(chapter.pitfalls).index(fault.id) + 1
    numbered = number <= chapter.numbered
    assert fault.id.endswith(f"{number:02}")
    assert fault.pitfall == (number if numbered else None)
    assert fault.required is numbered
    assert fault.timeout_is_kill is False


@each_fault
def test_hint_and_symptom_do_not_give_the_answer(lesson: Lesson, fault: Fault) -> None:
    for text in (fault.hint, fault.symptom):
        assert text.strip()
        assert "\n" not in text
        assert not any(edit.replace.strip() in text for edit in fault.edits)
        assert re.fullmatch(r"[\w ,:;'-]+", text)  # prose: no operator, no call, no index


@each_fault
def test_the_module_still_loads_with_all_that_the_learner_builds(lesson: Lesson, fault: Fault) -> None:
    assert {edit.file for edit in fault.edits} == {lesson.module_file}
    source = faulty(lesson, fault)
    assert source != PROGRAMS[lesson.id]["reference"]
    names = {name.partition(".")[0] for name in CHAPTERS[lesson.id].built}
    assert names <= vars(load(lesson, source)).keys()


def resolve(target: str) -> object:
    module, _, name = target.partition(":")
    return getattr(import_module(module), name) if name else import_module(module)


def witness(lesson: Lesson, fault: Fault, module: ModuleType, dtype: DTypeLike) -> object:
    names = {name: resolve(target) for name, target in lesson.witness_names.items()}
    space: dict[str, Any] = {**vars(module), **names, "dtype": dtype}
    body = textwrap.indent(fault.witness.call.strip(), "    ")
    exec(f"def call():\n{body}\n", space)  # noqa: S102 - the course's own source
    value: object = space["call"]()
    return value


def differ(one: object, other: object, tolerance: float) -> bool:
    """Whether two values of a witness differ as the course's rule says."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        size = np.abs(one).max()
        return one.shape != other.shape or bool(np.abs(one - other).max() >= 100 * tolerance * size)
    return one != other


each_dtype = pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-5), (np.float64, 1e-9)])


@each_fault
@each_dtype
def test_witness_shows_the_fault(lesson: Lesson, fault: Fault, dtype: DTypeLike, tolerance: float) -> None:
    right = witness(lesson, fault, load(lesson, PROGRAMS[lesson.id]["reference"]), dtype)
    wrong = witness(lesson, fault, load(lesson, faulty(lesson, fault)), dtype)
    assert type(right) is type(wrong)
    assert np.isfinite(right).all()  # type: ignore[call-overload]  # arrays and truth values alike
    assert differ(right, wrong, tolerance)


@each_lesson
@each_dtype
def test_some_witness_tells_any_two_faults_apart(lesson: Lesson, dtype: DTypeLike, tolerance: float) -> None:
    modules = {fault.id: load(lesson, faulty(lesson, fault)) for fault in lesson.faults}
    values = {
        name: [witness(lesson, fault, module, dtype) for fault in lesson.faults]
        for name, module in modules.items()
    }
    alike = [
        (one, other)
        for one, other in combinations(values, 2)
        if not any(differ(*pair, tolerance) for pair in zip(values[one], values[other], strict=True))
    ]
    assert alike == []


@each_fault
def test_dies_by_exactly_the_course_tests_that_it_names(
    lesson: Lesson, fault: Fault, failing_tests: FailingTests
) -> None:
    assert len(set(fault.caught_by)) == len(fault.caught_by)
    assert set(fault.caught_by) >= CHAPTERS[lesson.id].pitfalls[fault.id]
    assert failing_tests(lesson, lesson.course_tests, faulty(lesson, fault)) == set(fault.caught_by)


@each_program
def test_correct_programs_pass_every_course_test(
    lesson: Lesson, name: str, failing_tests: FailingTests
) -> None:
    assert failing_tests(lesson, lesson.course_tests, PROGRAMS[lesson.id][name]) == set()
