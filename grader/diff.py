"""The learner's module and the reference, line beside line."""

from __future__ import annotations

import difflib
import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CONTEXT = 3  # lines around a change, in the unified form
MOST_PAIRS = 40_000  # above, no lines are set beside each other: it would take too long
ALIKE = 0.5  # the share that two lines have in common when they are set beside each other


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
    """Every line of both texts, once, in order; lines that are alike stand beside each other."""
    matcher = difflib.SequenceMatcher(None, yours, reference, autojunk=False)
    found: list[Row] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            found += [Row(Side.BOTH, a + step, c + step) for step in range(b - a)]
        else:
            found += _changed(yours, reference, range(a, b), range(c, d))
    return found


def _changed(yours: Sequence[str], reference: Sequence[str], left: range, right: range) -> Iterator[Row]:
    """Rows of two blocks that differ: pairs of like lines, and the lines between them on their own sides."""
    i, j = left.start, right.start
    pairs = _like(yours, reference, left, right) if len(left) * len(right) <= MOST_PAIRS else []
    for a, c in [*pairs, (left.stop, right.stop)]:
        yield from (Row(Side.YOURS, index, None) for index in range(i, a))
        yield from (Row(Side.REFERENCE, None, index) for index in range(j, c))
        if a < left.stop:
            yield Row(Side.CHANGED, a, c)
        i, j = a + 1, c + 1


def _like(yours: Sequence[str], reference: Sequence[str], left: range, right: range) -> list[tuple[int, int]]:
    """The pairs of lines, in order on both sides, that are most alike in sum."""
    best: dict[tuple[int, int], tuple[float, list[tuple[int, int]]]] = {}
    for i in reversed(range(left.start, left.stop + 1)):
        for j in reversed(range(right.start, right.stop + 1)):
            if i == left.stop or j == right.stop:
                best[i, j] = (0.0, [])
                continue
            chosen = max(best[i + 1, j], best[i, j + 1], key=lambda option: option[0])
            alike = _alike(yours[i], reference[j])
            total, pairs = best[i + 1, j + 1]
            best[i, j] = max(
                chosen, (total + alike, [(i, j), *pairs]) if alike else chosen, key=lambda option: option[0]
            )
    return best[left.start, right.start][1]


def _alike(one: str, other: str) -> float:
    """Between `ALIKE` and 1 for lines that are alike, else 0."""
    matcher = difflib.SequenceMatcher(None, one.strip(), other.strip(), autojunk=False)
    if matcher.real_quick_ratio() < ALIKE or matcher.quick_ratio() < ALIKE:
        return 0.0
    ratio = matcher.ratio()
    return ratio if ratio >= ALIKE else 0.0


def unified(
    yours: Sequence[str], reference: Sequence[str], names: tuple[str, str] = ("yours", "reference")
) -> list[str]:
    """What changes from the first text to the second, with some lines around it; empty: nothing.

    Args:
        yours: the lines of the first, without their ends.
        reference: those of the second.
        names: what the two are called.
    """
    return list(difflib.unified_diff(yours, reference, *names, n=CONTEXT, lineterm=""))
