"""The templates that a lesson's author wrote, from `reference/inputs/<lesson>.toml`: optional, and read strictly.

    calls = ['''
    return half($n)
    ''']

    [holes]
    n = {between = [0, 9]}

A hole is one of: `choose`, texts and numbers, simplest first; `between`, two whole numbers; `array`, shapes whose axes are
numbers or names of holes, with its entries in `of` (values, or the name of a hole); `letters`, with `most` of them.
"""

from __future__ import annotations

import string
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import msgspec

from grader.author.witness.templates import Array, Choice, Letters, Template, Whole
from grader.errors import LessonError
from grader.lesson.files import CourseFiles
from grader.lesson.syntax import compiled_witness, described
from grader.lesson.toml import convert, decode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from grader.author.witness.templates import Hole
    from grader.lesson import Lesson

# Texts and numbers; a union that holds both `str` and `Decimal` is beyond msgspec, so `_text` looks at each.
Values: TypeAlias = Annotated[tuple[Any, ...], msgspec.Meta(min_length=1)]
Shape: TypeAlias = tuple[int | str, ...]
KINDS = ("choose", "between", "array", "letters")


class HoleTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a hole: exactly one of `KINDS`; `of` belongs to `array`, `most` to `letters`."""

    choose: Values | None = None
    between: tuple[int, int] | None = None
    array: Annotated[tuple[Shape, ...], msgspec.Meta(min_length=1)] | None = None
    letters: Annotated[str, msgspec.Meta(min_length=1)] | None = None
    of: Any = None
    most: Annotated[int, msgspec.Meta(ge=0)] | None = None


class InputsFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of the file; each of `holes` is a `HoleTable`."""

    calls: Annotated[tuple[Annotated[str, msgspec.Meta(min_length=1)], ...], msgspec.Meta(min_length=1)]
    holes: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)


def file_of(lesson: str) -> str:
    """Where a lesson's inputs are, relative to the course."""
    return f"reference/inputs/{lesson}.toml"


def author_templates(lesson: Lesson) -> list[Template]:
    """The templates in the author's order; none where the lesson has no such file.

    Raises:
        LessonError: something in the file is wrong.
    """
    file = file_of(lesson.id)
    if not (lesson.root / file).is_file():
        return []
    content = decode(CourseFiles(lesson.root).text(file), InputsFile, file)
    holes: dict[str, Hole] = {}
    for name, raw in content.holes.items():
        holes |= _holes(name, convert(raw, HoleTable, file, f"holes.{name}"), file)
    _check_references(content, holes, file)
    templates = [Template(call.strip("\n"), holes) for call in content.calls]
    for index, template in enumerate(templates):
        _check_call(template, f"calls[{index}]", file)
    return templates


def _holes(name: str, table: HoleTable, file: str) -> dict[str, Hole]:
    """A hole, and the one for its entries where these are given as values."""
    key = f"holes.{name}"
    if not (name.isascii() and name.isidentifier()):
        raise LessonError(file, key, "is not a name that can stand after `$`")
    given = [kind for kind in KINDS if getattr(table, kind) is not None]
    if len(given) != 1:
        raise LessonError(file, key, f"must have exactly one of {', '.join(KINDS)}")
    if (table.of is not None) != (table.array is not None):
        raise LessonError(file, key, "needs `of` exactly where it has `array`")
    if (table.most is not None) != (table.letters is not None):
        raise LessonError(file, key, "needs `most` exactly where it has `letters`")
    return _of_kind(name, table, key, file)


def _of_kind(name: str, table: HoleTable, key: str, file: str) -> dict[str, Hole]:
    if table.choose is not None:
        return {name: _choice(table.choose, f"{key}.choose", file)}
    if table.between is not None:
        least, most = table.between
        if least > most:
            raise LessonError(file, f"{key}.between", "ends before it begins")
        return {name: Whole(least, most)}
    if table.letters is not None:
        return {name: Letters(table.letters, table.most or 0)}
    assert table.array is not None and table.of is not None  # noqa: S101, PT018 - what `_holes` has made sure of
    if not isinstance(table.of, str | list | tuple) or not table.of:
        raise LessonError(file, f"{key}.of", "is neither a list of values nor the name of a hole")
    if isinstance(table.of, str):
        return {name: Array(table.array, table.of)}
    entry = f"{name}_entry"
    return {name: Array(table.array, entry), entry: _choice(tuple(table.of), f"{key}.of", file)}


def _choice(values: tuple[Any, ...], key: str, file: str) -> Choice:
    """What an author may choose from, numbers with the author's digits."""
    for index, value in enumerate(values):
        if not isinstance(value, bool | int | Decimal | str):
            raise LessonError(file, f"{key}[{index}]", "is neither a text nor a number nor a truth value")
    return Choice(tuple(str(each).lower() if isinstance(each, Decimal) else str(each) for each in values))


def _check_references(content: InputsFile, holes: Mapping[str, Hole], file: str) -> None:
    for index, call in enumerate(content.calls):
        for name in _names(call, f"calls[{index}]", file):
            _check_hole(name, f"calls[{index}]", holes, (), file)
    for name in content.holes:
        _check_hole(name, f"holes.{name}", holes, (), file)


def _check_hole(name: str, key: str, holes: Mapping[str, Hole], within: tuple[str, ...], file: str) -> None:
    """That a hole exists, and that what it is filled with leads to no hole that it is in."""
    if name not in holes:
        raise LessonError(file, key, f"names the hole {name!r}, which there is not")
    if name in within:
        raise LessonError(file, f"holes.{name}", "is filled with itself")
    for each in _inner(holes[name], f"holes.{name}", file):
        _check_hole(each, f"holes.{name}", holes, (*within, name), file)
    if isinstance(hole := holes[name], Array):
        for axis in {axis for shape in hole.shapes for axis in shape}:
            _check_axis(axis, f"holes.{name}.array", holes, file)


def _inner(hole: Hole, key: str, file: str) -> Iterator[str]:
    match hole:
        case Choice(options):
            for option in options:
                yield from _names(option, key, file)
        case Array(shapes, entry):
            yield entry
            yield from (axis for shape in shapes for axis in shape if isinstance(axis, str))
        case _:
            return


def _check_axis(axis: int | str, key: str, holes: Mapping[str, Hole], file: str) -> None:
    if isinstance(axis, int):
        if axis < 0:
            raise LessonError(file, key, f"has the length {axis}")
        return
    hole = holes[axis]
    counts = isinstance(hole, Whole) and hole.least >= 0
    if not counts and not (isinstance(hole, Choice) and all(map(str.isdecimal, hole.options))):
        raise LessonError(file, key, f"has the length {axis!r}, which is no hole for whole numbers")


def _names(text: str, key: str, file: str) -> list[str]:
    template = string.Template(text)
    if not template.is_valid():
        raise LessonError(file, key, "has a `$` that no name follows; write `$$` for a dollar sign")
    return template.get_identifiers()


def _check_call(template: Template, key: str, file: str) -> None:
    try:
        compiled_witness(template.simplest())
    except SyntaxError as error:
        raise LessonError(file, key, f"is no body of a witness: {described(error)}") from error
