"""The equivalent forms of one statement.

What is evaluated first may go into a temporary, expressions into private functions, literals into private constants;
symmetric comparisons and sums and products of numbers swap sides.

Every form does the same operations on the same objects in the same order, so nothing depends on what the operands
are. Operands of `+` and `*` swap only where both are numbers by construction: for anything else the order is behaviour
(lists and strings are joined in it; an automatic differentiation accumulates gradients in it, to the last bit).
"""

from __future__ import annotations

import ast
import random
import threading
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from grader.rewriting.text import BLANK, Template, blank, statement_text, text_of
from grader.rewriting.trees import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from grader.rewriting.scopes import Locals

LOCAL, MODULE, TEMPORARY, OUTSIDE = "LMTO"  # kinds of blanks: the first letter of a token
FORMS = 4
_changing = threading.Lock()  # trees are changed for a moment, and share parts
NEVER = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
CLOSED = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.JoinedStr)
CONDITIONAL = (ast.BoolOp, ast.IfExp)
CALLER = frozenset({"super", "__class__", "warn", "warn_explicit"})  # look at the function that calls them
UNMOVABLE = (*CLOSED[:-1], ast.Starred)  # have a scope of their own, or are no value
EXTRACTED = (
    *(ast.BinOp, ast.Call, ast.Compare, ast.Attribute, ast.Subscript, ast.UnaryOp),
    *(ast.BoolOp, ast.IfExp, ast.JoinedStr),
)


class Helper(NamedTuple):
    """A private function or constant that a form uses: `token` is its name's."""

    token: str
    parameters: tuple[str, ...] | None  # None: a constant
    value: Template


class Form(NamedTuple):
    """One way to write a statement: what stands before it, itself, and what it needs outside."""

    before: tuple[Template, ...]
    main: Template
    helpers: tuple[Helper, ...] = ()


class Place:
    """Where an expression stands in a tree, so that another can stand there for a while."""

    __slots__ = ("_container", "_key")

    def __init__(self, parent: Any, field: str, index: int | None = None) -> None:
        self._container: Any = vars(parent) if index is None else getattr(parent, field)
        self._key: str | int = field if index is None else index

    @property
    def node(self) -> ast.expr:
        """What stands here now."""
        now: ast.expr = self._container[self._key]
        return now

    def put(self, node: ast.expr) -> None:
        """Let `node` stand here."""
        self._container[self._key] = node


@dataclass(frozen=True)
class Meaning:
    """What names mean where a statement stands."""

    locals: Locals
    fixed: frozenset[str]  # names whose use has no effect: of the module, and builtins

    def is_local(self, name: str) -> bool:
        """Whether the name is a local: one that is kept, one that a draw names, or a temporary."""
        return name in self.locals.kept or (name[0] == BLANK and name[1] in {LOCAL, TEMPORARY})

    def is_atom(self, node: ast.expr) -> bool:
        """Whether evaluating it early or late makes no difference."""
        if isinstance(node, ast.Name):
            return node.id[0] == BLANK or node.id in self.locals.kept or node.id in self.fixed
        return isinstance(node, ast.Constant)

    def always_bound(self, name: str) -> bool:
        """Whether the local has a value from the start: a parameter."""
        return (name[2:-1] if name[0] == BLANK else name) in self.locals.parameters


def plain(node: ast.stmt) -> Form:
    """The statement as it is."""
    return Form((), Template(statement_text(node)))


def forms_of(
    text: Callable[[], str], place: Place | None, meaning: Meaning, *, early: bool
) -> tuple[Form, ...]:
    """Up to `FORMS` ways to write what `text` writes.

    Args:
        text: writes the statement, or a part of one, as its tree now is.
        place: its one expression that may change, which is evaluated before anything else of it.
        meaning: what its names mean.
        early: whether that expression may also be evaluated in statements before this one.
    """
    with _changing:
        original = text()
    forms = [Form((), Template(original))]
    if place is None or any(isinstance(node, NEVER) for node in walk(place.node)):
        return tuple(forms)
    draw = random.Random(original)  # noqa: S311 - the same forms each time; which is used is drawn later
    with _changing:
        parts = _Parts.of(place, meaning)
        forms += [_Writer(place, parts, meaning, draw).form(text, early=early) for _ in range(FORMS - 1)]
    return tuple({_written(form): form for form in forms}.values())


