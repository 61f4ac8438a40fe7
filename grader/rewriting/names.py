"""Names and texts that mean nothing."""

from __future__ import annotations

import keyword
from itertools import product
from typing import TYPE_CHECKING

from grader.rewriting.scopes import BUILTINS, FRAME_NAMES

if TYPE_CHECKING:
    import random
    from collections.abc import Set as AbstractSet

SYLLABLES = [first + second for first, second in product("bdfgklmnprstvz", "aeiou")]
RESERVED = frozenset((*keyword.kwlist, *keyword.softkwlist, *BUILTINS, *FRAME_NAMES))
NOUNS = (
    "value",
    "result",
    "entry",
    "piece",
    "state",
    "item",
    "part",
    "step",
    "case",
    "unit",
    "form",
    "whole",
    "field",
    "point",
    "line",
    "group",
)
VERBS = (
    "takes",
    "gives",
    "holds",
    "keeps",
    "makes",
    "reads",
    "finds",
    "joins",
    "moves",
    "sends",
    "works",
    "brings",
)
ADJECTIVES = (
    "given",
    "next",
    "former",
    "plain",
    "single",
    "inner",
    "outer",
    "common",
    "usual",
    "current",
    "final",
    "first",
)


class Names:
    """Draws names, none of them twice."""

    def __init__(self, draw: random.Random, taken: AbstractSet[str]) -> None:
        self._draw = draw
        self._taken = taken
        self._drawn: set[str] = set()

    def local(self) -> str:
        """A name for a local."""
        while True:
            name = "".join(self._draw.choices(SYLLABLES, k=self._draw.choice((2, 3, 4))))
            if name not in self._drawn and name not in self._taken and name not in RESERVED:
                self._drawn.add(name)
                return name

    def private(self) -> str:
        """A name for something private at module level."""
        while (name := "_" + self.local()) in self._taken:
            pass
        return name


def docstring(draw: random.Random) -> str:
    """A docstring, quotes included."""
    clauses = [
        f"the {draw.choice(ADJECTIVES)} {draw.choice(NOUNS)} {draw.choice(VERBS)} "
        f"the {draw.choice(ADJECTIVES)} {draw.choice(NOUNS)}"
        for _ in range(draw.randint(1, 3))
    ]
    text = ", and ".join(clauses)
    return f'"""{text[0].upper()}{text[1:]}."""'
