"""How long months are."""

MONTHS = 12
LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def days_in(year: int, month: int) -> int:
    """The length of a month, 1 to 12, in the Gregorian calendar."""
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return LENGTHS[month - 1] + (month == 2 and leap)
