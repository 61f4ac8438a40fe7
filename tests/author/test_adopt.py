"""`ol mutants adopt`: a fault file from a candidate, half done, and refused until a person has finished it."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.author.trials import function_name

if TYPE_CHECKING:
    from tests.author.conftest import Course

OPERATORS = "mutmut:operator"
ROOT = Path(__file__).resolve().parents[2]
DIARY = ROOT / "tests/cases/diary"


@pytest.fixture(scope="module")
def candidate() -> Any:
    """One that course tests kill and many inputs show; its name is good in any copy of the course."""
    words = [
        "mutants",
        "suggest",
        "D1",
        "--course",
        str(DIARY),
        "--operators",
        OPERATORS,
        "--class",
        "killed",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "grader", *words, "--inputs", "0", "--json", "-"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return next(each for each in json.loads(done.stdout)["candidates"] if each["function"] == "add_months")


def read(path: str) -> dict[str, Any]:
    return tomllib.loads(Path(path).read_text(encoding="utf-8"))


def test_tests_witness_and_edit_are_filled_in(diary: "Course", candidate: Any) -> None:
    written = diary.json("mutants", "adopt", candidate["id"], "--id", "d10", "--inputs", "100")
    fault = read(written["file"])
    assert Path(written["file"]).name == "d10-operator.toml"
    assert fault["caught_by"] == list(dict.fromkeys(map(function_name, candidate["killed_by"])))
    assert fault["witness"]["call"].strip()
    assert not fault["required"]
    text = (diary.root / "reference" / candidate["file"]).read_text(encoding="utf-8")
    for edit in fault["edit"]:
        assert text.count(edit["find"]) == 1
        text = text.replace(edit["find"], edit["replace"])
    assert candidate["replacement"] in text


def test_what_only_a_person_can_say_is_missing_and_so_the_lesson_is_refused(
    diary: "Course", candidate: Any
) -> None:
    written = diary.json("mutants", "adopt", candidate["id"], "--id", "d10", "--inputs", "50")
    assert written["missing"] == ["title", "symptom", "hint"]
    refused = diary.ol("mutants", "verify", "D1/d10")
    assert refused.returncode == 4
    listed = diary.ol("mutants", "list", "D1")
    assert "title, symptom, hint: still to be written" in " ".join(listed.stdout.split())


def test_one_that_is_finished_by_hand_is_verified(diary: "Course", candidate: Any) -> None:
    said = (
        "--title",
        "the wrong way round",
        "--symptom",
        "days that there are not are taken",
        "--hint",
        "try the last day",
    )
    written = diary.json("mutants", "adopt", candidate["id"], *said, "--inputs", "100")
    assert written["missing"] == []
    assert written["id"] == "d06"
    verified = diary.ol("mutants", "verify", "D1/d06")
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_the_first_digits_and_the_lesson_are_enough(diary: "Course", candidate: Any) -> None:
    written = diary.json("mutants", "adopt", candidate["id"][:6], "--lesson", "D1", "--inputs", "0")
    assert written["candidate"] == candidate["id"]
    assert "witness" in written["missing"]


def test_another_can_be_adopted_while_one_is_not_finished(diary: "Course", candidate: Any) -> None:
    for name in ("d06", "d07"):
        assert diary.json("mutants", "adopt", candidate["id"], "--inputs", "0")["id"] == name


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("0123456789",), "There is no candidate '0123456789'"),
        (("01",), "There is no candidate '01'"),
        (("{id}", "--id", "d01"), "D1/d01 is taken; the next free id is d06"),
        (("{id}", "--id", "d-6"), "'d-6' is no id"),
        (("{id}", "--lesson", "D9"), "There is no lesson 'D9'"),
    ],
)
def test_a_mistake_is_told_and_nothing_is_written(
    diary: "Course", candidate: Any, words: tuple[str, ...], message: str
) -> None:
    before = sorted((diary.root / "mutants/D1").iterdir())
    done = diary.ol("mutants", "adopt", *(word.format(id=candidate["id"]) for word in words))
    assert done.returncode == 2
    assert message in done.stderr
    assert sorted((diary.root / "mutants/D1").iterdir()) == before
