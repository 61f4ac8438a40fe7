"""When something is due that comes again every few months."""

def add_months(day: str, months: int) -> str:
    """The same day some months later, or earlier; the last day of a month that is too short for it.

    Args:
        day: as `2024-02-29`.
        months: how many; may be negative.

    Raises:
        ValueError: `day` is no date.
    """

def parts(day: str) -> tuple[int, int, int]:
    """Year, month and day of the month.

    Raises:
        ValueError: `day` is no date.
    """
