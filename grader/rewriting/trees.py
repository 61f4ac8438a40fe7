"""Walking syntax trees, in half the time of `ast.walk`."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_IGNORED = {"ctx", "op", "ops", "kind", "type_comment", "lineno"}


_NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@cache
def _fields(kind: type[object]) -> tuple[str, ...]:
    return tuple(field for field in getattr(kind, "_fields", ()) if field not in _IGNORED)


def walk(root: ast.AST) -> list[ast.AST]:
    """The node and everything in it but operators and contexts, in no particular order."""
    found: list[ast.AST] = [root]
    for node in found:  # grows on the way
        found += _children(node)
    return found


def walk_scope(statements: Iterable[ast.stmt]) -> list[ast.AST]:
    """Everything in a function's statements but what belongs to functions inside of it."""
    found: list[ast.AST] = [node for node in statements if not isinstance(node, _NESTED)]
    for node in found:
        found += [part for part in _children(node) if not isinstance(part, _NESTED)]
    return found


def _children(node: ast.AST) -> list[ast.AST]:
    children: list[ast.AST] = []
    for name in _fields(type(node)):  # type: ignore[arg-type]  # a class is hashable: `AST` has typeshed confused
        value = getattr(node, name, None)
        if type(value) is list:
            children += [part for part in value if isinstance(part, ast.AST)]
        elif isinstance(value, ast.AST):
            children.append(value)
    return children
