"""All candidates of a module: every operator's changes, those that compile to the same code taken as one.

Two programs with the same code are equivalent for certain, and comparing what the compiler makes of them finds many of
the equivalent and the duplicated mutants (Papadakis et al. 2015, "Trivial compiler equivalence").
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

from grader.author.candidates import mutmut_adapter
from grader.author.candidates.model import Candidate
from grader.author.candidates.mutmut_adapter import Change
from grader.author.candidates.operators import OPERATORS
from grader.author.candidates.source import Source
from grader.errors import UnknownOperatorError
from grader.lesson.replacement import name_of, occurrence_of
from grader.lesson.syntax import compiled, without_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import CodeType

    from grader.lesson import Lesson

MUTMUT = "mutmut"


def candidates_of(lesson: Lesson, operators: Sequence[str] = ()) -> list[Candidate]:
    """The candidates of a lesson's module, in the order of its text; the same each time.

    Args:
        lesson: whose module.
        operators: names of operators, `mutmut` for all of mutmut's; none: all.

    Raises:
        UnknownOperatorError: one of the names is none.
        MissingExtraError: mutmut is asked for and not installed.
    """
    _check_operators(operators)
    source = Source(lesson.reference_modules[lesson.module].source)
    changes = [*_mutmuts(source, lesson.module_file, operators), *_own(source, operators)]
    made = (
        _candidate(change, source, lesson.module_file) for change in changes if _wanted(change, operators)
    )
    return _distinct(made, source)


def names_of_operators() -> list[str]:
    """All names that `operators` may hold."""
    mutmuts = [mutmut_adapter.PREFIX + name for name in dict.fromkeys(mutmut_adapter.NAMES.values())]
    return [*(operator.name for operator in OPERATORS), MUTMUT, *mutmuts, f"{mutmut_adapter.PREFIX}other"]


def _check_operators(names: Sequence[str]) -> None:
    known = names_of_operators()
    for name in names:
        if name not in known:
            raise UnknownOperatorError(name, known)


def _mutmuts(source: Source, file: str, operators: Sequence[str]) -> list[Change]:
    if operators and not any(name.startswith(MUTMUT) for name in operators):
        return []
    return mutmut_adapter.changes(source, file)


def _own(source: Source, operators: Sequence[str]) -> Iterator[Change]:
    for operator in OPERATORS:
        if operators and operator.name not in operators:
            continue
        for node in source.nodes:
            for changed, text in operator.change(node, source):
                yield Change(operator.name, *source.span(changed), text)


def _wanted(change: Change, operators: Sequence[str]) -> bool:
    mutmuts = change.operator.startswith(mutmut_adapter.PREFIX)
    return not operators or change.operator in operators or (mutmuts and MUTMUT in operators)


def _candidate(change: Change, source: Source, file: str) -> Candidate:
    operator, start, end, replacement = change
    place = source.place(start, end)
    original = source.text[start:end]
    first, last = source.whole_lines(start, end)
    occurrence = occurrence_of(source.text[place.start : place.end], original, start - place.start)
    return Candidate(
        id=name_of(file, place.name, original, replacement, occurrence),
        file=file,
        function=place.name,
        original=original,
        replacement=replacement,
        occurrence=occurrence,
        start=start,
        line=source.line(start),
        lines_before=source.text[first:last],
        lines_after=source.text[first:start] + replacement + source.text[end:last],
        operators=(operator,),
        source=source.text[:start] + replacement + source.text[end:],
        lines=_lines(source, start, end),
    )


def _lines(source: Source, start: int, end: int) -> range:
    """What a test has to execute to meet the change: the statement, or of a compound one what stands before its body."""
    statement = source.statement(start, end)
    outside = statement is None or isinstance(
        statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    )
    if outside or not _in_a_function(source, start, end):
        return range(0)
    assert statement is not None  # noqa: S101 - the line above
    body = getattr(statement, "body", None)
    last = max(statement.lineno, body[0].lineno - 1) if body else statement.end_lineno or statement.lineno
    return range(statement.lineno, last + 1)


def _in_a_function(source: Source, start: int, end: int) -> bool:
    return any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and source.span(node.body[0])[0] <= start
        and end <= source.span(node)[1]
        for node in source.nodes
    )


def _distinct(candidates: Iterable[Candidate], source: Source) -> list[Candidate]:
    """Without those that do not compile, and with those of one code as one: the one with the shortest text."""
    kept: dict[CodeType, list[Candidate]] = {}
    for candidate in candidates:
        code = _code(candidate.source)
        if code is not None:
            kept.setdefault(code, []).append(candidate)
    kept.pop(without_lines(compiled(source.text)), None)
    merged = [_merged(group) for group in kept.values()]
    return sorted(merged, key=lambda each: (each.line, each.source, each.id))


def _merged(group: Sequence[Candidate]) -> Candidate:
    first = min(group, key=lambda each: (len(each.original), len(each.replacement), each.id))
    operators = dict.fromkeys(name for each in [first, *group] for name in each.operators)
    also = sorted({each.id for each in group} - {first.id})
    lines = first.lines if all(each.lines == first.lines for each in group) else range(0)
    return replace(first, operators=tuple(operators), also=tuple(also), lines=lines)


def _code(text: str) -> CodeType | None:
    with warnings.catch_warnings():
        # `x is 1` and the like: a candidate may hold it.
        warnings.simplefilter("ignore")
        try:
            return without_lines(compiled(text))
        except SyntaxError:
            return None
