"""What is read off a report: what to do next, what changed, and that it keeps to its schema."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.advice import next_step
from grader.changes import changes
from grader.diff import Side, rows, unified
from grader.errors import HarnessError, LessonError
from grader.report import Report
from grader.report_parts import error_report
from grader.writers import FORMATS, writer_of
from grader.writers.json import read, schema, write

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "docs" / "report.schema.json"
CASES = sorted((ROOT / "tests" / "screens" / "cases").glob("*/report.json"))


def report_of(case: str) -> Report:
    return read(next(path for path in CASES if path.parent.name == case))


def test_the_published_schema_is_the_current_one() -> None:
    # python -c "import json; from grader.writers.json import schema; print(json.dumps(schema(), indent=2))"
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == schema()


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.name)
def test_kept_reports_keep_to_the_schema_and_survive_being_read(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema()).validate(document)
    assert json.loads(write(read(path))) == document


@pytest.mark.parametrize(
    "error",
    [HarnessError("the server is gone", "try again"), LessonError("lesson.toml", "title", "is missing")],
)
def test_the_report_of_an_error_keeps_to_the_schema(error: HarnessError | LessonError) -> None:
    report = error_report("L7.1", 7, error)
    jsonschema.Draft202012Validator(schema()).validate(json.loads(write(report)))
    assert (report.status, report.exit_code, report.mutation) == ("error", error.exit_code, None)
    assert error.slug in report.reason


@pytest.mark.parametrize(
    ("key", "wrong"), [("status", "good"), ("seed", -1), ("exit_code", 1.5), ("submission_sha256", "x")]
)
def test_the_schema_refuses_what_is_no_report(key: str, wrong: Any) -> None:
    document = json.loads(CASES[0].read_text(encoding="utf-8")) | {key: wrong}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema()).validate(document)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_writes_every_report(name: str) -> None:
    for path in CASES:
        assert writer_of(name)(read(path)).endswith("\n")


@pytest.mark.parametrize(
    ("case", "step"),
    [
        ("passed", "`ol diff L7.1`"),
        ("passed-alone", "`ol check L7.1` in your workspace"),
        ("course-only", "write your own tests"),
        ("survivors", "a test for s01 (eps outside the root), which is required"),
        ("just-started", "mend your module for test_hand_example, the first of 12"),
        ("earlier-lessons-missing", "do what the reason says"),
        ("score-only", "looks at something your tests do not look at yet"),
        ("rejects-the-reference", "mend the tests named above"),
        ("no-tests", "write a first test"),
        ("by-chance", "a seed"),
        ("not-allowed", "take out what is named above"),
    ],
)
def test_every_report_ends_in_one_thing_to_do(case: str, step: str) -> None:
    assert step in next_step(report_of(case))


@pytest.mark.parametrize(
    ("error", "step"),
    [
        (HarnessError("the disk is full", "make room"), "run the command again"),
        (LessonError("mutants/L7.1/s01.toml", "title", "is missing"), "tell your instructor"),
    ],
)
def test_what_running_again_cannot_mend_is_not_to_be_run_again(
    error: HarnessError | LessonError, step: str
) -> None:
    assert step in next_step(error_report("L7.1", 7, error))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.name)
def test_advice_is_one_line(path: Path) -> None:
    step = next_step(read(path))
    assert step
    assert "\n" not in step


def test_score_feedback_names_no_fault() -> None:
    text = write(report_of("score-only"))
    assert report_of("score-only").mutation.faults == ()  # type: ignore[union-attr]  # it is valid
    assert "eps" not in text


def test_nothing_changed_between_a_report_and_itself() -> None:
    report = report_of("survivors")
    assert changes(report, report) == []


def test_what_changed_is_told_fault_by_fault_and_test_by_test() -> None:
    found = changes(report_of("just-started"), report_of("passed"))
    assert "failed became passed" in found
    assert "course test test_hand_example: failed became passed" in found
    assert "s01 (eps outside the root): survived became killed" in found
    assert not [line for line in found if line.startswith("s02")]  # it was killed before


def test_a_suite_that_becomes_invalid_is_told_as_such() -> None:
    found = changes(report_of("survivors"), report_of("rejects-the-reference"))
    assert found == ["failed became invalid", "your tests cannot be graded any more"]


def test_a_suite_that_becomes_valid_tells_its_count() -> None:
    found = changes(report_of("rejects-the-reference"), report_of("survivors"))
    assert "your tests can be graded: 8 of 9 killed" in found


def test_every_line_stands_beside_its_like() -> None:
    yours = ["a = 1", "norm = x / rms", "return y"]
    reference = ["a = 1", "# a comment", "norm = x * inverse_rms", "return y"]
    assert [(row.side, row.yours, row.reference) for row in rows(yours, reference)] == [
        (Side.BOTH, 0, 0),
        (Side.REFERENCE, None, 1),
        (Side.CHANGED, 1, 2),
        (Side.BOTH, 2, 3),
    ]


def test_lines_of_one_side_stand_alone() -> None:
    assert [row.side for row in rows(["a", "b"], ["a"])] == [Side.BOTH, Side.YOURS]
    assert [row.side for row in rows(["a"], ["a", "b"])] == [Side.BOTH, Side.REFERENCE]


lines = st.lists(st.sampled_from(["", "a = 1", "a = 12", "def f(x):", "    return x"]), max_size=8)


@given(lines, lines)
def test_every_line_of_both_texts_is_shown_once_and_in_order(yours: list[str], reference: list[str]) -> None:
    shown = rows(yours, reference)
    assert [row.yours for row in shown if row.yours is not None] == list(range(len(yours)))
    assert [row.reference for row in shown if row.reference is not None] == list(range(len(reference)))


def test_equal_texts_have_no_unified_difference() -> None:
    assert unified(["a"], ["a"]) == []


def test_a_report_of_another_shape_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"format_version": 1}', type=Report)
