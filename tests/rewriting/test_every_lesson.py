"""What holds of the rewriting of L7.1 holds of every lesson: its witnesses see no difference, and no function is left to tell."""

import random
import textwrap
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from grader.lesson import Lesson, find_course, lesson_ids, load_lesson
from grader.programs import Program, programs_of
from grader.rewriting import Contract, Rewriter, names_used

DRAWS = 2  # of each program
LESSONS = {name: load_lesson(find_course(None), name) for name in lesson_ids(find_course(None))}
PROGRAMS: dict[str, tuple[Lesson, Program]] = {
    f"{lesson.id}-{program.name}": (lesson, program)
    for lesson in LESSONS.values()
    for programs in [programs_of(lesson)]
    for program in (*programs.correct, *programs.faults)
}


@pytest.fixture(scope="module")
def rewriters() -> dict[str, Rewriter]:
    return {name: rewriter_of(lesson) for name, lesson in LESSONS.items()}


def rewriter_of(lesson: Lesson) -> Rewriter:
    programs = programs_of(lesson)
    everything = (*programs.correct, programs.canary, *programs.faults)
    contract = Contract(names_used(module.source for module in lesson.reference_modules.values()))
    return Rewriter([program.modules for program in everything], contract)


def loaded(name: str, source: str) -> ModuleType:
    module = ModuleType(name)
    exec(compile(source, "<program>", "exec", dont_inherit=True), vars(module))  # noqa: S102 - the course's own source
    return module


def resolve(target: str) -> object:
    module, _, name = target.partition(":")
    return getattr(import_module(module), name) if name else import_module(module)


def shown(lesson: Lesson, module: ModuleType) -> list[tuple[str, bytes]]:
    """What every witness of the lesson gives on a program, to the bit."""
    names = {name: resolve(target) for name, target in lesson.witness_names.items()}
    found = []
    for fault in lesson.faults:
        for dtype in (np.float32, np.float64):
            space: dict[str, Any] = {**vars(module), **names, "dtype": dtype}
            body = textwrap.indent(fault.witness.call.strip(), "    ")
            exec(f"def call():\n{body}\n", space)  # noqa: S102 - the course's own source
            value = np.asarray(space["call"]())
            found.append((value.dtype.str, value.tobytes()))
    return found


@pytest.mark.parametrize(("lesson", "program"), PROGRAMS.values(), ids=PROGRAMS)
def test_the_witnesses_see_no_difference_in_a_rewritten_program(
    lesson: Lesson, program: Program, rewriters: dict[str, Rewriter]
) -> None:
    [module] = program.modules
    expected = shown(lesson, loaded(lesson.module, module.source))
    for seed in range(DRAWS):
        draw = random.Random(seed)  # noqa: S311 - to be repeatable is its purpose
        [fresh] = rewriters[lesson.id].fresh(program.modules, draw)
        assert fresh.source != module.source
        assert shown(lesson, loaded(lesson.module, fresh.source)) == expected, fresh.source


@pytest.mark.parametrize("lesson", LESSONS)
def test_no_function_is_left_to_tell(lesson: str, rewriters: dict[str, Rewriter]) -> None:
    assert rewriters[lesson].exposed == {}
