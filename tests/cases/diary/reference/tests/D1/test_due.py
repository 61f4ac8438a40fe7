# mypy: ignore-errors
"""What `diary.due` must do. A test's docstring says its kind, what it checks, and what relies on it."""

import json
from pathlib import Path

import pytest
from diary.due import add_months, parts

GOLDEN = Path(__file__).resolve().parents[3] / "fixtures" / "D1" / "due.json"


def test_the_day_stays():
    """[unit] In months that are long enough, the day of the month stays.

    Downstream: rent is due on the same day of every month.
    """
    assert add_months("2023-02-28", 1) == "2023-03-28"
    assert add_months("2023-11-05", 0) == "2023-11-05"


def test_the_last_day_of_a_short_month():
    """[boundary] Where there is no such day, it is the last one.

    Downstream: every date that is stored can be read again.
    """
    assert add_months("2023-01-31", 1) == "2023-02-28"
    assert add_months("2023-01-31", 3) == "2023-04-30"


def test_into_another_year():
    """[boundary] Forward over December and back over January.

    Downstream: a yearly bill comes every year.
    """
    assert add_months("2023-12-01", 1) == "2024-01-01"
    assert add_months("2023-01-01", -1) == "2022-12-01"


def test_leap_years():
    """[boundary] The 29th of February is there in leap years, of which centuries are none but every fourth.

    Downstream: dates agree with those of other programs.
    """
    got = [add_months(f"{year}-01-31", 13) for year in (1899, 1999, 2022, 2023)]
    assert got == ["1900-02-28", "2000-02-29", "2023-02-28", "2024-02-29"]


def test_golden():
    """[golden] Dates that the standard library's calendar gives.

    Downstream: as above.
    """
    for case in json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]:
        assert add_months(case["day"], case["months"]) == case["due"], case


@pytest.mark.parametrize("text", ["", "tomorrow", "2023-1", "2023-02-29", "2023-13-01", "2023-00-10"])
def test_what_is_no_date_is_refused(text):
    """[boundary] A text that is no date is an error.

    Downstream: a slip of the pen is noticed where it is made.
    """
    with pytest.raises(ValueError):
        parts(text)
