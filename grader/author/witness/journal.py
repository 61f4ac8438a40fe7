"""What a search has tried so far, and which of it is the best witness."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.author.witness.records import Judged, Kind

if TYPE_CHECKING:
    from grader.author.witness.records import Tried

UNKNOWN = Judged(Kind.NONE, known=False)


@dataclass
class Journal:
    """The inputs of one search, each tried once.

    Attributes:
        judged: input → what it showed, in the order in which they were tried.
        picked: input → the sum of its choices; 0 is the simplest.
        first: which of them was the first witness, counted from 1; 0: none was.
        endless: how many did not end.
    """

    judged: dict[str, Judged] = field(default_factory=dict)
    picked: dict[str, int] = field(default_factory=dict)
    first: int = 0
    endless: int = 0

    def note(self, tried: Tried) -> None:
        """Take an input in."""
        self.judged[tried.call] = tried.judged
        self.picked[tried.call] = tried.picked
        self.endless += tried.judged.kind is Kind.ENDLESS
        if tried.judged.holds and not self.first:
            self.first = len(self.judged)

    def dismiss(self, call: str) -> None:
        """Forget what an input showed, since it does not show it again."""
        self.judged[call] = UNKNOWN

    @property
    def best(self) -> str | None:
        """Of the witnesses the one to prefer: by how the results differ, then by lines, characters and choices."""
        holding = [call for call, judged in self.judged.items() if judged.holds]
        return min(holding, key=self._rank, default=None)

    @property
    def partial(self) -> str | None:
        """The smallest input that differs in one dtype alone."""
        differing = [call for call, judged in self.judged.items() if judged.differs]
        return min(differing, key=self._rank, default=None)

    @property
    def known(self) -> int:
        """How many inputs the reference gives a value for."""
        return sum(judged.known for judged in self.judged.values())

    def _rank(self, call: str) -> tuple[int, int, int, int]:
        return self.judged[call].kind, call.count("\n"), len(call), self.picked[call]
