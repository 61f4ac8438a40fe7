"""`ol mutants suggest`: candidates for faults, ranked, on the screen, as JSON and as a page."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from grader.author.candidates.generate import candidates_of
from grader.author.candidates.model import Class, Judged
from grader.author.candidates.page import write
from grader.author.candidates.suggest import Suggested
from grader.lesson import load_lesson

if TYPE_CHECKING:
    from tests.author.conftest import Course

FEW = ("suggest", "D1", "--inputs", "20", "--jobs", "1", "--operators")
SOME = "drop-statement,mutmut:operator,detach"
ROOT = Path(__file__).resolve().parents[2]
DIARY = ROOT / "tests/cases/diary"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One search, looked at by several tests."""
    page, data = (tmp_path_factory.mktemp("found") / name for name in ("page.html", "found.json"))
    words = [
        "mutants",
        *FEW,
        SOME,
        "--course",
        str(DIARY),
        "--json",
        str(data),
        "--html",
        str(page),
        "--limit",
        "0",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "grader", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {
        "data": json.loads(data.read_text()),
        "page": page.read_text(),
        "screen": done.stdout,
        "rest": done.stderr,
    }


def test_every_candidate_has_its_class_its_tests_and_its_place(found: Any) -> None:
    found = found["data"]
    assert found["lesson"] == "D1"
    assert len(found["candidates"]) == sum(found["counts"].values())
    assert len(found["candidates"]) > 10
    for each in found["candidates"]:
        assert set(each["killed_by"]) <= set(found["tests"])
        assert bool(each["killed_by"]) == (each["class"] in {"killed", "twin", "too_easy"})
        assert (each["class"] == "equivalent") == ("no difference in" in each["evidence"])
        assert (each["class"] == "twin") == (each["twin"] is not None)
        assert 0 <= each["score"] <= 1
        assert each["line"] > 0
        assert each["original"]


def test_the_same_is_found_each_time_and_classes_and_number_are_chosen(diary: "Course", found: Any) -> None:
    chosen = diary.json("mutants", *FEW, SOME, "--class", "killed", "--limit", "2", "--jobs", "2")
    killed = [each for each in found["data"]["candidates"] if each["class"] == "killed"]
    assert chosen == found["data"] | {"candidates": killed[:2]}


def test_a_function_is_chosen(diary: "Course", found: Any) -> None:
    chosen = diary.json("mutants", *FEW, SOME, "--within", "add_months")["candidates"]
    there = [each["id"] for each in found["data"]["candidates"] if each["function"] == "add_months"]
    assert sorted(each["id"] for each in chosen) == sorted(there)
    assert 0 < len(there) < len(found["data"]["candidates"])


def test_the_screen_says_how_many_and_what_to_do_next(found: Any) -> None:
    first = found["data"]["candidates"][0]["id"]
    assert f"{len(found['data']['candidates'])} candidates for D1: " in found["screen"]
    assert f"`ol mutants adopt {first}`" in found["screen"]
    assert " a second" in found["rest"]
    assert "\x1b" not in found["screen"]


def test_the_page_stands_alone(found: Any) -> None:
    page = Page(found["page"])
    assert (page.open, page.loads) == ([], [])
    assert all(f'id="{each["id"]}"' in found["page"] for each in found["data"]["candidates"])


def test_a_hole_in_the_course_comes_first_with_an_input_that_shows_it(diary: "Course") -> None:
    tests = next((diary.root / "reference/tests/D1").glob("test_*.py"))
    text = tests.read_text(encoding="utf-8")
    names = [line.split("(")[0][4:] for line in text.splitlines() if line.startswith("def test_")]
    for name in names[1:]:  # one test is left
        text = text.replace(f"def {name}(", f"def un{name}(")
    tests.write_text(text, encoding="utf-8")
    for fault in diary.root.glob("mutants/D1/d*.toml"):
        named = re.sub(
            r"caught_by\s*=\s*\[[^\]]*\]", f'caught_by = ["{names[0]}"]', fault.read_text(encoding="utf-8")
        )
        fault.write_text(named, encoding="utf-8")
    first = diary.json("mutants", *FEW, "mutmut:operator", "--limit", "1")["candidates"][0]
    assert first["class"] == "missed"
    assert "return" in first["witness"]


def test_in_full_the_tests_that_kill_are_named_and_what_is_not_shown_is_told(diary: "Course") -> None:
    done = diary.ol("mutants", *FEW, "drop-statement", "--class", "killed", "-v")
    assert done.returncode == 0, done.stderr
    assert "test_due.py::test_" in "".join(done.stdout.split())
    assert "more are not shown here" in done.stdout


class Page(HTMLParser):
    """What a page loads, and which tags it leaves open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loads += [value or "" for name, value in attrs if name in {"src", "href"}] + [tag] * (
            tag == "script"
        )
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_page_escapes_what_stands_in_code() -> None:
    lesson = load_lesson(DIARY, "D1")
    text = 'def f(a):\n    assert "<b>" + a != "</b>"\n    return a\n'
    modules = dict(lesson.reference_modules)
    modules[lesson.module] = replace(modules[lesson.module], source=text)
    candidate = candidates_of(replace(lesson, reference_modules=modules), ["drop-statement"])[0]
    judged = Judged(candidate, Class.KILLED, killed_by=("<i>",), reached_by=1, witness="return '<u>'")
    page = write(Suggested("<D1>", "", ("<i>",), (judged,), (), 1.0), [judged])
    assert (Page(page).open, Page(page).loads) == ([], [])
    assert not any(tag in page for tag in ("<b>", "<i>", "<u>", "<D1>"))
    assert "&lt;b&gt;" in page


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("D1", "--operators", "explode"), "There is no operator 'explode'"),
        (("D9",), "There is no lesson 'D9'"),
        (("D1", "--class", "good"), "'good' is not one of"),
        (("D1", "--json", "-", "--html", "-"), "only one of --json and --html"),
    ],
)
def test_a_mistake_in_the_command_line_is_told(diary: "Course", words: tuple[str, ...], message: str) -> None:
    done = diary.ol("mutants", "suggest", *words)
    assert done.returncode == 2
    assert message in done.stderr
