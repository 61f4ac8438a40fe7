"""A variant's source: whole, or what differs from the reference's module and the rest from there.

A variant that imports from the module that it stands for (`from shop.prices import Basket`, where the lesson's module is
`shop.prices`) is not whole: it is that module, with the variant's own definitions in the place of those of the same name.
"""

import ast
import functools
from collections.abc import Iterator

from grader.errors import LessonError
from grader.lesson.model import ReferenceModule
from grader.lesson.syntax import compiled, described

Span = tuple[int, int, list[str]]  # lines from, up to but not with, and what stands there instead

_FUTURE = "from __future__ "


def completed(source: str, file: str, module: str, reference: ReferenceModule) -> str:
    """The whole text of a variant.

    Args:
        source: the variant's text, which compiles.
        file: its path, for errors.
        module: the lesson's module, dotted.
        reference: that module.

    Raises:
        LessonError: it imports what the reference does not define, or by another name what it defines itself, or the
            two do not compile together.
    """
    own = ast.parse(source).body
    borrowed = [
        node for node in own if isinstance(node, ast.ImportFrom) and node.module == module and not node.level
    ]
    if not borrowed:
        return source
    base = _parsed(reference)
    places = {name: node for node in base for name in _defined(node)}
    rest = [node for node in own if node not in borrowed and not _is_docstring(node)]
    taken = [alias for node in borrowed for alias in node.names]
    _check_taken(taken, places, rest, file, module)
    spans = [
        *_imports(rest, base),
        *_definitions(rest, base, places, _lines(source)),
        # Last, so that they stand before what else is put in the same place: it may need them.
        *_other_names(taken, places),
    ]
    whole = _with_spans(_lines(reference.source), spans)
    try:
        compiled(whole)
    except SyntaxError as error:
        # The line is one of the whole, which nobody sees.
        raise LessonError(file, "syntax", f"within {module} it does not compile: {error.msg}") from error
    return whole


def _check_taken(
    taken: list[ast.alias], places: dict[str, ast.stmt], rest: list[ast.stmt], file: str, module: str
) -> None:
    own = {name for node in rest for name in _defined(node)}
    for alias in taken:
        if alias.name not in places:
            raise LessonError(file, "import", f"{module} of the reference defines no {alias.name}")
        if alias.asname and alias.name in own:
            reason = f"it defines {alias.name} itself, so the reference's is not there to be {alias.asname}"
            raise LessonError(file, "import", reason)


# The variants of a lesson come one after the other, and have their reference in common.
@functools.lru_cache(maxsize=1)
def _parsed(reference: ReferenceModule) -> list[ast.stmt]:
    try:
        return ast.parse(reference.source).body
    except SyntaxError as error:
        raise LessonError(f"reference/{reference.file}", "syntax", described(error)) from error


def _imports(own: list[ast.stmt], base: list[ast.stmt]) -> Iterator[Span]:
    """What the reference does not import yet: after its last import, or where Python wants it, before the first."""
    known = {text for node in base for text in _single_imports(node)}
    new = [text for node in own for text in _single_imports(node) if text not in known]
    begin = base[0].end_lineno or 0 if base and _is_docstring(base[0]) else 0
    end = max((node.end_lineno or 0 for node in base if _single_imports(node)), default=begin)
    yield end, end, [text for text in new if not text.startswith(_FUTURE)]
    yield begin, begin, [text for text in new if text.startswith(_FUTURE)]


def _other_names(taken: list[ast.alias], places: dict[str, ast.stmt]) -> Iterator[Span]:
    """What is imported by another name gets it as soon as it is there."""
    for alias in taken:
        if alias.asname not in {None, alias.name}:
            end = places[alias.name].end_lineno or 0
            yield end, end, ["", "", f"{alias.asname} = {alias.name}"]


def _single_imports(node: ast.stmt) -> list[str]:
    """The import of each name; none for another statement."""
    if isinstance(node, ast.Import):
        return [ast.unparse(ast.Import([alias])) for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [ast.unparse(ast.ImportFrom(node.module, [alias], node.level)) for alias in node.names]
    return []


def _definitions(
    own: list[ast.stmt], base: list[ast.stmt], places: dict[str, ast.stmt], lines: list[str]
) -> Iterator[Span]:
    """Each definition in the place of the reference's; before it, or at the end, what only the variant defines."""
    helpers: list[str] = []
    for node in own:
        if _single_imports(node):
            continue
        text = lines[_first_line(node) - 1 : node.end_lineno]
        place = next((places[name] for name in _defined(node) if name in places), None)
        if place is None:
            helpers += [*text, "", ""]
        else:
            yield _first_line(place) - 1, place.end_lineno or 0, [*helpers, *text]
            helpers = []
    end = base[-1].end_lineno or 0
    yield end, end, ["", "", *helpers] if helpers else []


def _with_spans(lines: list[str], spans: list[Span]) -> str:
    # From the end, so that the lines before keep their numbers.
    for begin, end, instead in sorted(spans, key=lambda span: span[:2], reverse=True):
        lines[begin:end] = instead
    return "\n".join(lines) + "\n"


def _defined(node: ast.stmt) -> list[str]:
    """The names that a statement of a module defines."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [node.name]
        case ast.Assign():
            return [target.id for target in node.targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name() as target):
            return [target.id]
    return []


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _lines(text: str) -> list[str]:
    """As a syntax tree counts them: a form feed ends none."""
    return text.removesuffix("\n").split("\n")


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
