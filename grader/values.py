"""How what a witness shows is written: values short and on one line, arrays to six digits, both results in one sentence."""

from __future__ import annotations

from typing import Any

# As text, for the runs that hold nothing of the grader.
SOURCE = """
def text_of(value):
    with numpy.printoptions(precision=6, threshold=12, floatmode="maxprec"):
        return " ".join(repr(value).split())
"""
GIVES = "gives "
LONG = 70  # characters of a line
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
    return f"{GIVES}{value}"


def raises(exception: str) -> str:
    """What a program does that raises."""
    return f"raises {exception}"


def compared(right: str, wrong: str) -> str:
    """What the reference and the faulty version do on one input; long values stand below one another."""
    lines = [f"On this input the reference {right},", f"this faulty version {wrong}."]
    if max(map(len, lines)) > LONG:
        lines = [line.replace(GIVES, f"{GIVES.rstrip()}\n  ", 1) for line in lines]
    return "\n".join(lines)
