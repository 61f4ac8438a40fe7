"""A number of another precision: a cast is left out, or made to another type."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from grader.author.candidates.operators.model import Example, Operator, called, grouped, without

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.author.candidates.operators.model import Replacement
    from grader.author.candidates.source import Source

OTHER_TYPES = {
    "float16": ("float32",),
    "float32": ("float64", "float16"),
    "float64": ("float32",),
    "int32": ("int64",),
    "int64": ("int32",),
}
KEYWORD = "dtype"


def _drop_cast(node: ast.AST, source: Source) -> Iterator[Replacement]:
    if not isinstance(node, ast.Call):
        return
    if called(node) == "astype" and isinstance(node.func, ast.Attribute):
        yield node, grouped(node.func.value, source)
    elif _is_type(node.func) and len(node.args) == 1 and not node.keywords:
        yield node, grouped(node.args[0], source)
    if any(keyword.arg == KEYWORD for keyword in node.keywords):
        yield node, without(node, source, KEYWORD)


def _change_type(node: ast.AST, source: Source) -> Iterator[Replacement]:
    """Types are told by their name with a dot before it, or as text."""
    if isinstance(node, ast.Attribute) and _is_type(node):
        for other in OTHER_TYPES[node.attr]:
            yield node, f"{source.of(node.value)}.{other}"
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        for other in OTHER_TYPES.get(node.value, ()):
            yield node, f'"{other}"'


def _is_type(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in OTHER_TYPES


OPERATORS = (
    Operator(
        "drop-cast",
        "a number keeps the type that it happens to have",
        (
            Example("y = (a + b).astype(np.float32)\n", ("y = (a + b)\n",)),
            Example("y = 2 * np.float32(a + b)\n", ("y = 2 * (a + b)\n",)),
            Example("y = np.ones(3, dtype=kind)\n", ("y = np.ones(3)\n",)),
            Example("y = np.ones(3) * float32\n", ()),
        ),
        _drop_cast,
    ),
    Operator(
        "change-type",
        "a number is of another precision",
        (
            Example(
                "y = np.zeros(3, np.float32)\n",
                ("y = np.zeros(3, np.float64)\n", "y = np.zeros(3, np.float16)\n"),
            ),
            Example('y = x.astype("int64")\n', ('y = x.astype("int32")\n',)),
            Example('y = x.astype("text")\n', ()),
        ),
        _change_type,
    ),
)
