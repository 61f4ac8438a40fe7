"""A module's text with its syntax tree: where a node stands in it, and in which function."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from grader.lesson.replacement import Offsets, Place, places_in

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Source:
    """The text of a module that compiles. Offsets count characters."""

    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree."""
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes, an outer one before those in it, in the order of the text; without annotations."""
        return tuple(_below(self.tree))

    @cached_property
    def _offsets(self) -> Offsets:
        return Offsets(self.text)

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a statement or an expression starts and ends."""
        start = self._offsets.of(node.lineno, node.col_offset)  # type: ignore[attr-defined]  # all nodes that operators see
        return start, self._offsets.of(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]  # as above

    def position(self, line: int, column: int) -> int:
        """The offset of a line, from 1, and a column, from 0, in characters."""
        return self._offsets.of_characters(line, column)

    def whole_lines(self, start: int, end: int) -> tuple[int, int]:
        """The span of the lines that a span is in, without the last line's end."""
        last = self.text.find("\n", end)
        return self.text.rfind("\n", 0, start) + 1, len(self.text) if last < 0 else last

    def line(self, offset: int) -> int:
        """The line, from 1, of an offset."""
        return self.text.count("\n", 0, offset) + 1

    def of(self, node: ast.AST) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def place(self, start: int, end: int) -> Place:
        """The innermost function or class whose text holds the span; the module, where there is none."""
        holding = [each for each in self.places if each.start <= start and end <= each.end]
        return min(holding, key=lambda each: each.end - each.start)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The module and all functions and classes in it."""
        return places_in(self.text, self.tree)

    def statement(self, start: int, end: int) -> ast.stmt | None:
        """The innermost statement whose text holds the span."""
        holding = [
            node
            for node in self.nodes
            if isinstance(node, ast.stmt) and self.span(node)[0] <= start and end <= self.span(node)[1]
        ]
        return holding[-1] if holding else None


def shared_ends(one: str, other: str) -> tuple[int, int]:
    """How many characters two texts have in common at their start, and how many of the rest at their end."""
    start = _alike(one, other)
    return start, _alike(one[start:][::-1], other[start:][::-1])


def _alike(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))


_ANNOTATIONS = frozenset({"annotation", "returns", "type_params"})


def _below(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for name, value in ast.iter_fields(node):
        if name in _ANNOTATIONS:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _below(child)
