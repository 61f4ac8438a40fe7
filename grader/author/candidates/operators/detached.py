"""A value leaves the graph: the result is right, and no gradient flows back through it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from grader.author.candidates.operators.model import Example, Operator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.author.candidates.operators.model import Replacement
    from grader.author.candidates.source import Source

DATA = "data"  # the attribute in which a tensor keeps its plain array


def _detach(node: ast.AST, source: Source) -> Iterator[Replacement]:
    """Operands and arguments that are names or attributes; what is no tensor then dies, and is too easy."""
    for operand in _operands(node):
        if isinstance(operand, ast.Name | ast.Attribute) and not _is_data(operand):
            yield operand, f"{source.of(operand)}.{DATA}"


def _operands(node: ast.AST) -> tuple[ast.expr, ...]:
    if isinstance(node, ast.BinOp):
        return node.left, node.right
    return tuple(node.args) if isinstance(node, ast.Call) else ()


def _is_data(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == DATA


OPERATORS = (
    Operator(
        "detach",
        "a value is used as a constant, and nothing learns through it",
        (
            Example("y = a * self.b\n", ("y = a.data * self.b\n", "y = a * self.b.data\n")),
            Example("y = f(x, n=m)\n", ("y = f(x.data, n=m)\n",)),
            Example("y = x.data + 1\n", ()),
        ),
        _detach,
    ),
)
