"""Something that should happen does not: a statement is left out."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from grader.author.candidates.operators.model import Example, Operator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.author.candidates.operators.model import Replacement
    from grader.author.candidates.source import Source

NOTHING = "pass"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _drop_statement(node: ast.AST, _source: Source) -> Iterator[Replacement]:
    """In functions alone, and only what can be missed without a name that is never given a value."""
    if not isinstance(node, _FUNCTIONS):
        return
    given = {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
    for statement in _own_statements(node):
        names = _names_given(statement)
        if (names and names <= given) or any(can_go(statement) for can_go in _CAN_GO):
            yield statement, NOTHING
        given |= names


def _own_statements(function: ast.AST) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(function):
        if isinstance(child, ast.stmt):
            yield child
        if not isinstance(child, (*_FUNCTIONS, ast.ClassDef, ast.Lambda)):
            yield from _own_statements(child)


def _names_given(statement: ast.stmt) -> set[str]:
    if not isinstance(statement, ast.Assign | ast.AnnAssign):
        return set()
    targets: list[ast.expr] = (
        [statement.target] if isinstance(statement, ast.AnnAssign) else statement.targets
    )
    return {
        name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)
    } - _read_in_targets(targets)


def _read_in_targets(targets: list[ast.expr]) -> set[str]:
    return {
        name.id
        for target in targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load)
    }


def _sets_a_part(statement: ast.stmt) -> bool:
    """An element or an attribute is set that is there before, as far as can be seen: `x[i] = …`, `a.b.c = …`."""
    if not isinstance(statement, ast.Assign):
        return False
    return all(
        isinstance(target, ast.Subscript)
        or (isinstance(target, ast.Attribute) and not isinstance(target.value, ast.Name))
        for target in statement.targets
    )


def _is_call(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)


def _is_guard(statement: ast.stmt) -> bool:
    """An `if` that does nothing but raise or leave."""
    return (
        isinstance(statement, ast.If)
        and not statement.orelse
        and isinstance(statement.body[-1], ast.Raise | ast.Return | ast.Continue | ast.Break)
    )


def _changes_a_name(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.AugAssign | ast.Assert | ast.Delete)


_CAN_GO = (_changes_a_name, _sets_a_part, _is_call, _is_guard)

OPERATORS = (
    Operator(
        "drop-statement",
        "a step is forgotten",
        (
            Example(
                "def f(x):\n    x = x - 1\n    y = x\n    y += 2\n    log(y)\n    return y\n",
                (
                    "def f(x):\n    pass\n    y = x\n    y += 2\n    log(y)\n    return y\n",
                    "def f(x):\n    x = x - 1\n    y = x\n    pass\n    log(y)\n    return y\n",
                    "def f(x):\n    x = x - 1\n    y = x\n    y += 2\n    pass\n    return y\n",
                ),
            ),
            Example(
                "def f(x):\n    if x < 0:\n        raise ValueError\n    x.grad[0] = 1\n",
                (
                    "def f(x):\n    pass\n    x.grad[0] = 1\n",
                    "def f(x):\n    if x < 0:\n        raise ValueError\n    pass\n",
                ),
            ),
            Example('def f(self, x):\n    """Doc."""\n    self.x = x\n    return x\n', ()),
        ),
        _drop_statement,
    ),
)
