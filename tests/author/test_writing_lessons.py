"""Every command in `docs/writing-lessons.md` runs as it stands there, and prints what the page shows."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.author.new_lesson import NewLesson, lay_down
from grader.author.verify import verify_lesson
from tests.author.conftest import ROOT
from tests.author.pages import page

if TYPE_CHECKING:
    from tests.author.conftest import Course

PAGE = page("writing-lessons.md")
ROW = re.compile(r"^\| (\w[^|]*) \|", re.MULTILINE)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("page")
    printed = PAGE.run(folder)
    assert (folder / "found.json").is_file()
    return printed


def test_every_command_ends_as_the_page_says(printed: str) -> None:
    assert len(PAGE.commands()) > 15
    assert "M1 Prices (rung R1): learners build shop.prices" in printed


def test_what_the_page_shows_is_what_is_printed(printed: str) -> None:
    shown = PAGE.shown("text")
    assert shown
    for text in shown:
        assert text in printed


def test_the_page_names_every_check_and_no_other(tmp_path: Path) -> None:
    lay_down(tmp_path / "course", NewLesson("M1", "Prices", "R1", "shop.prices"))
    found = verify_lesson(tmp_path / "course", "M1")
    emitted = {re.sub(r"^variant \w+", "variant …", finding.check) for finding in found.findings}
    _before, of_faults, of_the_lesson = re.split(r"(?m)^Of (?:each fault|the lesson):$", PAGE.text)
    named = {name for row in ROW.findall(of_faults + of_the_lesson) for name in row.split(", ")}
    # The last two are said only when they do not hold.
    assert emitted == named - {"check", "loads", "complete"}


def test_exactly_the_commands_that_the_page_says_need_the_extra(diary: "Course", tmp_path: Path) -> None:
    for library in ("tomlkit", "mutmut", "hypothesis"):
        (tmp_path / f"{library}.py").write_text("raise ImportError('not installed')\n")
    words = {
        "new": ("D1", "--title", "a", "--edited", diary.root / "reference/diary/due.py"),
        "edit": ("d01", "--yes"),
        "witness": ("d01",),
        "suggest": ("D1",),
        "adopt": ("1234567890",),
        "list": (),
        "show": ("d01",),
        "verify": ("d01",),
        "matrix": ("D1",),
    }
    path = f"{tmp_path}:{ROOT}"
    done = {each: diary.ol("mutants", each, *rest, PYTHONPATH=path) for each, rest in words.items()}
    needing = {each for each, ended in done.items() if "[missing-extra]" in ended.stderr}
    assert {each for each in words if done[each].returncode} == needing
    [named] = re.findall(r"`ol mutants`\. Its (.*) need it\.", PAGE.text)
    assert needing == set(re.findall(r"`(\w+)`", named))
