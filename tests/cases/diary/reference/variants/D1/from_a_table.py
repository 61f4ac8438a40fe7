# mypy: ignore-errors
"""Looks the lengths of the months up in a table of the whole year."""

import re

from diary.months import days_in

DATE = re.compile(r"(\d+)-(\d+)-(\d+)")


def add_months(day: str, months: int) -> str:
    """The same day some months later, or earlier."""
    year, month, number = parts(day)
    years, index = (month - 1 + months) // 12, (month - 1 + months) % 12
    lengths = [days_in(year + years, each) for each in range(1, 13)]
    number = number if number <= lengths[index] else lengths[index]
    return "%04d-%02d-%02d" % (year + years, index + 1, number)


def parts(day: str) -> tuple[int, int, int]:
    """Year, month and day of the month."""
    found = DATE.fullmatch(day)
    if found is None:
        raise ValueError("a date has three numbers")
    year, month, number = map(int, found.groups())
    if 1 <= month <= 12 and 1 <= number <= days_in(year, month):
        return year, month, number
    raise ValueError("no such date")
