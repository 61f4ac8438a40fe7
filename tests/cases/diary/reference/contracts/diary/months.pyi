"""How long months are."""

MONTHS: int
LENGTHS: tuple[int, ...]

def days_in(year: int, month: int) -> int:
    """The length of a month, 1 to 12, in the Gregorian calendar."""
