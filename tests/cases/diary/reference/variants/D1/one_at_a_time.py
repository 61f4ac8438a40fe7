# mypy: ignore-errors
"""Goes from month to month, as one does with a finger on a calendar."""

from diary.months import days_in


def add_months(day: str, months: int) -> str:
    """The same day some months later, or earlier."""
    year, month, number = parts(day)
    for _ in range(abs(months)):
        month += 1 if months > 0 else -1
        if month > 12:
            year, month = year + 1, 1
        elif month < 1:
            year, month = year - 1, 12
    return "-".join([str(year).zfill(4), str(month).zfill(2), str(min(number, days_in(year, month))).zfill(2)])


def parts(day: str) -> tuple[int, int, int]:
    """Year, month and day of the month."""
    pieces = day.split("-")
    if len(pieces) != 3 or not all(piece.isdigit() for piece in pieces):
        raise ValueError(f"not a date: {day}")
    year, month, number = (int(piece) for piece in pieces)
    if month not in range(1, 13) or number not in range(1, days_in(year, month) + 1):
        raise ValueError(f"there is no such day: {day}")
    return year, month, number
