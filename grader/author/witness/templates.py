"""Inputs with holes: texts in which `$name` stands for what a search draws.

A hole has one value in an input, wherever it stands, so `$d` as a width and `$d` as a length agree. What it is filled
with is text that its author finds readable, the simplest first: whoever shrinks an input picks earlier choices.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

import msgspec

# Called with the number of choices; the index of one. 0 is the simplest.
Pick: TypeAlias = Callable[[int], int]


class Choice(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """One of these texts, which may have holes themselves."""

    options: tuple[str, ...]


class Whole(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """A whole number from `least` to `most`, small ones first."""

    least: int
    most: int


class Array(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Nested lists of one of these shapes.

    Attributes:
        shapes: the length of each axis, as a number or as the name of a hole that holds one.
        entry: the name of a hole, drawn anew for each entry.
    """

    shapes: tuple[tuple[int | str, ...], ...]
    entry: str


class Letters(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """A text of up to `most` of these characters, as Python writes it."""

    alphabet: str
    most: int


Hole: TypeAlias = Choice | Whole | Array | Letters


class Template(msgspec.Struct, frozen=True, array_like=True):
    """The body of a witness with holes.

    Attributes:
        call: with `$name` or `${name}` where a hole is, and `$$` for a dollar sign.
        holes: by name; may hold more than `call` needs.
    """

    call: str
    holes: dict[str, Hole] = msgspec.field(default_factory=dict)

    def filled(self, pick: Pick) -> str:
        """The body of a witness."""
        return _Filling(self.holes, pick).text(self.call)

    def simplest(self) -> str:
        """The body with the first choice everywhere."""
        return self.filled(lambda _choices: 0)


class _Filling(Mapping[str, str]):
    """The values of holes in one input, each drawn when it is first met."""

    def __init__(self, holes: Mapping[str, Hole], pick: Pick) -> None:
        self._holes = holes
        self._pick = pick
        self._values: dict[str, str] = {}

    def text(self, template: str) -> str:
        return string.Template(template).substitute(self)

    def __getitem__(self, name: str) -> str:
        if name not in self._values:
            self._values[name] = self._drawn(name)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._holes)

    def __len__(self) -> int:
        return len(self._holes)

    def _drawn(self, name: str) -> str:
        match self._holes[name]:
            case Choice(options):
                return self.text(options[self._pick(len(options))])
            case Whole(least, most):
                return str(least + self._pick(most - least + 1))
            case Array(shapes, entry):
                shape = shapes[self._pick(len(shapes))]
                return self._nested([self._length(axis) for axis in shape], entry)
            case Letters(alphabet, most):
                length = self._pick(most + 1)
                return repr("".join(alphabet[self._pick(len(alphabet))] for _ in range(length)))

    def _length(self, axis: int | str) -> int:
        return axis if isinstance(axis, int) else int(self[axis])

    def _nested(self, shape: list[int], entry: str) -> str:
        if not shape:
            return self._drawn(entry)
        return f"[{', '.join(self._nested(shape[1:], entry) for _ in range(shape[0]))}]"


def merged(templates: Iterable[Template]) -> list[Template]:
    """Templates with the same text as one, whose holes offer what any of them offers, in the order of the first ones."""
    together: dict[str, dict[str, Hole]] = {}
    for template in templates:
        known = together.setdefault(template.call, {})
        for name, hole in template.holes.items():
            known[name] = _either(known.get(name, hole), hole)
    return [Template(call, holes) for call, holes in together.items()]


def _either(one: Hole, other: Hole) -> Hole:
    match one, other:
        case Choice(), Choice():
            return Choice(tuple(dict.fromkeys((*one.options, *other.options))))
        case Array(), Array() if one.entry == other.entry:
            return Array(tuple(dict.fromkeys((*one.shapes, *other.shapes))), one.entry)
        case _:
            return one
