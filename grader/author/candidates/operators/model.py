"""What an operator is, and what several of them need."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from grader.author.candidates.source import Source

    Replacement = tuple[ast.AST, str]


@dataclass(frozen=True)
class Example:
    """A module's text, and what the operator makes of it, in the order in which it does."""

    before: str
    after: tuple[str, ...]


@dataclass(frozen=True)
class Operator:
    """One kind of change.

    Attributes:
        name: as `--operators` takes it.
        about: what a learner who makes this mistake does, in a few words.
        examples: at least one that it changes and one that it leaves alone.
        change: a node to its replacements.
    """

    name: str
    about: str
    examples: tuple[Example, ...]
    change: Callable[[ast.AST, Source], Iterator[Replacement]]


def called(node: ast.AST) -> str:
    """The last name of what a call calls: `mean` for `F.mean(x)`; empty for anything else."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def call_text(node: ast.Call, source: Source, arguments: Sequence[ast.expr | ast.keyword]) -> str:
    """The text of a call with these of its arguments."""
    return f"{source.of(node.func)}({', '.join(map(source.of, arguments))})"


def without(node: ast.Call, source: Source, name: str) -> str:
    """The text of a call without the argument of this name."""
    return call_text(
        node, source, [*node.args, *(keyword for keyword in node.keywords if keyword.arg != name)]
    )


def grouped(node: ast.expr, source: Source) -> str:
    """The text of an operand, in brackets where it needs them to stay one."""
    text = source.of(node)
    return f"({text})" if isinstance(node, _LOOSE) else text


_LOOSE = (ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Lambda, ast.NamedExpr, ast.UnaryOp)
