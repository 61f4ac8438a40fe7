"""Which names may change: only those whose every use is in sight.

Kept are public names, parameters of anything that others may call, attributes, names that some text spells out,
whatever the contract lists, and every local of a function that looks at its own frame.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from grader.rewriting.trees import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
BUILTINS = frozenset(dir(builtins))

# A function that uses one of these may see its own locals: its statements stay as they are.
FRAME_NAMES = frozenset({"locals", "eval", "exec", "_getframe", "currentframe", "f_locals", "f_back"})
LOCALS_WITHOUT_ARGUMENT = frozenset({"vars", "dir"})
# Statements that tie a name to several scopes.
FREEZING = (ast.ClassDef, ast.Global, ast.Nonlocal, ast.TryStar)
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Contract:
    """What stays beside the public names: `names` are private ones that other modules or texts use."""

    names: frozenset[str] = field(default_factory=frozenset)


def names_used(sources: Iterable[str]) -> frozenset[str]:
    """The private names that modules take from one another: attributes and imports, for a `Contract`."""
    trees = [walk(ast.parse(source)) for source in sources]
    return frozenset(name for nodes in trees for name in _reached(nodes) if is_private(name))


def is_private(name: str) -> bool:
    """One leading underscore: neither public, nor dunder, nor mangled by a class."""
    return name.startswith("_") and not name.startswith("__") and name != "_"


def _reached(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Names by which something outside of a scope can be meant."""
    for node in nodes:
        match node:
            case ast.Attribute(attr=name) | ast.keyword(arg=str(name)) | ast.arg(arg=name):
                yield name
            case ast.alias(name=name, asname=other):
                yield from (name, other or name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name
            case ast.Constant(value=str(text)):
                yield from _WORD.findall(text)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                yield from names
            case _:
                pass


@dataclass(frozen=True)
class ModuleNames:
    """The names of one module: which are bound once and for all, and which may change."""

    fixed: frozenset[str]  # bound exactly once, by import, def or class: a use of one has no effect
    bound: frozenset[str]  # bound anywhere at module level, and the builtins
    private: frozenset[str]  # may change
    inner: frozenset[str]  # functions among these that are only ever called, by position


def module_names(tree: ast.Module, contract: Contract) -> ModuleNames:
    """What the names of a module allow."""
    nodes = walk(tree)
    bound = Counter(name for node in tree.body for name in bound_by(node))
    stored = Counter(node.id for node in nodes if isinstance(node, ast.Name) and _is_bound(node))
    fixed = {name for node in tree.body if _is_definition(node) for name in bound_by(node)}
    fixed = {name for name in fixed if bound[name] == 1 and not stored[name]}
    kept = {*_reached(nodes), *contract.names, *_nested_definitions(nodes, tree)}
    functions = {node.name for node in tree.body if isinstance(node, FUNCTIONS)}
    constants = {name for name in bound if stored[name] == 1 and name not in fixed}
    private = {
        name
        for name in (fixed & functions) | constants
        if is_private(name) and bound[name] == 1 and name not in kept
    }
    inner = frozenset(private & functions) - _not_only_called(nodes, tree)
    return ModuleNames(frozenset(fixed), frozenset(bound) | BUILTINS, frozenset(private), inner)


def bound_by(node: ast.stmt) -> list[str]:
    """The names that a statement binds in its own scope."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Import(names=aliases):
            return [alias.asname or alias.name.partition(".")[0] for alias in aliases]
        case ast.ImportFrom(names=aliases):
            return [alias.asname or alias.name for alias in aliases]
        case _:
            return _bound_inside(node)


def _bound_inside(node: ast.stmt) -> list[str]:
    names: list[str] = []
    for child in walk(node):
        if isinstance(child, ast.Name) and _is_bound(child):
            names.append(child.id)
        elif isinstance(child, ast.stmt) and child is not node and not isinstance(child, ast.expr):
            names += bound_by(child) if _is_definition(child) else []
    return names


def _is_bound(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _is_definition(node: ast.AST) -> bool:
    return isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom))


def _nested_definitions(nodes: Iterable[ast.AST], tree: ast.Module) -> set[str]:
    top = set(map(id, tree.body))
    return {
        node.name for node in nodes if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and id(node) not in top
    }


def _not_only_called(nodes: Iterable[ast.AST], tree: ast.Module) -> set[str]:
    """Names that occur elsewhere than as `name(positional, arguments)`; decorated functions too."""
    loads = Counter(node.id for node in nodes if isinstance(node, ast.Name))
    calls = Counter(
        node.func.id
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords
    )
    decorated = {node.name for node in tree.body if isinstance(node, FUNCTIONS) and node.decorator_list}
    return {name for name in loads if loads[name] != calls[name]} | decorated


@dataclass(frozen=True)
class Locals:
    """The names of one function."""

    renamed: frozenset[str]
    kept: frozenset[str]  # its other locals, parameters included
    parameters: frozenset[str]
    frozen: bool  # its statements stay as they are

    @property
    def all(self) -> frozenset[str]:
        """Every name that is local somewhere in the function."""
        return self.renamed | self.kept


def locals_of(function: FunctionNode, nodes: list[ast.AST], names: ModuleNames, contract: Contract) -> Locals:
    """Which locals may change. One that shares its name with something of the module's may not.

    Args:
        function: its tree.
        nodes: all nodes of it.
        names: the module's.
        contract: private names that stay.
    """
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and _is_bound(node)}
    stored |= {node.name for node in nodes if isinstance(node, ast.ExceptHandler) and node.name}
    own = {argument.arg for argument in walk(function.args) if isinstance(argument, ast.arg)}
    others = {name for node in nodes if node is not function for name in bound_by_text(node)}
    if any(isinstance(node, FREEZING) or _looks_at_frame(node) for node in nodes):
        return Locals(frozenset(), frozenset(stored | own | others), frozenset(), frozen=True)
    fixed = names.bound | contract.names | others - own | _nested_arguments(function)
    fixed |= own if function.name not in names.inner else frozenset()
    renamed = {name for name in stored | own if name not in fixed and not name.startswith("__")}
    deleted = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del)}
    kept = (stored | own | others) - renamed
    return Locals(frozenset(renamed), frozenset(kept), frozenset(own - deleted), frozen=False)


def bound_by_text(node: ast.AST) -> list[str]:
    """Names that a node binds without a `Name`."""
    match node:
        case ast.arg(arg=name) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
        case ast.MatchMapping(rest=str(name)):
            return [name]
        case _:
            return bound_by(node) if isinstance(node, ast.stmt) and _is_definition(node) else []


def _looks_at_frame(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name), args=[]):
            return name in LOCALS_WITHOUT_ARGUMENT
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in FRAME_NAMES
        case _:
            return False


def _nested_arguments(function: FunctionNode) -> frozenset[str]:
    """Parameters of functions and lambdas inside: whoever gets these may call them by keyword."""
    inside = [node for statement in function.body for node in walk(statement)]
    inside += [node for default in function.args.defaults for node in walk(default)]
    return frozenset(node.arg for node in inside if isinstance(node, ast.arg))
