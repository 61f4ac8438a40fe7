"""A variant's source: whole, or what differs from the reference's module and the rest from there.

A variant that imports from the module that it stands for (`from shop.prices import Basket`, where the lesson's module is
`shop.prices`) is not whole: it is that module, with the variant's own definitions in the place of those of the same name.
"""

import ast
from collections.abc import Iterator

from grader.errors import LessonError
from grader.lesson.model import ReferenceModule
from grader.lesson.syntax import described

Span = tuple[int, int, list[str]]  # lines from, up to but not with, and what stands there instead


def completed(source: str, file: str, module: str, reference: ReferenceModule) -> str:
    """The whole text of a variant.

    Args:
        source: the variant's text, which compiles.
        file: its path, for errors.
        module: the lesson's module, dotted.
        reference: that module.

    Raises:
        LessonError: it imports what the reference does not define.
    """
    own = ast.parse(source).body
    borrowed = [
        node for node in own if isinstance(node, ast.ImportFrom) and node.module == module and not node.level
    ]
    if not borrowed:
        return source
    base = _parsed(reference)
    places = {name: node for node in base for name in _defined(node)}
    for name in (alias.name for node in borrowed for alias in node.names):
        if name not in places:
            raise LessonError(file, "import", f"{module} of the reference defines no {name}")
    rest = [node for node in own if node not in borrowed and not _is_docstring(node)]
    spans = [_imports(rest, base), *_definitions(rest, base, places, source.splitlines())]
    return _with_spans(reference.source.splitlines(), spans)


def _parsed(reference: ReferenceModule) -> list[ast.stmt]:
    try:
        return ast.parse(reference.source).body
    except SyntaxError as error:
        raise LessonError(f"reference/{reference.file}", "syntax", described(error)) from error


def _imports(own: list[ast.stmt], base: list[ast.stmt]) -> Span:
    """What the reference does not import yet, after its last import."""
    known = {text for node in base for text in _single_imports(node)}
    end = max((node.end_lineno or 0 for node in base if _single_imports(node)), default=0)
    return end, end, [text for node in own for text in _single_imports(node) if text not in known]


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


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
