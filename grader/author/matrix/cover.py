"""The fewest sets that hold together all that all of them hold (minimum set cover), exactly, by branch and bound."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


def smallest_cover(sets: Sequence[Collection[str]]) -> tuple[int, ...]:
    """Places of the fewest sets whose union is the union of all, in ascending order.

    Minimum set cover is NP-hard (Karp 1972): the time grows exponentially at worst. What makes tables of tests and faults
    quick is that most rows hold no more than another one, and most columns are held whenever another one is.
    """
    elements = sorted({element for each in sets for element in each})
    bit = {element: 1 << place for place, element in enumerate(elements)}
    masks = {place: sum(bit[element] for element in set(each)) for place, each in enumerate(sets)}
    search = _Search(_without_dominated(masks))
    search.extend((), (1 << len(elements)) - 1)
    return tuple(sorted(search.best or ()))


def _without_dominated(masks: dict[int, int]) -> dict[int, int]:
    """Without sets that hold nothing which another set, an earlier one of two alike, does not hold too."""
    kept: dict[int, int] = {}
    for place, mask in sorted(masks.items(), key=lambda item: (-item[1].bit_count(), item[0])):
        if mask and not any(mask & ~other == 0 for other in kept.values()):
            kept[place] = mask
    return kept


@dataclass
class _Search:
    masks: dict[int, int]
    best: tuple[int, ...] | None = None
    _holders: dict[int, list[int]] = field(default_factory=dict)

    def extend(self, chosen: tuple[int, ...], left: int) -> None:
        """Try every way to hold the elements `left` in addition to the sets `chosen`."""
        if not left:
            if self.best is None or len(chosen) < len(self.best):
                self.best = chosen
            return
        if self.best is not None and len(chosen) + self._at_least(left) >= len(self.best):
            return
        rarest = min(_bits(left), key=lambda bit: len(self._held_by(bit)))
        by_gain = sorted(
            self._held_by(rarest), key=lambda place: (-(self.masks[place] & left).bit_count(), place)
        )
        for place in by_gain:
            self.extend((*chosen, place), left & ~self.masks[place])

    def _at_least(self, left: int) -> int:
        """A lower bound: elements of which no two are in one set need a set each."""
        count = 0
        while left:
            bit = min(_bits(left), key=lambda bit: len(self._held_by(bit)))
            for place in self._held_by(bit):
                left &= ~self.masks[place]
            count += 1
        return count

    def _held_by(self, bit: int) -> list[int]:
        if bit not in self._holders:
            self._holders[bit] = [place for place, mask in self.masks.items() if mask & bit]
        return self._holders[bit]


def _bits(mask: int) -> list[int]:
    bits = []
    while mask:
        bits.append(mask & -mask)
        mask &= mask - 1
    return bits
