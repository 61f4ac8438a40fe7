"""The public names of a module, and what their functions take: read from its text, nothing is run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path

# By name (`Class.method` for methods): what it takes, as text without annotations; None for a class or a value.
PublicNames: TypeAlias = dict[str, str | None]


def public_names(source: str) -> PublicNames:
    """The functions, classes and their methods that a module or a contract defines for others.

    Raises:
        SyntaxError: it is no Python.
    """
    try:
        body = ast.parse(source).body
    except (ValueError, RecursionError) as error:  # a NUL byte before Python 3.12; nesting without end
        raise SyntaxError(str(error)) from error
    found = _functions(body)
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            found[node.name] = None
            found |= {f"{node.name}.{name}": taken for name, taken in _functions(node.body).items()}
    return found


def public_names_of(path: Path) -> PublicNames:
    """The public names of a file.

    Raises:
        SyntaxError: it is no Python, or not even text.
    """
    try:
        return public_names(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise SyntaxError("it is not UTF-8") from error


def _functions(body: list[ast.stmt]) -> PublicNames:
    return {
        node.name: _taken(node.args)
        for node in body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (not node.name.startswith("_") or node.name == "__init__")
    }


def _taken(arguments: ast.arguments) -> str:
    """The parameters with their defaults, as `x, eps=1e-06, *, loud=False`."""
    for node in ast.walk(arguments):
        if isinstance(node, ast.arg):
            node.annotation = None
    return ast.unparse(arguments)
