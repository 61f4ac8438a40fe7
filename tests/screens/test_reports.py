"""The screen of `ol check` for reports that were kept: a folder a case, a file a width."""

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest
from rich.console import Console

from grader import texts
from grader.diagnosis import usual_mistake
from grader.validity import ADVICE
from grader.writers import json, terminal, text
from grader.writers.said import SENTENCES

CASES = sorted((Path(__file__).parent / "cases").iterdir())
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
WIDTHS = [(40, False), (80, False), (120, False), (80, True), (120, True)]

Draw = Callable[[Console], None]
Golden = Callable[[str, Path], None]


class Screen(Protocol):
    def __call__(self, draw: Draw, width: int, *, colour: bool = False) -> str: ...


each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def view_of(case: Path) -> terminal.View:
    """A first check explains itself, full feedback shows messages, and the course tests alone show all of theirs."""
    return terminal.View(
        first=case.name == "just-started",
        messages=case.name == "full",
        course_only=case.name == "course-only",
    )


def draw(case: Path) -> Draw:
    report = json.read(case / "report.json")
    return lambda console: terminal.write(report, console, view_of(case))


@each_case
@pytest.mark.parametrize(("width", "colour"), WIDTHS, ids=str)
def test_a_report_looks_as_it_did(
    case: Path, width: int, colour: bool, screen: Screen, golden: Golden
) -> None:
    suffix = "ansi" if colour else "txt"
    golden(screen(draw(case), width, colour=colour), case / f"{width}.{suffix}")


@each_case
@pytest.mark.parametrize("width", [20, 40, 80, 120])
def test_no_line_is_wider_than_the_screen(case: Path, width: int, screen: Screen) -> None:
    page = screen(draw(case), width)
    # An escape put in front of a mark that a CI log would obey may take one column more.
    assert max(map(len, page.splitlines())) <= width + 1


@each_case
def test_colour_adds_nothing_but_colour(case: Path, screen: Screen) -> None:
    plain, coloured = (screen(draw(case), 80, colour=colour) for colour in (False, True))
    without = ESCAPES.sub("", coloured)
    assert "\x1b" not in without
    assert [line.rstrip() for line in without.splitlines()] == plain.splitlines()


@each_case
def test_a_pipe_gets_text_and_nothing_else(case: Path, screen: Screen) -> None:
    page = screen(draw(case), 80)
    assert not re.search(r"[^\n\x20-\x7e\u00a1-\uffff]", page)
    assert not re.search(r"^\s*::|##\[|##vso\[", page, re.MULTILINE)


@each_case
def test_the_last_lines_agree_with_the_report(case: Path, screen: Screen) -> None:
    report = json.read(case / "report.json")
    page = screen(draw(case), 400)
    assert f"{report.status.upper()} {report.lesson}: " in page
    if report.mutation:
        assert (
            f"{report.mutation.killed} of {report.mutation.total} killed, {report.mutation.needed} needed"
            in page
        )
    assert re.search(r"^Next: \S", page, re.MULTILINE)


@each_case
def test_text_is_the_screen_without_colour(case: Path, screen: Screen) -> None:
    report = json.read(case / "report.json")
    assert text.write(report) == screen(lambda console: terminal.write(report, console), 80)


def test_our_own_sentences_in_a_problem_stand_apart_from_what_the_test_said() -> None:
    openings = [advice for advice in ADVICE.values() if not advice.startswith(SENTENCES)]
    assert openings == []
    assert usual_mistake("flaky", "")
    assert SENTENCES[-1] == "Usually it is "


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@each_case
def test_every_screen_can_be_written_in_old_encodings(case: Path, encoding: str, screen: Screen) -> None:
    page = texts.encodable(screen(draw(case), 80), encoding)
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    stream.write(page)
    stream.flush()
