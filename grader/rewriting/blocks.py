"""A function's statements as they are drawn: simple ones with their forms, compound ones with their blocks."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from grader.rewriting.forms import NEVER, Form, Meaning, Place, first_atoms, forms_of, plain
from grader.rewriting.scopes import FunctionNode, bound_by_text
from grader.rewriting.text import BLANK, Template, header_text, statement_text, text_of
from grader.rewriting.trees import walk, walk_scope

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TERMINAL = (ast.Return, ast.Raise, ast.Continue, ast.Break)
# What a statement needs of the function around it, beside names.
GENERATOR, ASYNC, VALUE = "<yield>", "<await>", "<return>"
NEEDS: dict[type[ast.AST], str] = {
    **dict.fromkeys((ast.Yield, ast.YieldFrom), GENERATOR),
    **dict.fromkeys((ast.Await, ast.AsyncFor, ast.AsyncWith), ASYNC),
    ast.Return: VALUE,
}


@dataclass(frozen=True, eq=False)
class Simple:
    """A statement without statements in it."""

    key: str  # its text: the same for the same statement in another program
    weight: int  # nodes of its tree
    terminal: bool
    pure: frozenset[str] | None  # names it reads and binds, when it only moves locals and literals around
    make_forms: Callable[[], tuple[Form, ...]]
    choice: Branch | None = None  # the same as an if-statement

    @cached_property
    def forms(self) -> tuple[Form, ...]:
        """Equivalent ways to write it."""
        return self.make_forms()


@dataclass(frozen=True, eq=False)
class Branch:
    """An if-statement."""

    key: str
    weight: int
    terminal: bool
    make_tests: Callable[[], tuple[tuple[Form, ...], tuple[Form, ...]]]
    body: Block
    orelse: Block

    @cached_property
    def tests(self) -> tuple[tuple[Form, ...], tuple[Form, ...]]:
        """Ways to write its condition, and the opposite of it."""
        return self.make_tests()


@dataclass(frozen=True, eq=False)
class Compound:
    """Any other statement with statements in it: lines, each with the block below it."""

    key: str
    weight: int
    terminal: bool
    clauses: tuple[tuple[Template, Block], ...]


Node: TypeAlias = Simple | Branch | Compound
Block: TypeAlias = tuple[Node, ...]


@dataclass(frozen=True)
class Builder:
    """Makes blocks of a function; what it has made for an equal statement of another program is used again."""

    meaning: Meaning
    known: dict[tuple[object, ...], Node]

    def block(self, statements: Sequence[ast.stmt]) -> Block:
        """The statements in order, docstrings left out."""
        return tuple(self.node(statement) for statement in statements if not is_docstring(statement))

    def node(self, statement: ast.stmt) -> Node:
        """One statement."""
        if not self.meaning.locals.frozen:
            statement = _unannotated(statement)
        text = ast.unparse(statement) if hasattr(statement, "body") else statement_text(statement)
        key = (text, self.meaning)
        if key not in self.known:
            self.known[key] = self._new(statement, text)
        return self.known[key]

    def _new(self, statement: ast.stmt, key: str) -> Node:
        weight = sum(1 for _ in walk(statement))
        is_compound = isinstance(statement, ast.Match) or hasattr(statement, "body")
        if isinstance(statement, ast.TryStar) or not is_compound:
            return self._simple(statement, key, weight)
        if isinstance(statement, ast.If):
            return self._branch(statement, key, weight)
        return Compound(key, weight, terminal=False, clauses=self._clauses(statement))

    def _simple(self, statement: ast.stmt, key: str, weight: int) -> Simple:
        terminal = isinstance(statement, TERMINAL)
        if self.meaning.locals.frozen:
            return Simple(key, weight, terminal, None, lambda: (plain(statement),))
        place = _expression_of(statement)

        def forms() -> tuple[Form, ...]:
            return forms_of(lambda: statement_text(statement), place, self.meaning, early=True)

        return Simple(key, weight, terminal, _pure(statement), forms, self._as_branch(statement, place, key))

    def _as_branch(self, statement: ast.stmt, place: Place | None, key: str) -> Branch | None:
        """`x = a if c else b`, and the same with return, as an if-statement."""
        if not isinstance(statement, ast.Assign | ast.Return) or place is None:
            return None
        value = place.node
        if not isinstance(value, ast.IfExp):
            return None
        body, orelse = (self._with_value(statement, part) for part in (value.body, value.orelse))
        test = ast.If(value.test, [body], [orelse])
        return self._branch(test, key, sum(1 for _ in walk(test)))

    def _with_value(self, statement: ast.Assign | ast.Return, value: ast.expr) -> ast.stmt:
        return (
            ast.Return(value) if isinstance(statement, ast.Return) else ast.Assign(statement.targets, value)
        )

    def _branch(self, statement: ast.If, key: str, weight: int) -> Branch:
        body, orelse = self.block(statement.body), self.block(statement.orelse)
        terminal = ends(body) and ends(orelse)
        meaning = self.meaning

        def tests() -> tuple[tuple[Form, ...], tuple[Form, ...]]:
            place = None if meaning.locals.frozen else Place(statement, "test")
            return (
                forms_of(lambda: text_of(statement.test), place, meaning, early=True),
                forms_of(lambda: _opposite(statement.test), place, meaning, early=True),
            )

        return Branch(key, weight, terminal, tests, body, orelse)

    def _clauses(self, statement: ast.stmt) -> tuple[tuple[Template, Block], ...]:
        if isinstance(statement, ast.Try):
            return self._try_clauses(statement)
        if isinstance(statement, ast.Match):
            return self._cases(statement)
        clauses = [(Template(_header(statement)), self.block(statement.body))]  # type: ignore[attr-defined]  # it has one
        if orelse := getattr(statement, "orelse", None):
            clauses.append((Template("else:"), self.block(orelse)))
        return tuple(clauses)

    def _cases(self, statement: ast.Match) -> tuple[tuple[Template, Block], ...]:
        cases = [
            Compound("", 0, terminal=False, clauses=((Template(header_text(case)), self.block(case.body)),))
            for case in statement.cases
        ]
        return ((Template(f"match {text_of(statement.subject)}:"), tuple(cases)),)

    def _try_clauses(self, statement: ast.Try) -> tuple[tuple[Template, Block], ...]:
        clauses = [(Template("try:"), self.block(statement.body))]
        for handler in statement.handlers:
            what = f" {text_of(handler.type)}" if handler.type else ""
            name = f" as {handler.name}" if handler.name else ""
            clauses.append((Template(f"except{what}{name}:"), self.block(handler.body)))
        for line, part in (("else:", statement.orelse), ("finally:", statement.finalbody)):
            if part:
                clauses.append((Template(line), self.block(part)))
        return tuple(clauses)


def is_docstring(statement: ast.stmt) -> bool:
    """A literal that stands alone does nothing."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def ends(block: Block) -> bool:
    """Whether nothing after the block is reached."""
    return bool(block) and block[-1].terminal


