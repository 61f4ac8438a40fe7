"""One module of one program, taken apart: imports, definitions with what must come before them, functions."""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from grader.rewriting.blocks import Block, Builder, Node, is_docstring, merged, needs, offers
from grader.rewriting.forms import LOCAL, MODULE, Meaning
from grader.rewriting.scopes import (
    BUILTINS,
    FUNCTIONS,
    Contract,
    FunctionNode,
    Locals,
    ModuleNames,
    bound_by,
    is_private,
    locals_of,
    module_names,
)
from grader.rewriting.text import BLANK, Template, blank, header_text, statement_text, text_of
from grader.rewriting.trees import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.workers.wire import Module

FUTURE = "__future__"
_LITERAL = re.compile(r" = -?([0-9.]+(e-?\d+)?|'[^']*'|\"[^\"]*\")$")


@dataclass(frozen=True)
class Function:
    """A function or method."""

    slot: str  # the same for its counterparts in other programs
    header: Template
    block: Block
    merges: dict[tuple[str, str], Node]  # neighbours that may also be written as one
    spare: dict[str, tuple[Node, frozenset[str]]]  # what may stand in a counterpart, and what it needs there
    offers: frozenset[str]  # what this has for statements of counterparts
    reads: frozenset[str]  # names that occur in it as they are
    documented: str | None  # its docstring, or None
    always_documented: bool
    simple: bool  # dead code may join it
    harmless: bool  # defining it evaluates nothing

    def fits(self, wanted: frozenset[str]) -> bool:
        """Whether a statement that needs this may stand here, never reached."""
        return all(name in self.offers or not (name in self.reads or name[0] == "<") for name in wanted)

    @property
    def weight(self) -> int:
        """Nodes in all its statements."""
        return sum(node.weight for node in self.block)


@dataclass(frozen=True)
class ClassBody:
    """A class: its header, and lines or methods in order. `movable` are the positions of plain methods."""

    header: Template
    members: tuple[Function | Node, ...]
    movable: tuple[int, ...]
    documented: str | None
    always_documented: bool


@dataclass(frozen=True)
class Item:
    """A statement of a module. `after` are the positions of those that must come before it."""

    content: Function | ClassBody | Node
    after: tuple[int, ...]
    private: str | None = None  # the name of a function that may change its name


@dataclass(frozen=True)
class Import:
    """One name and where it comes from."""

    name: str
    text: str
    shared: bool  # whether other programs may have it too: absolute, and of one name


@dataclass
class Parsed:
    """A module taken apart."""

    module: Module
    docstring: str | None
    future: tuple[str, ...]
    imports: tuple[Import, ...]
    items: tuple[Item, ...]
    bound: frozenset[str]
    keeps_docstrings: bool
    literals: Counter[str]  # values of private constants
    statements: Counter[tuple[str, str]] = field(default_factory=Counter)

    def functions(self) -> Iterator[Function]:
        """Every function and method."""
        for item in self.items:
            if isinstance(item.content, Function):
                yield item.content
            elif isinstance(item.content, ClassBody):
                yield from (member for member in item.content.members if isinstance(member, Function))


@dataclass(frozen=True)
class Known:
    """What other programs have, to be used again where it is equal."""

    nodes: dict[tuple[object, ...], Node] = field(default_factory=dict)
    functions: dict[tuple[object, ...], Function] = field(default_factory=dict)


def parse(module: Module, contract: Contract, known: Known) -> Parsed:
    """Take a module apart.

    Args:
        module: its text.
        contract: the private names that stay.
        known: parts of other programs.

    Raises:
        SyntaxError: the text is no Python.
        ValueError: the text has the sign that marks blanks.
    """
    if BLANK in module.source:
        msg = f"{module.name} has the character {BLANK!r}, which rewriting needs for itself"
        raise ValueError(msg)
    return _Parser(ast.parse(module.source), module, contract, known).parsed()


