# mypy: ignore-errors
"""Your tests for D1."""

from diary.due import add_months


def test_one_date_by_hand():
    assert add_months("2023-10-15", 1) == "2023-11-15"
