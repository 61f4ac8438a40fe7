# mypy: ignore-errors
"""When something is due that comes again every few months."""

from diary.months import MONTHS, days_in


def add_months(day: str, months: int) -> str:
    """The same day some months later, or earlier; the last day of a month that is too short for it.

    Args:
        day: as `2024-02-29`.
        months: how many; may be negative.

    Raises:
        ValueError: `day` is no date.
    """
    year, month, number = parts(day)
    count = year * MONTHS + month - 1 + months
    year, month = divmod(count, MONTHS)
    number = min(number, days_in(year, month + 1))
    return f"{year:04}-{month + 1:02}-{number:02}"


def parts(day: str) -> tuple[int, int, int]:
    """Year, month and day of the month.

    Raises:
        ValueError: `day` is no date.
    """
    try:
        year, month, number = map(int, day.split("-"))
    except ValueError:
        raise ValueError(f"{day!r} is no date: write it as 2024-02-29") from None
    if not 1 <= month <= MONTHS or not 1 <= number <= days_in(year, month):
        raise ValueError(f"{day!r} is in no calendar")
    return year, month, number