class _Parser:
    def __init__(self, tree: ast.Module, module: Module, contract: Contract, known: Known) -> None:
        self.tree, self.module, self.contract = tree, module, contract
        self.known, self.functions = known.nodes, known.functions
        self.source_lines = module.source.split("\n")
        self.names: ModuleNames = module_names(tree, contract)
        bound_elsewhere = self.names.bound - BUILTINS
        stored = {name for node in tree.body for name in bound_by(node)}
        self.fixed = self.names.fixed | (BUILTINS - stored - bound_elsewhere)
        self.keeps_docstrings = "__doc__" in {
            getattr(node, "id", None) or getattr(node, "attr", None) for node in walk(tree)
        }

    def parsed(self) -> Parsed:
        docstring = ast.get_docstring(self.tree, clean=False)
        body = self.tree.body[docstring is not None :]
        future, body = _leading(body, lambda node: isinstance(node, ast.ImportFrom) and node.module == FUTURE)
        imports, body = _leading(body, lambda node: isinstance(node, ast.Import | ast.ImportFrom))
        bound = frozenset(name for node in self.tree.body for name in bound_by(node))
        needs = [self._after(body, position) for position in range(len(body))]
        items = tuple(self._item(node, after) for node, after in zip(body, needs, strict=True))
        parsed = Parsed(
            self.module,
            docstring,
            tuple(ast.unparse(node) for node in future),
            tuple(single for node in imports for single in _single_imports(node)),
            items,
            bound,
            self.keeps_docstrings,
            Counter(_literals(body)),
        )
        for item in items:
            parsed.statements.update(_outside_functions(item.content))
        for function in parsed.functions():
            parsed.statements.update((function.slot, node.key) for node in function.block)
        return parsed

    def _after(self, body: list[ast.stmt], position: int) -> tuple[int, ...]:
        """Which statements must come before this one: what it reads, or all of them if it may read anything."""
        node = body[position]
        if not _is_plain_definition(node):
            return tuple(range(position))
        needed = _names_at_definition(node)
        own = set(bound_by(node))
        return tuple(
            i
            for i, other in enumerate(body[:position])
            if needed & set(bound_by(other)) or own & set(bound_by(other)) or _rebinds(other, needed)
        )

    def _item(self, node: ast.stmt, after: tuple[int, ...]) -> Item:
        if isinstance(node, FUNCTIONS):
            private = node.name if node.name in self.names.private else None
            return Item(self._function(node, node.name), after, private)
        if isinstance(node, ast.ClassDef):
            return Item(self._class(node), after)
        return Item(self._plain(node), after)

    def _plain(self, node: ast.stmt) -> Node:
        self._blank_private(node)
        nothing = Locals(frozenset(), frozenset(), frozenset(), frozen=True)
        return Builder(Meaning(nothing, frozenset()), self.known).node(node)

    def _class(self, node: ast.ClassDef) -> ClassBody:
        docstring = ast.get_docstring(node, clean=False)
        body = node.body[docstring is not None :]
        movable = _movable_methods(body)
        seen: Counter[str] = Counter()
        members: list[Function | Node] = []
        for statement in body:
            if isinstance(statement, FUNCTIONS):
                seen[statement.name] += 1
                slot = f"{node.name}.{statement.name}.{seen[statement.name]}"
                members.append(self._function(statement, slot))
            elif not is_docstring(statement):
                members.append(self._plain(statement))
            else:
                members.append(self._plain(ast.Pass()))
        self._blank_private_outside(node)
        public = not is_private(node.name)
        return ClassBody(Template(header_text(node)), tuple(members), movable, docstring, public)

    def _function(self, node: FunctionNode, slot: str) -> Function:
        """A function; the one that another program has, where all of its text and what its names mean are equal."""
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        text = "\n".join(self.source_lines[first - 1 : node.end_lineno])
        key = (slot, text, self.names)
        if key not in self.functions:
            self.functions[key] = self._new_function(node, slot)
        return self.functions[key]

    def _new_function(self, node: FunctionNode, slot: str) -> Function:
        nodes = walk(node)
        names = locals_of(node, nodes, self.names, self.contract)
        self._blank(node, nodes, names)
        meaning = Meaning(names, self.fixed)
        builder = Builder(meaning, self.known)
        documented = ast.get_docstring(node, clean=False)
        statements = [statement for statement in node.body if not is_docstring(statement)]
        simple = not names.frozen
        block = builder.block(statements)
        spare = {
            part.key: (part, wanted)
            for part, statement in zip(block, statements, strict=True)
            if (wanted := needs(statement)) is not None
        }
        merges = self._merges(nodes, statements, builder) if simple else {}
        return Function(
            slot=slot,
            header=Template(header_text(self._undressed(node))),
            block=block,
            merges=merges,
            spare=spare if simple else {},
            offers=offers(node, names.kept),
            reads=frozenset(part.id for part in nodes if isinstance(part, ast.Name)),
            documented=documented,
            always_documented=not is_private(node.name) and BLANK not in node.name,
            simple=simple,
            harmless=not (node.decorator_list or node.args.defaults or any(node.args.kw_defaults)),
        )

    def _merges(
        self, nodes: list[ast.AST], statements: list[ast.stmt], builder: Builder
    ) -> dict[tuple[str, str], Node]:
        uses = Counter(part.id for part in nodes if isinstance(part, ast.Name))
        merges: dict[tuple[str, str], Node] = {}
        for first, second in pairwise(statements):
            if isinstance(first, ast.Assign) and uses[getattr(first.targets[0], "id", "")] == 2:  # noqa: PLR2004 - bound once, used once
                one = merged(first, second, builder.meaning)
                if one is not None:
                    merges[builder.node(first).key, builder.node(second).key] = builder.node(one)
        return merges

    def _undressed(self, node: FunctionNode) -> FunctionNode:
        """A private function without annotations, which nobody else can ask for."""
        if BLANK in node.name and not node.decorator_list:
            node.returns = None
            for argument in walk(node.args):
                if isinstance(argument, ast.arg):
                    argument.annotation = None
        return node

    def _blank(self, function: FunctionNode, nodes: list[ast.AST], names: Locals) -> None:
        """Put blanks where names may change."""
        for node in nodes:
            if isinstance(node, ast.Name):
                node.id = self._renamed(node.id, names)
            elif isinstance(node, ast.arg) and node.arg in names.renamed:
                node.arg = blank(LOCAL + node.arg)
            elif isinstance(node, ast.ExceptHandler) and node.name in names.renamed:
                node.name = blank(f"{LOCAL}{node.name}")
        if function.name in self.names.private:
            function.name = blank(MODULE + function.name)

    def _renamed(self, name: str, names: Locals | None = None) -> str:
        if names and name in names.renamed:
            return blank(LOCAL + name)
        return blank(MODULE + name) if name in self.names.private else name

    def _blank_private(self, node: ast.AST) -> None:
        for part in walk(node):
            if isinstance(part, ast.Name):
                part.id = self._renamed(part.id)
            elif isinstance(part, FUNCTIONS) and part.name in self.names.private:
                part.name = blank(MODULE + part.name)

    def _blank_private_outside(self, node: ast.ClassDef) -> None:
        for part in (*node.bases, *node.decorator_list, *(keyword.value for keyword in node.keywords)):
            self._blank_private(part)


