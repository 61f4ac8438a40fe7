"""Templates from the witnesses that a lesson's faults have: what is written down in them becomes holes.

A list of numbers gets other entries and another length; a whole number that equals the length of a list goes with it.
A call of the lesson's module also gets the optional arguments that it leaves out.
"""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeGuard

from grader.author.witness.readable import NUMBERS, literal, values_like
from grader.author.witness.signatures import callables_of, optional
from grader.author.witness.templates import Array, Choice, Template
from grader.lesson.syntax import compiled_witness

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from grader.author.witness.signatures import Callable
    from grader.author.witness.templates import Hole
    from grader.lesson import Lesson

LENGTHS = ("2", "1", "3", "4")


def stored_templates(lesson: Lesson, calls: Iterable[str]) -> list[Template]:
    """These witnesses as they are, and then each of them with holes; those that are no Python are left out."""
    known = callables_of(lesson)
    texts = [textwrap.dedent(call).strip("\n") for call in calls if _is_witness(call)]
    as_they_are = [Template(text.replace("$", "$$")) for text in texts]
    return as_they_are + [_Opening(text, known).template() for text in texts]


@dataclass
class _Opening:
    """Opens holes in one witness."""

    call: str
    known: Mapping[str, Callable]
    holes: dict[str, Hole] = field(default_factory=dict)
    _changes: list[tuple[int, int, str]] = field(default_factory=list)

    def template(self) -> Template:
        tree = ast.parse(self.call)
        self._starts = _line_starts(self.call)
        self._lengths = {length for node in ast.walk(tree) for length in _shape(node) or ()}
        self._open(tree)
        text = self.call.encode()
        pieces, end = [], 0
        for start, stop, hole in sorted(self._changes):
            pieces += [text[end:start].decode().replace("$", "$$"), hole]
            end = stop
        return Template("".join([*pieces, text[end:].decode().replace("$", "$$")]), self.holes)

    def _open(self, node: ast.AST) -> None:
        if isinstance(node, ast.JoinedStr):
            return
        if isinstance(node, ast.expr) and (hole := self._hole(node)):
            self._change(node, hole)
            return
        for child in ast.iter_child_nodes(node):
            self._open(child)
        if isinstance(node, ast.Call):
            self._offer_options(node)

    def _hole(self, node: ast.expr) -> str:
        shape = _shape(node)
        if shape is not None:
            return self._array(node, shape)
        value = literal(node)
        if value is None:
            return ""
        if type(value) is int and value in self._lengths:
            return self._length(value)
        others = (each.replace("$", "$$") for each in values_like(value) if ast.literal_eval(each) != value)
        return self._new(Choice((self._source(node), *others)))

    def _array(self, node: ast.expr, shape: tuple[int, ...]) -> str:
        own = dict.fromkeys(self._source(each) for each in ast.walk(node) if _is_entry(each))
        entry = self._new(Choice(tuple(dict.fromkeys((*own, *NUMBERS)))))
        return self._new(Array((tuple(self._length(length)[2:-1] for length in shape),), entry[2:-1]))

    def _length(self, length: int) -> str:
        own = str(length)
        name = f"length_{own}"
        self.holes[name] = Choice(tuple(dict.fromkeys((own, *LENGTHS))))
        return f"${{{name}}}"

    def _new(self, hole: Hole) -> str:
        name = f"hole_{len(self.holes)}"
        self.holes[name] = hole
        return f"${{{name}}}"

    def _offer_options(self, node: ast.Call) -> None:
        known = self.known.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if known is None or not node.args or any(keyword.arg is None for keyword in node.keywords):
            return
        given = {*known.parameters[: len(node.args)], *(keyword.arg for keyword in node.keywords)}
        end = self._offset(node.end_lineno, node.end_col_offset) - 1
        if self.call.encode()[:end].rstrip().endswith(b","):
            return
        for name, default in known.optional.items():
            if name not in given:
                self.holes |= optional(name, default)
                self._changes.append((end, end, f"${{{name}_given}}"))

    def _source(self, node: ast.expr) -> str:
        """An expression as it is written, with a dollar sign as a template has it."""
        start, stop = self._place(node)
        return self.call.encode()[start:stop].decode().replace("$", "$$")

    def _change(self, node: ast.expr, hole: str) -> None:
        self._changes.append((*self._place(node), hole))

    def _place(self, node: ast.expr) -> tuple[int, int]:
        stop = self._offset(node.end_lineno, node.end_col_offset)
        return self._offset(node.lineno, node.col_offset), stop

    def _offset(self, line: int | None, column: int | None) -> int:
        return self._starts[(line or 1) - 1] + (column or 0)


def _is_witness(call: str) -> bool:
    try:
        compiled_witness(call)
    except SyntaxError:
        return False
    return True


def _line_starts(text: str) -> list[int]:
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def _shape(node: ast.AST) -> tuple[int, ...] | None:
    """The lengths of nested lists of numbers; None for anything else."""
    if not isinstance(node, ast.List) or not node.elts:
        return None
    if all(_is_entry(each) for each in node.elts):
        return (len(node.elts),)
    inner = {_shape(each) for each in node.elts}
    only = inner.pop() if len(inner) == 1 else None
    return None if only is None else (len(node.elts), *only)


def _is_entry(node: ast.AST) -> TypeGuard[ast.expr]:
    return isinstance(node, ast.expr) and isinstance(literal(node), int | float)
