"""What is said while a class is graded: on a terminal a bar, elsewhere a line now and then, and counts at the end."""

from __future__ import annotations

import io
import re
import sys
from typing import TYPE_CHECKING

import pytest

from grader import console
from grader.classroom.tally import Tally, duration
from tests.classroom.school import SUITES, lay_course
from tests.processes import on_terminal

if TYPE_CHECKING:
    from pathlib import Path


def tally(*, made: int = 30, total: int = 100, known: int = 10, seconds: float = 10.0) -> Tally:
    found = Tally(total, known)
    found.by_status.update(passed=made - 3, failed=2, error=1)
    found.begun -= seconds
    return found


def test_a_line_tells_count_rate_time_left_and_what_came_of_it() -> None:
    assert tally().line() == "40 of 100 · 3.0/s · 0:20 left · 27 passed, 2 failed, 1 in error"


def test_a_line_fits_into_a_terminal() -> None:
    large = tally(made=123_456, total=999_999, seconds=100_000)
    large.by_status["invalid"] = 100_000
    assert len(large.line()) <= 100


def test_before_anything_is_done_no_rate_is_told() -> None:
    empty = Tally(7)
    assert empty.line() == "0 of 7"
    assert empty.seconds_left is None


def test_the_summary_tells_every_count() -> None:
    assert tally().summary() == (
        "30 submissions graded: 27 passed, 2 failed, 0 invalid, 1 in error; 10 were already known."
    )
    assert Tally(1).summary() == "0 submissions graded: 0 passed, 0 failed, 0 invalid, 0 in error."


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.4, "0:00"), (59.6, "1:00"), (754, "12:34"), (3600, "1:00:00"), (90061, "25:01:01")],
)
def test_a_duration_is_told_as_on_a_clock(seconds: float, told: str) -> None:
    assert duration(seconds) == told


def test_where_there_is_no_terminal_a_line_comes_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with console.batch_progress() as follower:
        follower.update(tally())
        assert capsys.readouterr().err == ""
        monkeypatch.setattr(console, "SECONDS_BETWEEN_LINES", 0.0)
        follower.update(tally())
        assert capsys.readouterr().err.startswith("40 of 100 · ")


def test_on_a_narrow_terminal_the_bar_is_there_and_no_count_is_cut_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    found = tally(made=1500, total=2000)
    found.by_status["invalid"] = 100
    with console.batch_progress(no_color=True) as follower:
        follower.update(found)
    assert re.search(r"[━╸] +1610 of 2000", screen.getvalue())
    assert "1 in error" in " ".join(screen.getvalue().split())


def test_on_a_terminal_there_is_a_bar_and_at_the_end_it_is_gone(tmp_path: Path) -> None:
    course = lay_course(tmp_path / "course")
    for name, text in SUITES.items():
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "test_it.py").write_text(text, encoding="utf-8")
    temp = tmp_path / "temp"
    temp.mkdir()
    arguments = ("W1", tmp_path / "class", "--out", tmp_path / "out", "--course", course)
    code, out, shown = on_terminal("grade", *arguments, temp=temp)
    assert code == 0
    assert re.search(r"\d of 5 · \d+\.\d/s · \d+:\d\d left".encode(), shown)
    assert out == "5 submissions graded: 1 passed, 1 failed, 3 invalid, 0 in error.\n"
