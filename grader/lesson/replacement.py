"""A replacement in a text, named by what it replaces: so the name says all, and a change elsewhere leaves it as it is."""

import ast
import hashlib
import json
from collections.abc import Iterator
from typing import NamedTuple

LENGTH = 10  # hex digits of a name: among a thousand replacements, two share one in two million cases
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Place(NamedTuple):
    """A function or class: its qualified name and the span of its text, in characters; the empty name is the module."""

    name: str
    start: int
    end: int


def name_of(file: str, function: str, original: str, replacement: str, occurrence: int) -> str:
    """The name of a replacement: a hash of all that it is.

    Args:
        file: the changed file, relative to the course's `reference` folder.
        function: the qualified name of the innermost function or class that holds the place; empty: the module.
        original: the text that is replaced.
        replacement: the text in its place.
        occurrence: how many times `original` stands in that function before the place.
    """
    parts = json.dumps([file, function, original, replacement, occurrence], ensure_ascii=False)
    return hashlib.sha256(parts.encode()).hexdigest()[:LENGTH]


def hash_of(text: str) -> str:
    """What tells that a function's text is still the one in which a place was found."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def occurrence_of(text: str, part: str, start: int) -> int:
    """How many times `part` stands in `text` before `start`, overlapping ones too."""
    return sum(found < start for found in starts_of(text, part))


def starts_of(text: str, part: str) -> list[int]:
    """Every place where `part` starts in `text`, in order, overlapping ones too."""
    found = []
    start = text.find(part)
    while start >= 0:
        found.append(start)
        start = text.find(part, start + 1)
    return found


class Offsets:
    """From the places of a syntax tree, whose columns count bytes of UTF-8, to offsets in characters."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")  # as Python's own tokenizer sees them: a form feed ends no line
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def of(self, line: int, column: int) -> int:
        """The offset of a place in a tree."""
        text = self._lines[line - 1]
        return self._starts[line - 1] + (column if text.isascii() else len(text.encode()[:column].decode()))

    def of_characters(self, line: int, column: int) -> int:
        """The offset of a line, from 1, and a column, from 0, in characters."""
        return self._starts[line - 1] + column


def places_in(text: str, tree: ast.Module) -> tuple[Place, ...]:
    """The module and all functions and classes in it, an outer one before those in it."""
    offsets = Offsets(text)

    def below(node: ast.AST, prefix: str) -> Iterator[Place]:
        for child in ast.iter_child_nodes(node):
            name = prefix
            if isinstance(child, Definition):
                name = f"{prefix}{child.name}."
                start = offsets.of(child.lineno, child.col_offset)
                yield Place(
                    name[:-1], start, offsets.of(child.end_lineno or child.lineno, child.end_col_offset or 0)
                )
            yield from below(child, name)

    return (Place("", 0, len(text)), *below(tree, ""))
