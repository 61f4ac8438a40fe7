"""Forms are handed out: a fresh one for each run of one grading, a few, compiled, where many suites are graded."""

from __future__ import annotations

import marshal
from collections import Counter
from pathlib import Path
from types import CodeType

import pytest

from grader.lesson import load_lesson
from grader.repertoire import FORMS, USES, Repertoire
from grader.workers.library import compiled

COURSE = Path(__file__).resolve().parents[2]
DRAWS = 2 * FORMS * USES


@pytest.fixture(scope="module")
def shared() -> Repertoire:
    return Repertoire(load_lesson(COURSE, "L7.1"), shared=True)


def test_for_one_suite_no_form_comes_twice() -> None:
    repertoire = Repertoire(load_lesson(COURSE, "L7.1"))
    repertoire.draw_ahead()
    texts = [
        "".join(module.source for module in repertoire.fresh(repertoire.programs.reference))
        for _ in range(20)
    ]
    assert len(set(texts)) == len(texts)
    assert all(texts)


def test_for_many_suites_a_form_is_used_some_times_and_never_again(shared: Repertoire) -> None:
    forms = [shared.fresh(shared.programs.reference)[0].code for _ in range(DRAWS)]
    counted = Counter(forms)
    assert max(counted.values()) <= USES
    assert DRAWS / USES <= len(counted) <= DRAWS / USES + FORMS
    for form in counted:
        places = [place for place, each in enumerate(forms) if each == form]
        others = {each for each in forms[places[0] : places[-1]] if each != form}
        assert len(others) >= 1 or len(places) == 1


def test_for_many_suites_too_what_was_drawn_ahead_is_handed_out_first() -> None:
    repertoire = Repertoire(load_lesson(COURSE, "L7.1"), shared=True)
    repertoire.draw_ahead()
    drawn = dict(repertoire._ahead)
    assert repertoire.programs.reference in drawn
    for program, ahead in drawn.items():
        forms = [marshal.loads(module.code) for module in repertoire.fresh(program)]  # noqa: S302 - made by this process
        assert forms == [compiled(module) for module in ahead]


def test_a_form_that_is_used_more_than_once_travels_compiled_and_without_its_text(shared: Repertoire) -> None:
    for program in (*shared.programs.correct, shared.programs.canary, *shared.programs.faults):
        for module in shared.fresh(program):
            assert module.source == ""
            code = marshal.loads(module.code)  # noqa: S302 - made by this process
            assert isinstance(code, CodeType)
            assert code.co_filename == f"{module.name.replace('.', '/')}.py"
