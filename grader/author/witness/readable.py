"""Values that a person reads at a glance, simplest first, as Python text."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from grader.author.witness.templates import Array, Choice, Whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.author.witness.templates import Hole

NUMBERS = ("1", "2", "3", "0", "-1", "4", "0.5", "10", "-2", "0.1", "100", "1e-3", "1e3")
FLOATS = ("1.0", "2.0", "0.0", "-1.0", "0.5", "3.0", "10.0", "0.1", "100.0", "1e-3", "1e3")
INTS = ("1", "2", "3", "0", "-1", "4", "5", "10", "100")
TEXTS = ("'a'", "'ab'", "''", "'A'", "'a b'", "'abc'", "'aa'", "' a '", "'Ab'", "'1'", "'a,b'", "'ä'")
TRUTHS = ("True", "False")
LENGTHS = Choice(("2", "1", "3", "0", "4"))
SIMPLE = {"int": INTS, "float": FLOATS, "str": TEXTS, "bool": TRUTHS}
SEQUENCES = ("list", "Sequence", "Iterable", "Collection")


def literal(node: ast.expr) -> int | float | str | bool | None:
    """The number, text or truth value that an expression writes down, a sign in front of it too; else None."""
    sign = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    inner = node.operand if isinstance(node, ast.UnaryOp) and sign else node
    if not isinstance(inner, ast.Constant) or not isinstance(inner.value, int | float | str):
        return None
    if sign:
        return None if isinstance(inner.value, str | bool) else -inner.value
    return inner.value


def default_of(node: ast.expr) -> str | None:
    """A default as text, if it is simple."""
    return None if literal(node) is None else ast.unparse(node)


def values_like(value: float | str) -> Sequence[str]:
    """Readable values of the type that this one has."""
    if isinstance(value, str):
        return texts_like(value)
    return SIMPLE[type(value).__name__]


def texts_like(text: str) -> list[str]:
    """Texts as Python writes them: each number in this one a little smaller or larger, other letters, and simple ones."""
    changed = []
    for number in re.finditer(r"[0-9]+", text):
        for step in (1, -1):
            value = f"{max(int(number[0]) + step, 0):0{len(number[0])}}"
            changed.append(text[: number.start()] + value + text[number.end() :])
    cases = [] if changed else [text.upper(), text.lower(), text.title()]
    return list(dict.fromkeys([*map(repr, changed + cases), *TEXTS]))


def instead_of(text: str) -> list[str]:
    """Readable values other than this one."""
    value = ast.literal_eval(text)
    return [each for each in values_like(value) if ast.literal_eval(each) != value]


def hole_for(name: str, annotation: str) -> dict[str, Hole] | None:
    """Holes that fill a parameter with this annotation, the first under the parameter's name; None: no idea."""
    if annotation in SIMPLE:
        return {name: Choice(tuple(SIMPLE[annotation]))}
    outer, _, inner = annotation.removesuffix("]").partition("[")
    if outer not in SEQUENCES or inner not in SIMPLE:
        return None
    return {
        name: Array(((f"{name}_length",),), f"{name}_entry"),
        f"{name}_entry": Choice(tuple(SIMPLE[inner])),
        f"{name}_length": Whole(0, 4),
    }