def needs(statement: ast.stmt) -> frozenset[str] | None:
    """What a function must have for the statement to stand in it, never reached.

    A name that the statement binds becomes a local: so it must be one already, or not occur there at all. A name with
    a blank is never one that occurs. None: it may stand nowhere else.
    """
    found = {NEEDS[type(node)] for node in walk_scope([statement]) if type(node) in NEEDS}
    for node in walk(statement):
        if isinstance(node, ast.ClassDef | ast.Global | ast.Nonlocal | ast.TryStar):
            return None
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        else:
            found.update(bound_by_text(node))
    return frozenset(name for name in found if name[0] != BLANK)


def offers(function: FunctionNode, names: frozenset[str]) -> frozenset[str]:
    """What a function has for statements of its counterparts: its locals, and what kind of function it is."""
    inside = {type(node) for node in walk_scope(function.body)}
    is_async = isinstance(function, ast.AsyncFunctionDef)
    is_generator = not inside.isdisjoint((ast.Yield, ast.YieldFrom))
    kinds = {GENERATOR: is_generator, ASYNC: is_async, VALUE: not (is_async and is_generator)}
    return names | {kind for kind, has in kinds.items() if has}


def _header(statement: ast.stmt) -> str:
    """The first line; parts in text that needs no table of precedence where that is easy."""
    if isinstance(statement, ast.For):
        return f"for {text_of(statement.target)} in {text_of(statement.iter)}:"
    if isinstance(statement, ast.While):
        return f"while {text_of(statement.test)}:"
    return header_text(statement)


def _unannotated(statement: ast.stmt) -> ast.stmt:
    """A local's annotation is never evaluated."""
    if isinstance(statement, ast.AnnAssign) and statement.value and isinstance(statement.target, ast.Name):
        return ast.Assign([statement.target], statement.value)
    return statement


def _expression_of(statement: ast.stmt) -> Place | None:
    """The expression that a simple statement evaluates before anything else."""
    match statement:
        case ast.Assign(value=_) | ast.Return(value=ast.expr()) | ast.Expr(value=_):
            return Place(statement, "value")
        case ast.Raise(exc=ast.expr()):
            return Place(statement, "exc")
        case _:
            return None


def _opposite(test: ast.expr) -> str:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return text_of(test.operand)
    return text_of(ast.UnaryOp(ast.Not(), test))


def _pure(statement: ast.stmt) -> frozenset[str] | None:
    """The names of `a = b`, `a = 1`: such statements swap places with any that has none of these names."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.Constant()) if target[0] == BLANK:
            return frozenset({target})
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.Name(id=value)) if (
            target[0] == value[0] == BLANK
        ):
            return frozenset({target, value})
        case _:
            return None


def merged(first: ast.stmt, second: ast.stmt, meaning: Meaning) -> ast.stmt | None:
    """`t = f(x)` and `return t + y` as one: where `t` is used once, before anything else that matters."""
    match first:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name[0] == BLANK:
            pass
        case _:
            return None
    if not _uses_first(second, name, meaning) or _has_never(first) or _has_never(second):
        return None
    second = copy.deepcopy(second)
    for use in _uses_first(second, name, meaning):
        use.put(value)
    return second


def _uses_first(statement: ast.stmt, name: str, meaning: Meaning) -> list[Place]:
    """Where the statement reads the name before it does anything else."""
    place = _expression_of(statement)
    atoms = first_atoms(place, meaning) if place else []
    return [atom for atom in atoms if isinstance(atom.node, ast.Name) and atom.node.id == name]


def _has_never(statement: ast.stmt) -> bool:
    return any(isinstance(node, NEVER) for node in walk(statement))
