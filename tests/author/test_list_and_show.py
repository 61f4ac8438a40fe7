"""`ol mutants list` and `ol mutants show`: what is there, and what keeps it from being graded with."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.author.conftest import Course

STATEMENT = "inverse_rms = (mean_square + self.eps) ** -0.5"


def test_a_list_has_a_row_for_each_fault(course: Course) -> None:
    done = course.ol("mutants", "list", "L7.1")
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    assert [row[0] for row in rows[1:]] == [f"L7.1/s0{number}" for number in range(1, 10)]
    assert rows[1][1:] == ["eps", "outside", "the", "root", "1", "required", "3", "tests"]
    assert rows[5][-2:] == ["4", "tests"]
    assert "required" not in rows[5]
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_without_a_lesson_all_faults_are_listed(course: Course) -> None:
    everything = course.json("mutants", "list")
    assert {each["lesson"] for each in everything} == {path.name for path in course.faults.parent.iterdir()}
    assert course.json("mutants", "list", "--lesson", "L7.1") == [
        each for each in everything if each["lesson"] == "L7.1"
    ]


def test_a_list_as_json_says_what_the_files_say(course: Course) -> None:
    first = course.json("mutants", "list", "L7.1")[0]
    data = course.read("s01")
    assert first == {
        "lesson": "L7.1",
        "id": "s01",
        "file": "mutants/L7.1/s01-eps-outside-root.toml",
        "title": data["title"],
        "pitfall": 1,
        "required": True,
        "caught_by": data["caught_by"],
        "problem": None,
    }


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("inverse_rms = (mean", "inverse_rms = (moan", "edit[0].find: matches nothing"),
        ("inverse_rms = (mean_square + self.eps) ** -0.5'''", "self'''", "edit[0].find: matches several"),
        ("hint      =", "hunt      =", "hunt: is not a key"),
        ("hint      =", "# hint    =", "hint: still to be written"),
        ("pitfall   = 1", "pitfall   = 2", "pitfall: the number 2 is taken by"),
        ("required  = true", "required  = false", "required: must be true"),
        ('"test_golden_hf_llama"', '"test_nowhere"', "caught_by[1]: test_nowhere is no test"),
        ("title", "title = ", "toml: "),
        ("1 / (F.sqrt", "1 / ((F.sqrt", "leaves tinyllm/modern/norm.py with a syntax error"),
    ],
)
def test_what_is_wrong_with_a_fault_is_said_below_the_list(
    course: Course, old: str, new: str, problem: str
) -> None:
    course.change(course.file("s01"), (old, new))
    done = course.ol("mutants", "list", "L7.1", "--json", "list.json")
    assert done.returncode == 4
    assert "until this is mended" in done.stdout
    found = [
        each["problem"]
        for each in json.loads((course.root.parent / "list.json").read_text())
        if each["problem"]
    ]
    assert len(found) == 1
    assert problem in found[0]
    assert found[0].split()[-1] in done.stdout


def test_a_lesson_without_faults_says_how_to_make_one(course: Course) -> None:
    for path in course.faults.glob("s*.toml"):
        path.unlink()
    done = course.ol("mutants", "list", "L7.1")
    assert done.returncode == 4
    assert "ol mutants new" in done.stdout
    assert "mutants/L7.1: folder: holds no fault, and a lesson needs at least one" in done.stderr
    assert course.ol("mutants", "list", "L0.4").returncode == 0


def test_a_pool_that_is_missing_keeps_a_lesson_from_being_graded_with(course: Course) -> None:
    lesson = course.faults / "lesson.toml"
    lesson.write_text(f"{lesson.read_text()}\n[pools.generated]\nthreshold = 0.6\n", encoding="utf-8")
    done = course.ol("mutants", "list", "--json", "-")
    assert done.returncode == 4
    assert {each["problem"] for each in json.loads(done.stdout)} == {None}
    assert "mutants/L7.1/pools/generated" in done.stderr


@pytest.mark.parametrize("command", [["mutants", "list"], ["mutants", "verify"], ["lesson", "verify"]])
def test_a_course_without_lessons_is_no_course_to_grade_with(diary: Course, command: list[str]) -> None:
    shutil.rmtree(diary.root / "mutants/D1")
    done = diary.ol(*command)
    assert (done.returncode, done.stdout) == (4, "")
    assert "mutants: folder: holds no lesson: `ol lesson new` lays one down" in done.stderr


@pytest.mark.parametrize(
    "words", [["list", "L9.9"], ["list", "L7.1", "--lesson", "L0.4"], ["show", "s99"], ["show"]]
)
def test_what_is_not_there_is_a_mistake_in_the_command_line(course: Course, words: list[str]) -> None:
    done = course.ol("mutants", *words)
    assert done.returncode == 2
    assert done.stdout == ""


def test_an_id_of_two_lessons_is_refused_with_both_names(course: Course) -> None:
    other = next(path for path in course.faults.parent.iterdir() if path.name != "L7.1")
    (other / "s01-the-same-id.toml").write_text(
        course.file("s01").read_text(encoding="utf-8"), encoding="utf-8"
    )
    done = course.ol("mutants", "show", "s01")
    assert done.returncode == 2
    assert f"{other.name}/s01, L7.1/s01" in done.stderr
    assert course.json("mutants", "show", "s01", "--lesson", "L7.1")["lesson"] == "L7.1"


def test_a_fault_is_shown_with_its_story_its_diff_and_its_witness(course: Course) -> None:
    done = course.ol("mutants", "show", "s01")
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    data = course.read("s01")
    for told in (data["title"], data["symptom"], data["hint"], *data["caught_by"], "pitfall 1", "required"):
        assert told in text
    assert f"- {STATEMENT}" in text
    assert "+ inverse_rms = 1 / (F.sqrt(mean_square) + self.eps)" in text
    assert "return RMSNorm(2, eps=1e-6)(small).data" in text
    assert "\x1b" not in done.stdout


def test_a_fault_as_json_holds_all_of_it(course: Course) -> None:
    shown = course.json("mutants", "show", "L7.1/s09")
    assert shown["title"] == "gain as a constant"
    assert shown["witness"] == course.read("s09")["witness"]["call"]
    assert "+        gain = self.offset + self.weight.data" in shown["diff"]
    assert (shown["problem"], shown["missing"], shown["killed_by"]) == (None, [], None)


def test_an_edit_that_does_not_fit_is_shown_with_what_mends_it(course: Course) -> None:
    course.change(course.module, (STATEMENT, STATEMENT.replace("-0.5", "(-1 / 2)")))
    done = course.ol("mutants", "show", "s01")
    assert done.returncode == 4
    assert "matches nothing" in done.stdout
    assert f"-{STATEMENT}" in done.stdout
    assert "ol mutants edit L7.1/s01" in done.stdout


def test_what_is_still_to_be_written_is_said(course: Course) -> None:
    text = course.file("s01").read_text(encoding="utf-8")
    course.file("s01").write_text(text.partition("[witness]")[0], encoding="utf-8")
    done = course.ol("mutants", "show", "s01")
    assert done.returncode == 0
    assert done.stdout.count("still to be written") == 1


def test_when_asked_the_course_tests_are_run(course: Course) -> None:
    assert course.json("mutants", "show", "s03", "--run")["killed_by"] == course.read("s03")["caught_by"]
    course.change(course.file("s03"), ("test_golden_hf_gemma_offset", "test_hand_example"))
    done = course.ol("mutants", "show", "s03", "--run")
    assert done.returncode == 4
    assert "When run, it is caught by\n    test_golden_hf_gemma_offset" in done.stdout


def test_escapes_in_a_faults_file_are_shown_and_not_obeyed(course: Course) -> None:
    course.change(course.file("s01"), ('"eps outside the root"', '"\\u001b[31mred"'))
    for command in (["show", "s01"], ["list", "L7.1"]):
        done = course.ol("mutants", *command)
        assert "\x1b" not in done.stdout
        assert "\\x1b[31mred" in done.stdout
