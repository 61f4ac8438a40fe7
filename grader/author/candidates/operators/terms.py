"""A term stands on the other side of a root, a function or a bracket."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from grader.author.candidates.operators.model import Example, Operator, grouped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.author.candidates.operators.model import Replacement
    from grader.author.candidates.source import Source

SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-"}
FACTORS: dict[type[ast.operator], str] = {ast.Mult: "*", ast.Div: "/", ast.MatMult: "@"}


def _out_of_call(node: ast.AST, source: Source) -> Iterator[Replacement]:
    """`f(a + b)` to `f(a) + b` and `f(b) + a`; with a minus, only the first."""
    if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.BinOp):
        return
    inner = node.args[0]
    sign = SIGNS.get(type(inner.op))
    if sign is None:
        return
    rest: list[ast.expr | ast.keyword] = [*node.args[1:], *node.keywords]
    yield node, f"({_call(node, inner.left, rest, source)} {sign} {grouped(inner.right, source)})"
    if sign == "+":
        yield node, f"({_call(node, inner.right, rest, source)} + {grouped(inner.left, source)})"


def _into_call(node: ast.AST, source: Source) -> Iterator[Replacement]:
    """`f(a) + b` to `f(a + b)`, and `b + f(a)` to `f(b + a)`."""
    if not isinstance(node, ast.BinOp) or type(node.op) not in SIGNS:
        return
    sign = SIGNS[type(node.op)]
    for call, other, first in ((node.left, node.right, True), (node.right, node.left, False)):
        if isinstance(call, ast.Call) and call.args and (first or sign == "+"):
            one, two = (call.args[0], other) if first else (other, call.args[0])
            argument = f"{source.of(one)} {sign} {grouped(two, source)}"
            rest = [*call.args[1:], *call.keywords]
            yield node, f"{source.of(call.func)}({', '.join([argument, *map(source.of, rest)])})"


def _out_of_power(node: ast.AST, source: Source) -> Iterator[Replacement]:
    """`(a + b) ** p` to `(a ** p + b)`; where p is negative, to one over the same of −p."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Pow):
        return
    base, power = node.left, node.right
    if not isinstance(base, ast.BinOp) or type(base.op) not in SIGNS:
        return
    negative = isinstance(power, ast.UnaryOp) and isinstance(power.op, ast.USub)
    shown = source.of(power.operand if negative else power)  # type: ignore[attr-defined]  # `negative` knows its type
    for term, other in ((base.left, base.right), (base.right, base.left)):
        outside = f"{grouped(term, source)} ** {shown} {SIGNS[type(base.op)]} {grouped(other, source)}"
        yield node, f"(1 / ({outside}))" if negative else f"({outside})"
        if not isinstance(base.op, ast.Add):
            return


def _out_of_bracket(node: ast.AST, source: Source) -> Iterator[Replacement]:
    """`a * (b + c)` to `a * b + c`, and `(a + b) / c` to `a + b / c`."""
    if not isinstance(node, ast.BinOp) or type(node.op) not in FACTORS:
        return
    factor = FACTORS[type(node.op)]
    for inner, left in ((node.left, True), (node.right, False)):
        if isinstance(inner, ast.BinOp) and type(inner.op) in SIGNS:
            one, two = grouped(inner.left, source), grouped(inner.right, source)
            sign = SIGNS[type(inner.op)]
            if left:
                yield node, f"({one} {sign} {two} {factor} {grouped(node.right, source)})"
            else:
                yield node, f"({grouped(node.left, source)} {factor} {one} {sign} {two})"


def _into_bracket(node: ast.AST, source: Source) -> Iterator[Replacement]:
    """`a * b + c` to `a * (b + c)`, and `a + b * c` to `(a + b) * c`."""
    if not isinstance(node, ast.BinOp) or type(node.op) not in SIGNS:
        return
    sign = SIGNS[type(node.op)]
    if isinstance(node.left, ast.BinOp) and (factor := FACTORS.get(type(node.left.op))):
        one, two, three = (grouped(each, source) for each in (node.left.left, node.left.right, node.right))
        yield node, f"{one} {factor} ({two} {sign} {three})"
    if isinstance(node.right, ast.BinOp) and (factor := FACTORS.get(type(node.right.op))):
        one, two, three = (grouped(each, source) for each in (node.left, node.right.left, node.right.right))
        yield node, f"({one} {sign} {two}) {factor} {three}"


def _call(node: ast.Call, first: ast.expr, rest: list[ast.expr | ast.keyword], source: Source) -> str:
    return f"{source.of(node.func)}({', '.join(map(source.of, [first, *rest]))})"


OPERATORS = (
    Operator(
        "term-out-of-call",
        "a term is added after the root or the function and not before it",
        (
            Example("y = sqrt(v + eps)\n", ("y = (sqrt(v) + eps)\n", "y = (sqrt(eps) + v)\n")),
            Example("y = f(a - b * c, n)\n", ("y = (f(a, n) - (b * c))\n",)),
            Example("y = f(a * b)\n", ()),
        ),
        _out_of_call,
    ),
    Operator(
        "term-into-call",
        "a term is added before the root or the function and not after it",
        (
            Example("y = sqrt(v) + eps\n", ("y = sqrt(v + eps)\n",)),
            Example("y = x + f(g(x), n)\n", ("y = f(x + g(x), n)\n",)),
            Example("y = a - f(b)\n", ()),
        ),
        _into_call,
    ),
    Operator(
        "term-out-of-power",
        "a term is added after the root, written as a power, and not before it",
        (
            Example(
                "y = (v + eps) ** -0.5\n", ("y = (1 / (v ** 0.5 + eps))\n", "y = (1 / (eps ** 0.5 + v))\n")
            ),
            Example("y = (a - b) ** 2\n", ("y = (a ** 2 - b)\n",)),
            Example("y = (a * b) ** 2\n", ()),
        ),
        _out_of_power,
    ),
    Operator(
        "term-out-of-bracket",
        "a factor is applied to one term and not to both",
        (
            Example("y = a * (b + c)\n", ("y = (a * b + c)\n",)),
            Example("y = (a - b) / c\n", ("y = (a - b / c)\n",)),
            Example("y = a * b / c\n", ()),
        ),
        _out_of_bracket,
    ),
    Operator(
        "term-into-bracket",
        "a factor is applied to both terms and not to one",
        (
            Example("y = a * b + c\n", ("y = a * (b + c)\n",)),
            Example("y = a - b / c\n", ("y = (a - b) / c\n",)),
            Example("y = a + b - c\n", ()),
        ),
        _into_bracket,
    ),
)
