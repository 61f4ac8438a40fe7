"""How what a witness shows is written: values short and on one line, arrays to six digits, both results in one sentence."""

from __future__ import annotations

from typing import Any

# As text, for the runs that hold nothing of the grader.
SOURCE = """
def text_of(value):
    with numpy.printoptions(precision=6, threshold=12, floatmode="maxprec"):
        return " ".join(repr(value).split())
"""
DOES_NOT_END = "does not end"
ENDS_THE_PROCESS = "ends the process"
GIVES_NOTHING = "gives no result"


def text_of(value: Any) -> str:
    """A value as text, in a process that has numpy."""
    import numpy  # noqa: ICN001, PLC0415 - the name that `SOURCE` uses; the grader's own process never calls this

    space: dict[str, Any] = {"numpy": numpy}
    exec(SOURCE, space)  # noqa: S102 - the text above
    return str(space["text_of"](value))


def gives(value: str) -> str:
    """What a program does that returns a value."""
    return f"gives {value}"


def raises(exception: str) -> str:
    """What a program does that raises."""
    return f"raises {exception}"


def compared(right: str, wrong: str) -> str:
    """What the reference and the faulty version do on one input."""
    return f"On this input the reference {right},\nthis faulty version {wrong}."
