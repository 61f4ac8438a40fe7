"""Gradescope's results.json, held to its specification; what is said in it is text, and nothing of it is hidden."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from grader.report import PoolLine, Tally
from grader.writers.gradescope import write

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.report import Report

FORMATS = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
TEST = {
    "type": "object",
    "properties": {
        "score": {"type": "number"},
        "max_score": {"type": "number"},
        "status": {"enum": ["passed", "failed"]},
        "name": {"type": "string"},
        "name_format": FORMATS,
        "number": {"type": "string"},
        "output": {"type": "string"},
        "output_format": FORMATS,
        "tags": {"type": "array", "items": {"type": "string"}},
        "visibility": VISIBILITY,
        "extra_data": {"type": "object"},
    },
    "additionalProperties": False,
}
# What https://gradescope-autograders.readthedocs.io/en/latest/specs/ asks for.
SCHEMA = {
    "type": "object",
    "properties": {
        "score": {"type": "number"},
        "execution_time": {"type": "number"},
        "output": {"type": "string"},
        "output_format": FORMATS,
        "test_output_format": FORMATS,
        "test_name_format": FORMATS,
        "visibility": VISIBILITY,
        "stdout_visibility": VISIBILITY,
        "extra_data": {"type": "object"},
        "tests": {"type": "array", "items": TEST},
        "leaderboard": {"type": "array"},
    },
    "additionalProperties": False,
    "anyOf": [
        {"required": ["score"]},
        {"required": ["tests"], "properties": {"tests": {"items": {"required": ["score"]}}}},
    ],
}
unhurried = settings(deadline=None, max_examples=30)  # the machine may be busy, and a screen takes its time
anything = st.text(st.characters(codec="utf-16", exclude_categories=()), max_size=60)


def document(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    return found


def test_every_kept_report_keeps_to_the_specification(kept: dict[str, Report]) -> None:
    for report in kept.values():
        document(write(report))


@pytest.mark.parametrize(
    ("case", "points", "score"),
    [
        ("passed", 100, 100.0),
        ("survivors", 100, 88.88889),
        ("survivors", 20, 17.77778),
        ("survivors", 9, 8.0),
        ("survivors", 0, 0.0),
        ("just-started", 3, 1.0),
        ("not-allowed", 100, 0.0),
        ("course-tests-fail", 10, 10.0),
    ],
)
def test_points_are_those_of_the_suite_exactly_until_they_are_shown(
    case: str, points: int, score: float, kept: dict[str, Report]
) -> None:
    assert document(write(kept[case], Fraction(points)))["score"] == score


def test_course_tests_alone_give_points_for_those_that_pass(kept: dict[str, Report]) -> None:
    report = kept["course-only"]
    assert report.course is not None
    share = report.course.passed / len(report.course.tests)
    assert document(write(report))["score"] == pytest.approx(100 * share, abs=1e-5)


def test_a_suite_that_cannot_be_graded_has_no_points_and_is_told_that_this_is_no_grade(
    kept: dict[str, Report],
) -> None:
    for case in ("not-allowed", "too-strict", "no-tests", "by-chance", "syntax-error"):
        found = document(write(kept[case]))
        assert found["score"] == 0
        assert found["output"].startswith("NOT GRADED: your tests cannot be graded as they are")
        assert "This is no grade" in found["output"].splitlines()[0]
        assert "\nNext: " in found["output"]
        assert found["extra_data"]["score_withheld"]
        assert {test["status"] for test in found["tests"]} <= {"failed"}


def test_an_error_is_nothing_that_gradescope_takes_for_a_grade(told: Callable[[str], list[Report]]) -> None:
    found = json.loads(write(told("the disk is full")[-1]))
    assert not {"score", "tests", "leaderboard"} & set(found)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(found)
    assert found["output"].startswith("NOT GRADED: the disk is full")
    assert "\nNext: this was no fault of yours: run the command again." in found["output"]


def test_learners_see_their_total_since_no_test_is_hidden(kept: dict[str, Report]) -> None:
    for report in kept.values():
        found = document(write(report))
        assert {found["visibility"], *(test["visibility"] for test in found["tests"])} == {"visible"}
        assert not [test for test in found["tests"] if "score" in test or "max_score" in test]
        assert found["stdout_visibility"] == "hidden"


def test_each_fault_is_one_test_with_what_the_report_tells(kept: dict[str, Report]) -> None:
    tests = {test["name"]: test for test in document(write(kept["full"]))["tests"]}
    alive = tests["s01 eps outside the root (required)"]
    assert alive["status"] == "failed"
    assert "blind spot: every input of your suite" in alive["output"]
    assert "the reference gives" in alive["output"]
    killed = tests["s05 statistic over the wrong axis"]
    assert killed["status"] == "passed"
    assert killed["output"].startswith("killed by: test_norm.py::")


def test_faults_that_are_kept_from_a_learner_are_counted(kept: dict[str, Report]) -> None:
    report = kept["passed"]
    assert report.mutation is not None
    grade = replace(report.mutation, private=Tally(killed=1, total=2))
    (count,) = [
        test["name"]
        for test in document(write(replace(report, mutation=grade)))["tests"]
        if test["number"] == "2"
    ]
    assert count.endswith("9 of 9 killed, 8 needed; 1 of 2 that are not named here")


def test_numbers_of_tests_are_strings_and_unique_and_nest_as_the_parts_do(kept: dict[str, Report]) -> None:
    report = kept["full"]
    assert report.mutation is not None
    pool = PoolLine(name="generated", killed=3, total=4, needed=3, threshold="0.75", score=0.75)
    graded = replace(report, mutation=replace(report.mutation, pools=(pool, replace(pool, name="second"))))
    made = document(write(replace(graded, course=kept["course-only"].course)))["tests"]
    numbers = [test["number"] for test in made]
    assert len(set(numbers)) == len(numbers) > 9
    (pooled,) = (test["number"] for test in made if "pool second" in test["name"])
    assert pooled.startswith("2.")


def test_what_the_killing_tests_said_is_told_where_it_is_asked_for(kept: dict[str, Report]) -> None:
    killed = "\nmessage:"
    assert not [
        test
        for test in document(write(kept["full"]))["tests"]
        if test["status"] == "passed" and killed in test.get("output", "")
    ]
    told = document(write(kept["full"], messages=True))["tests"]
    assert [test for test in told if test["status"] == "passed" and killed in test.get("output", "")]


@unhurried
@given(anything)
def test_whatever_a_learner_writes_is_shown_as_text(told: Callable[[str], list[Report]], text: str) -> None:
    for report in told(text)[:2]:
        found = document(write(report))
        assert {found["output_format"], found["test_output_format"], found["test_name_format"]} == {"text"}
        shown = [found["output"], *(test["name"] + test.get("output", "") for test in found["tests"])]
        assert not [character for character in "".join(shown) if ord(character) < 32 and character != "\n"]
