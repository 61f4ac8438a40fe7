"""The learner's module and the reference, line beside line."""

from __future__ import annotations

import difflib
import enum
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CONTEXT = 3  # lines around a change, in the unified form


class Side(enum.StrEnum):
    """On which side a line stands; the value is its mark between the columns."""

    BOTH = " "
    CHANGED = "|"
    YOURS = "<"
    REFERENCE = ">"


@dataclass(frozen=True)
class Row:
    """Two lines that stand beside each other, by their indices; None: nothing stands there."""

    side: Side
    yours: int | None
    reference: int | None


def rows(yours: Sequence[str], reference: Sequence[str]) -> list[Row]:
    """Every line of both texts, once, in order."""
    matcher = difflib.SequenceMatcher(None, yours, reference, autojunk=False)
    return [row for opcode in matcher.get_opcodes() for row in _rows(*opcode)]


def _rows(tag: str, a: int, b: int, c: int, d: int) -> Iterator[Row]:
    for left, right in zip_longest(range(a, b), range(c, d)):
        if tag == "equal":
            side = Side.BOTH
        elif right is None:
            side = Side.YOURS
        else:
            side = Side.REFERENCE if left is None else Side.CHANGED
        yield Row(side, left, right)


def unified(yours: Sequence[str], reference: Sequence[str]) -> list[str]:
    """What changes from the learner's text to the reference, with some lines around it; empty: nothing."""
    lines = difflib.unified_diff(yours, reference, "yours", "reference", n=CONTEXT, lineterm="")
    return list(lines)
