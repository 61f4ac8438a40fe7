"""An alias where a copy is meant: two names of one array."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from grader.author.candidates.operators.model import Example, Operator, call_text, called, grouped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.author.candidates.operators.model import Replacement
    from grader.author.candidates.source import Source

METHODS = frozenset({"copy", "clone", "__copy__"})
FUNCTIONS = frozenset({"copy", "deepcopy", "list", "dict", "set"})
MODULES = frozenset({"copy", "np", "numpy"})


def _alias(node: ast.AST, source: Source) -> Iterator[Replacement]:
    if not isinstance(node, ast.Call) or node.keywords:
        return
    of_a_module = isinstance(node.func, ast.Attribute) and source.of(node.func.value) in MODULES
    if isinstance(node.func, ast.Attribute) and not of_a_module:
        if node.func.attr in METHODS and not node.args:
            yield node, grouped(node.func.value, source)
    elif len(node.args) == 1 and called(node) in FUNCTIONS:
        yield node, grouped(node.args[0], source)


def _view(node: ast.AST, source: Source) -> Iterator[Replacement]:
    """`np.array`, which copies, to `np.asarray`, which does not."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "array"
        and node.args
    ):
        text = call_text(node, source, [*node.args, *(each for each in node.keywords if each.arg != "copy")])
        yield (
            node,
            text.replace(f"{source.of(node.func.value)}.array(", f"{source.of(node.func.value)}.asarray(", 1),
        )


OPERATORS = (
    Operator(
        "alias-for-copy",
        "what is changed later is the caller's own",
        (
            Example("y = 2 * (a + b).copy()\n", ("y = 2 * (a + b)\n",)),
            Example("y = x.data.copy()\n", ("y = x.data\n",)),
            Example("y = copy.deepcopy(x)\n", ("y = x\n",)),
            Example("y = list(xs)\n", ("y = xs\n",)),
            Example("y = x.copy(order)\n", ()),
        ),
        _alias,
    ),
    Operator(
        "view-for-copy",
        "an array is taken over and not copied",
        (
            Example("y = np.array(x, np.float32)\n", ("y = np.asarray(x, np.float32)\n",)),
            Example("y = np.asarray(x)\n", ()),
        ),
        _view,
    ),
)
