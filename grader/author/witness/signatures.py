"""What the lesson's module says of its own calls: optional parameters with simple defaults, annotated parameters."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.author.witness.readable import default_of, hole_for, instead_of
from grader.author.witness.templates import Choice, Template

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.author.witness.templates import Hole
    from grader.lesson import Lesson


@dataclass(frozen=True)
class Callable:
    """A public function of the module, or the constructor of a public class.

    Attributes:
        parameters: names in the order of the signature, without `self`.
        optional: those that have a number, a text or a truth value as default, with that as Python text.
        annotations: those that have one, with it as text.
        required: how many have no default.
    """

    name: str
    parameters: tuple[str, ...]
    optional: dict[str, str]
    annotations: dict[str, str]
    required: int


def callables_of(lesson: Lesson) -> dict[str, Callable]:
    """By name, what a witness can call of the lesson's module."""
    tree = ast.parse(lesson.reference_modules[lesson.module].source)
    return {
        node.name: _callable(node.name, function, method=isinstance(node, ast.ClassDef))
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and (function := _called(node)) is not None
    }


def signature_templates(lesson: Lesson) -> list[Template]:
    """A call of each function whose parameters are all of types that can be written down."""
    tree = ast.parse(lesson.reference_modules[lesson.module].source)
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    found = (_template(each) for name, each in callables_of(lesson).items() if name in functions)
    return [template for template in found if template is not None]


def _called(node: ast.FunctionDef | ast.ClassDef) -> ast.FunctionDef | None:
    if isinstance(node, ast.FunctionDef):
        return node
    inits = (each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__")
    return next(inits, None)


def _callable(name: str, function: ast.FunctionDef, *, method: bool) -> Callable:
    every = [*function.args.posonlyargs, *function.args.args][method:]
    defaults = function.args.defaults
    pairs = [*zip(every[len(every) - len(defaults) :], defaults, strict=True), *_keyword_only(function)]
    return Callable(
        name,
        tuple(argument.arg for argument in every),
        {argument.arg: text for argument, value in pairs if (text := default_of(value)) is not None},
        {
            argument.arg: ast.unparse(argument.annotation)
            for argument in every
            if argument.annotation is not None
        },
        len(every) - len(defaults),
    )


def _keyword_only(function: ast.FunctionDef) -> Iterator[tuple[ast.arg, ast.expr]]:
    pairs = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    return ((argument, value) for argument, value in pairs if value is not None)


def _template(called: Callable) -> Template | None:
    holes: dict[str, Hole] = {}
    for name in called.parameters[: called.required]:
        drawn = hole_for(name, called.annotations.get(name, ""))
        if drawn is None:
            return None
        holes |= drawn
    places = [f"${name}" for name in called.parameters[: called.required]]
    for name, value in called.optional.items():
        holes |= optional(name, value)
        places.append(f"${name}_given")
    if not called.required:
        return None
    arguments = ", ".join(places[: called.required]) + "".join(places[called.required :])
    return Template(f"return {called.name}({arguments})", holes)


def optional(name: str, default: str) -> dict[str, Hole]:
    """The hole `<name>_given` for an optional argument: left out, or given another value than its default."""
    others = tuple(f", {name}={value}" for value in instead_of(default))
    return {f"{name}_given": Choice(("", *others))}