def _written(form: Form) -> tuple[object, ...]:
    return (
        form.main.pattern,
        *(part.pattern for part in form.before),
        *(h.value.pattern for h in form.helpers),
    )


class _Parts(NamedTuple):
    """Places in an expression, by what can be done there."""

    swappable: list[ast.BinOp | ast.Compare]
    extractable: list[Place]
    literals: list[Place]

    @classmethod
    def of(cls, root: Place, meaning: Meaning) -> _Parts:
        places = list(places_under(root))
        everything = walk(root.node)
        return cls(
            [
                node
                for node in everything
                if isinstance(node, ast.BinOp | ast.Compare) and _is_swappable(node, meaning)
            ],
            [place for place in places if _can_extract(place.node, meaning)],
            [place for place in places if _is_literal(place.node)],
        )


class _Writer:
    """Changes a tree for one form and puts it back."""

    def __init__(self, root: Place, parts: _Parts, meaning: Meaning, draw: random.Random) -> None:
        self.root, self.parts, self.meaning, self.draw = root, parts, meaning, draw
        self.before: list[Template] = []
        self.helpers: list[Helper] = []
        self.undo: list[Callable[[], None]] = []
        self.count = 0

    def form(self, text: Callable[[], str], *, early: bool) -> Form:
        try:
            self._extract()
            self._lift_constant()
            self._swap_sides()
            if early:
                self._hoist()
            return Form(tuple(self.before), Template(text()), tuple(self.helpers))
        finally:
            for restore in reversed(self.undo):
                restore()

    def _fresh(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def _replace(self, place: Place, node: ast.expr) -> None:
        before = place.node
        place.put(node)
        self.undo.append(lambda: place.put(before))

    def _swap_sides(self) -> None:
        for node in self.parts.swappable:
            if self.draw.random() < 1 / 2:
                _swap(node)
                self.undo.append(partial(_swap, node))

    def _hoist(self) -> None:
        for place in first_evaluated(self.root, self.meaning):
            if self.draw.random() < 1 / 3 and not isinstance(place.node, ast.Starred):
                token = self._fresh(TEMPORARY)
                self.before.append(Template(f"{blank(token)} = {text_of(place.node)}"))
                self._replace(place, _name(token))

    def _extract(self) -> None:
        if self.parts.extractable and self.draw.random() < 1 / 2:
            place = self.draw.choice(self.parts.extractable)
            node = place.node
            free = sorted({name.id for name in _local_loads(node, self.meaning)})
            self.draw.shuffle(free)
            token = self._fresh(OUTSIDE)
            parameters = {name: self._fresh(TEMPORARY) for name in free}
            self.helpers.append(Helper(token, tuple(parameters.values()), self._with(node, parameters)))
            arguments: list[ast.expr] = [ast.Name(name, ast.Load()) for name in free]
            self._replace(place, ast.Call(_name(token), arguments, []))

    def _with(self, node: ast.expr, parameters: dict[str, str]) -> Template:
        """The text of an expression with parameters in place of its locals."""
        names = _local_loads(node, self.meaning)
        originals = [name.id for name in names]
        for name in names:
            name.id = blank(parameters[name.id])
        try:
            return Template(text_of(node))
        finally:
            for name, original in zip(names, originals, strict=True):
                name.id = original

    def _lift_constant(self) -> None:
        if self.parts.literals and self.draw.random() < 1 / 3:
            place = self.draw.choice(self.parts.literals)
            token = self._fresh(OUTSIDE)
            self.helpers.append(Helper(token, None, Template(text_of(place.node))))
            self._replace(place, _name(token))


def _local_loads(node: ast.expr, meaning: Meaning) -> list[ast.Name]:
    return [name for name in walk(node) if isinstance(name, ast.Name) and meaning.is_local(name.id)]


def _can_extract(node: ast.expr, meaning: Meaning) -> bool:
    """Whether a function of its locals can evaluate it."""
    if not isinstance(node, EXTRACTED):
        return False
    nodes = walk(node)
    if any(isinstance(part, UNMOVABLE) or _belongs_here(part) for part in nodes):
        return False
    conditional = any(isinstance(part, CONDITIONAL) or _is_chain(part) for part in nodes)
    return not conditional or all(meaning.always_bound(name.id) for name in _local_loads(node, meaning))


def first_evaluated(root: Place, meaning: Meaning) -> list[Place]:
    """The expressions before which nothing that matters is evaluated, from the inside out; `root` is the last."""
    if meaning.is_atom(root.node):
        return []
    found: list[Place] = []
    for child in _evaluated_children(root.node):
        if isinstance(child.node, ast.Starred | ast.Slice):
            break
        found += first_evaluated(child, meaning)
        if not meaning.is_atom(child.node):
            break
    return [*found, root]


def first_atoms(root: Place, meaning: Meaning) -> list[Place]:
    """The locals and literals in `root` that are evaluated before anything that matters."""
    if meaning.is_atom(root.node):
        return [root]
    found: list[Place] = []
    for child in _evaluated_children(root.node):
        if isinstance(child.node, ast.Starred | ast.Slice):
            break
        found += first_atoms(child, meaning)
        if not meaning.is_atom(child.node):
            break
    return found


def _evaluated_children(node: ast.expr) -> list[Place]:
    """What is evaluated first, in order, as far as it is evaluated in any case."""
    fields = _ORDER.get(type(node), ())
    return [place for field in fields for place in _places(node, field)]


_ORDER: dict[type[ast.expr], tuple[str, ...]] = {
    ast.BinOp: ("left", "right"),
    ast.UnaryOp: ("operand",),
    ast.Compare: ("left",),
    ast.IfExp: ("test",),
    ast.Call: ("func", "args"),
    ast.Attribute: ("value",),
    ast.Subscript: ("value",),
    ast.Tuple: ("elts",),
    ast.List: ("elts",),
}


def places_under(root: Place) -> Iterator[Place]:
    """Every place of an expression in `root`, itself included; without those inside of lambdas and the like."""
    stack = [root]
    while stack:
        place = stack.pop()
        yield place
        node = place.node
        if not isinstance(node, CLOSED):
            stack += [
                inner for owner in _owners(node) for field in owner._fields for inner in _places(owner, field)
            ]


def _owners(node: ast.expr) -> list[ast.AST]:
    """The node and its parts that are no expressions but hold some: keyword arguments."""
    return [node, *(node.keywords if isinstance(node, ast.Call) else ())]


def _places(parent: ast.AST, field: str) -> list[Place]:
    value = getattr(parent, field)
    if isinstance(value, list):
        return [Place(parent, field, i) for i, part in enumerate(value) if isinstance(part, ast.expr)]
    return [Place(parent, field)] if isinstance(value, ast.expr) else []


def _is_swappable(node: ast.BinOp | ast.Compare, meaning: Meaning) -> bool:
    """Whether its sides may change places: a sum or product of numbers, a symmetric comparison with a literal."""
    if isinstance(node, ast.BinOp):
        numbers = _is_number(node.left, meaning) and _is_number(node.right, meaning)
        return (
            isinstance(node.op, ast.Add | ast.Mult)
            and numbers
            and not (_calls(node.left) and _calls(node.right))
        )
    if len(node.ops) > 1 or not isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
        return False
    return any(isinstance(side, ast.Constant) for side in (node.left, node.comparators[0]))


def _swap(node: ast.BinOp | ast.Compare) -> None:
    if isinstance(node, ast.BinOp):
        node.left, node.right = node.right, node.left
    else:
        node.left, node.comparators[0] = node.comparators[0], node.left


def _is_number(node: ast.expr, meaning: Meaning) -> bool:
    """Whether it is an int or float by construction."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, int | float)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_number(operand, meaning)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
            return _is_number(left, meaning) and _is_number(right, meaning)
        case ast.Call(func=ast.Name(id="len"), args=[_], keywords=[]):
            return "len" in meaning.fixed
        case _:
            return False


def _calls(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Call) for part in walk(node))


def _is_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float | str | bytes)


def _is_chain(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) and len(node.ops) > 1


def _belongs_here(node: ast.AST) -> bool:
    """Whether the node means something else in another function: a name mangled by its class, a look at the caller."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in CALLER or (name.startswith("__") and not name.endswith("__"))
        case _:
            return False


def _name(token: str) -> ast.Name:
    return ast.Name(blank(token), ast.Load())
