"""Syntax trees to text with blanks for names: the text is made once, a draw fills in the names.

What is frequent is written here, in a tenth of the time of `ast.unparse`; the rest is left to that. A test holds
the two together.
"""

from __future__ import annotations

import ast
import math
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

BLANK = "⧺"  # printable, so that `ast.unparse` leaves it alone inside f-strings
_BLANK = re.compile(f"{BLANK}([^{BLANK}]*){BLANK}")

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.BitAnd: "&",
}
UNARY: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.UAdd: "+", ast.Not: "not ", ast.Invert: "~"}
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


class Template:
    """Text whose blanks are names: `⧺token⧺` stands for whatever name a draw has for `token`."""

    __slots__ = ("_pieces", "pattern", "tokens")

    def __init__(self, text: str) -> None:
        self.pattern = text
        self._pieces = _BLANK.split(text)
        self.tokens = tuple(self._pieces[1::2])

    def fill(self, names: Mapping[str, str]) -> str:
        """The text with the names in."""
        if not self.tokens:
            return self._pieces[0]
        pieces = self._pieces.copy()
        pieces[1::2] = [names[token] for token in self.tokens]
        return "".join(pieces)


def blank(token: str) -> str:
    """The blank for a token, to stand where a name stands."""
    return f"{BLANK}{token}{BLANK}"


def text_of(node: ast.expr, need: int = 0) -> str:
    """An expression, in parentheses where it binds less strongly than `need`."""
    write = _EXPRESSIONS.get(type(node))
    if write is None:
        return ast.unparse(node) if isinstance(node, _CLOSED) else f"({ast.unparse(node)})"
    strength, text = write(node)
    return text if strength >= need else f"({text})"


def statement_text(node: ast.stmt) -> str:
    """A simple statement."""
    write = _STATEMENTS.get(type(node))
    return write(node) if write else ast.unparse(node)


def header_text(node: ast.AST, body: str = "body") -> str:
    """The first line or lines of a compound statement, up to its colon."""
    kept = getattr(node, body)
    setattr(node, body, [])
    try:
        return ast.unparse(node).strip("\n").partition("\nelse:")[0]
    finally:
        setattr(node, body, kept)


# How strongly an expression binds: the levels of the grammar.
_CHOICE, _OR, _AND, _NOT, _COMPARISON, _UNARY, _POWER, _ATOM = 0, 1, 2, 3, 4, 11, 12, 14
_STRENGTH: dict[type[ast.operator], int] = {
    ast.BitOr: 5,
    ast.BitXor: 6,
    ast.BitAnd: 7,
    **dict.fromkeys((ast.LShift, ast.RShift), 8),
    **dict.fromkeys((ast.Add, ast.Sub), 9),
    **dict.fromkeys((ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.MatMult), 10),
}
_CLOSED = (ast.JoinedStr, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Dict, ast.Set)

_Written = tuple[int, str]


def _constant(node: ast.Constant) -> _Written:
    value = node.value
    if isinstance(value, complex) or (isinstance(value, float) and not math.isfinite(value)):
        return _CHOICE, ast.unparse(node)
    if value is Ellipsis:
        return _ATOM, "..."
    return _ATOM, repr(value)


def _elements(nodes: list[ast.expr]) -> str:
    return ", ".join([text_of(node) for node in nodes])


def _tuple(node: ast.Tuple) -> _Written:
    return _ATOM, f"({_elements(node.elts)}{',' if len(node.elts) == 1 else ''})"


def _attribute(node: ast.Attribute) -> _Written:
    base = text_of(node.value, _ATOM)
    return _ATOM, f"({base}).{node.attr}" if isinstance(node.value, ast.Constant) else f"{base}.{node.attr}"


def _call(node: ast.Call) -> _Written:
    parts = [text_of(argument) for argument in node.args]
    parts += [
        f"{keyword.arg}={text_of(keyword.value)}" if keyword.arg else f"**{text_of(keyword.value, _OR)}"
        for keyword in node.keywords
    ]
    return _ATOM, f"{text_of(node.func, _ATOM)}({', '.join(parts)})"


def _binary(node: ast.BinOp) -> _Written:
    if isinstance(node.op, ast.Pow):
        return _POWER, f"{text_of(node.left, _POWER + 1)} ** {text_of(node.right, _UNARY)}"
    strength = _STRENGTH[type(node.op)]
    left, right = text_of(node.left, strength), text_of(node.right, strength + 1)
    return strength, f"{left} {BINARY[type(node.op)]} {right}"


def _unary(node: ast.UnaryOp) -> _Written:
    strength = _NOT if isinstance(node.op, ast.Not) else _UNARY
    return strength, f"{UNARY[type(node.op)]}{text_of(node.operand, strength)}"


def _compare(node: ast.Compare) -> _Written:
    pairs = zip(node.ops, node.comparators, strict=True)
    above = _COMPARISON + 1
    rest = "".join([f" {COMPARE[type(op)]} {text_of(right, above)}" for op, right in pairs])
    return _COMPARISON, f"{text_of(node.left, above)}{rest}"


def _bool_op(node: ast.BoolOp) -> _Written:
    word, strength = (" and ", _AND) if isinstance(node.op, ast.And) else (" or ", _OR)
    return strength, word.join([text_of(value, strength + 1) for value in node.values])


def _choice(node: ast.IfExp) -> _Written:
    return _CHOICE, f"{text_of(node.body, _OR)} if {text_of(node.test, _OR)} else {text_of(node.orelse)}"


def _subscript(node: ast.Subscript) -> _Written:
    index = node.slice
    if isinstance(index, ast.Tuple) and index.elts:
        inside = _elements(index.elts) + ("," if len(index.elts) == 1 else "")
    else:
        inside = text_of(index)
    return _ATOM, f"{text_of(node.value, _ATOM)}[{inside}]"


def _slice(node: ast.Slice) -> _Written:
    lower, upper = (text_of(part) if part else "" for part in (node.lower, node.upper))
    return _ATOM, f"{lower}:{upper}" + (f":{text_of(node.step)}" if node.step else "")


def _assign(node: ast.Assign) -> str:
    return " = ".join([text_of(part) for part in (*node.targets, node.value)])


def _raise(node: ast.Raise) -> str:
    if node.exc is None:
        return "raise"
    return f"raise {text_of(node.exc)}" + (f" from {text_of(node.cause)}" if node.cause else "")


_EXPRESSIONS: dict[type[ast.expr], Callable[[Any], _Written]] = {
    ast.Name: lambda node: (_ATOM, node.id),
    ast.Constant: _constant,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _bool_op,
    ast.IfExp: _choice,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Tuple: _tuple,
    ast.List: lambda node: (_ATOM, f"[{_elements(node.elts)}]"),
    ast.Starred: lambda node: (_ATOM, f"*{text_of(node.value, _STRENGTH[ast.BitOr])}"),
}
_STATEMENTS: dict[type[ast.stmt], Callable[[Any], str]] = {
    ast.Assign: _assign,
    ast.AugAssign: lambda node: f"{text_of(node.target)} {BINARY[type(node.op)]}= {text_of(node.value)}",
    ast.Return: lambda node: f"return {text_of(node.value)}" if node.value else "return",
    ast.Expr: lambda node: text_of(node.value),
    ast.Raise: _raise,
    ast.Pass: lambda _node: "pass",
}
