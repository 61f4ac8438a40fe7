"""A reduction over other elements, or into another shape, or another reduction."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from grader.author.candidates.operators.model import Example, Operator, called, grouped, without

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.author.candidates.operators.model import Replacement
    from grader.author.candidates.source import Source

AXES = frozenset({"axis", "dim"})
KEPT = frozenset({"keepdims", "keepdim"})
# The first axis for the last and the last for the first: what is meant is mostly one of these.
OTHER_AXES: dict[int | None, tuple[int | None, ...]] = {-1: (0, None), 0: (-1, None), 1: (0, -1), -2: (-1, 0)}
OTHER_REDUCTIONS = {
    "sum": "mean",
    "mean": "sum",
    "std": "var",
    "var": "std",
    "max": "min",
    "min": "max",
    "argmax": "argmin",
    "argmin": "argmax",
}


def _swap_axis(node: ast.AST, _source: Source) -> Iterator[Replacement]:
    if not isinstance(node, ast.Call):
        return
    for keyword in node.keywords:
        if keyword.arg in AXES:
            axis = _integer(keyword.value)
            for other in OTHER_AXES.get(axis, ()):
                yield keyword.value, str(other)


def _integer(node: ast.expr) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _integer(node.operand)
        return None if inner is None else -inner
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _drop_keepdims(node: ast.AST, source: Source) -> Iterator[Replacement]:
    if not isinstance(node, ast.Call):
        return
    for keyword in node.keywords:
        if keyword.arg in KEPT and isinstance(keyword.value, ast.Constant) and keyword.value.value is True:
            yield node, without(node, source, keyword.arg)


def _swap_reduction(node: ast.AST, source: Source) -> Iterator[Replacement]:
    # Without a dot before it, the name is Python's own `sum` or a function that means something else.
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and called(node) in OTHER_REDUCTIONS
    ):
        yield node.func, f"{grouped(node.func.value, source)}.{OTHER_REDUCTIONS[called(node)]}"


OPERATORS = (
    Operator(
        "swap-axis",
        "the statistic is taken over another axis",
        (
            Example("y = x.mean(axis=-1)\n", ("y = x.mean(axis=0)\n", "y = x.mean(axis=None)\n")),
            Example("y = f(x, dim=1)\n", ("y = f(x, dim=0)\n", "y = f(x, dim=-1)\n")),
            Example("y = f(x, axis=axis, n=0)\n", ()),
        ),
        _swap_axis,
    ),
    Operator(
        "drop-keepdims",
        "the reduced axis is not kept, and broadcasting pairs the wrong elements",
        (
            Example("y = np.sum(x, -1, keepdims=True)\n", ("y = np.sum(x, -1)\n",)),
            Example("y = np.sum(x, keepdims=False)\n", ()),
        ),
        _drop_keepdims,
    ),
    Operator(
        "swap-reduction",
        "the sum for the mean, the variance for the standard deviation",
        (
            Example("y = np.sum(x) / x.std()\n", ("y = np.mean(x) / x.std()\n", "y = np.sum(x) / x.var()\n")),
            Example("y = (a + b).mean()\n", ("y = (a + b).sum()\n",)),
            Example("y = sum(xs)\n", ()),
        ),
        _swap_reduction,
    ),
)