def _outside_functions(content: Function | ClassBody | Node) -> Iterator[tuple[str, str]]:
    """Statements of the module and of its classes, for the comparison with other programs; no private literals."""
    if isinstance(content, ClassBody):
        yield from (("a class", member.key) for member in content.members if not isinstance(member, Function))
    elif not isinstance(content, Function) and not (content.key[0] == BLANK and _LITERAL.search(content.key)):
        yield "the module", content.key


def _literals(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant() as value) if name[0] == BLANK:
                yield text_of(value)
            case _:
                pass


def _leading(body: list[ast.stmt], wanted: Any) -> tuple[list[ast.stmt], list[ast.stmt]]:
    end = next((i for i, node in enumerate(body) if not wanted(node)), len(body))
    return body[:end], body[end:]


def _single_imports(node: ast.stmt) -> Iterator[Import]:
    assert isinstance(node, ast.Import | ast.ImportFrom)  # noqa: S101 - the caller's choice
    for alias in node.names:
        single = (
            ast.Import([alias])
            if isinstance(node, ast.Import)
            else ast.ImportFrom(node.module, [alias], node.level)
        )
        name = bound_by(single)[0]
        relative = isinstance(node, ast.ImportFrom) and node.level > 0
        dotted = isinstance(node, ast.Import) and "." in alias.name and alias.asname is None
        yield Import(name, statement_text(single), shared=not relative and not dotted and name != "*")


def _is_plain_definition(node: ast.stmt) -> bool:
    """Whether defining it does nothing but bind a name."""
    if not isinstance(node, FUNCTIONS) or node.decorator_list:
        return False
    parts = [*node.args.defaults, *node.args.kw_defaults, *_annotations(node)]
    return not any(isinstance(inner, ast.Call) for part in parts if part for inner in walk(part))


def _annotations(node: FunctionNode) -> list[ast.expr]:
    arguments = [part.annotation for part in walk(node.args) if isinstance(part, ast.arg)]
    return [part for part in (*arguments, node.returns) if part is not None]


def _names_at_definition(node: ast.stmt) -> set[str]:
    assert isinstance(node, FUNCTIONS)  # noqa: S101 - the caller's choice
    parts = [*node.args.defaults, *node.args.kw_defaults, *_annotations(node)]
    words = [inner for part in parts if part for inner in walk(part)]
    return {word.id for word in words if isinstance(word, ast.Name)}


def _rebinds(node: ast.stmt, needed: set[str]) -> bool:
    """Whether a statement may bind anything at all: a star import, a call that reaches into the module."""
    return (
        bool(needed) and isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)
    )


def _movable_methods(body: list[ast.stmt]) -> tuple[int, ...]:
    """Positions of the methods that may change places with one another."""
    counts = Counter(name for node in body for name in bound_by(node))
    used = {part.id for node in body for part in walk(node) if isinstance(part, ast.Name)}
    return tuple(
        i
        for i, node in enumerate(body)
        if isinstance(node, FUNCTIONS)
        and _is_plain_definition(node)
        and counts[node.name] == 1
        and node.name not in used
        and not _names_at_definition(node) & counts.keys()
    )
