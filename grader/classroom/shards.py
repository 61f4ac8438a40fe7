"""A class in several parts: which part a learner belongs to."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Shard:
    """Part `index` (from 1) of `count`: every learner is in exactly one, with all that they handed in.

    Use `Shard.parse("2/8")`, and `learner in shard`.
    """

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """`I/N`.

        Raises:
            ValueError: it is not of this form, or I is not in 1..N; the message is the rest of a sentence.
        """
        numbers = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
        if not numbers:
            raise ValueError("it is not of the form I/N, such as 2/8")
        index, count = int(numbers[1]), int(numbers[2])
        if not 1 <= index <= count:
            raise ValueError(f"the parts are numbered from 1 to {count}")
        return cls(index, count)

    def __contains__(self, learner: str) -> bool:
        digest = hashlib.sha256(learner.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % self.count == self.index - 1
