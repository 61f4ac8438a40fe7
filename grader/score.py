"""The score of a suite: exact arithmetic on whole numbers, never on rounded percentages."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from grader.lesson import needed_kills
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from grader.grading import FaultResult

DECIMALS = 4


@dataclass(frozen=True)
class Score:
    """Kills of a suite against what the lesson asks for.

    Attributes:
        killed: faults killed.
        total: faults of the lesson.
        needed: kills that the threshold asks for.
        required_missing: ids of required faults that were not killed.
    """

    killed: int
    total: int
    needed: int
    threshold: Decimal | int
    required_missing: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Enough kills, and every required fault among them."""
        return self.killed >= self.needed and not self.required_missing

    @property
    def shown(self) -> float:
        """The score with four decimals; rounding never lifts it to the threshold or to 1."""
        exact = Fraction(self.killed, self.total)
        rounded = round(exact, DECIMALS)
        for border in (Fraction(self.threshold), Fraction(1)):
            if exact < border <= rounded:
                rounded = Fraction(int(exact * 10**DECIMALS), 10**DECIMALS)
        return float(rounded)


def score_of(faults: Sequence[FaultResult], threshold: Decimal | int) -> Score:
    """Count the kills. There is at least one fault, or the lesson would not have loaded."""
    alive = [result.fault for result in faults if result.verdict.status is not Status.KILLED]
    return Score(
        killed=len(faults) - len(alive),
        total=len(faults),
        needed=needed_kills(threshold, len(faults)),
        threshold=threshold,
        required_missing=tuple(fault.id for fault in alive if fault.required),
    )
