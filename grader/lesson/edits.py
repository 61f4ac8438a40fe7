"""A fault's source: the reference's text with the fault's edits made in it."""

from collections.abc import Mapping
from typing import NamedTuple

from grader.errors import LessonError
from grader.lesson.model import Edit, Fault, Lesson


class _Span(NamedTuple):
    start: int
    end: int
    replace: str
    key: str


def fault_source(lesson: Lesson, fault: Fault) -> dict[str, str]:
    """The files that a fault changes, relative to the course's `reference` folder, each with its faulty text."""
    sources = {module.file: module.source for module in lesson.reference_modules.values()}
    # A private fault lies outside of the course.
    file = fault.path.name if fault.private else fault.path.relative_to(lesson.root).as_posix()
    return edited(fault.edits, sources, file)


def edited(edits: tuple[Edit, ...], sources: Mapping[str, str], origin: str) -> dict[str, str]:
    """The texts of the files that `edits` change. Each `find` is looked up in the original, whatever other edits do.

    Args:
        edits: at least one.
        sources: the reference's text by file.
        origin: the fault's file, for errors.

    Raises:
        LessonError: an edit names no file of the reference, matches nothing or several places, overlaps another,
            or changes nothing.
    """
    spans: dict[str, list[_Span]] = {}
    for number, edit in enumerate(edits):
        key = f"edit[{number}]"
        source = _source(edit.file, sources, origin, key)
        spans.setdefault(edit.file, []).append(_span(edit, source, origin, key))
    return {file: _replaced(sources[file], sorted(spans[file]), file, origin) for file in spans}


def _source(file: str, sources: Mapping[str, str], origin: str, key: str) -> str:
    if file.startswith("/") or ".." in file.split("/"):
        raise LessonError(origin, f"{key}.file", f"{file} leaves the reference folder")
    if file not in sources:
        raise LessonError(origin, f"{key}.file", f"{file} is no module of the reference package")
    return sources[file]


def _span(edit: Edit, source: str, origin: str, key: str) -> _Span:
    start = source.find(edit.find)
    if start < 0:
        raise LessonError(origin, f"{key}.find", f"matches nothing in {edit.file} (a stale edit)")
    if source.find(edit.find, start + 1) >= 0:
        raise LessonError(origin, f"{key}.find", f"matches several places in {edit.file} (an ambiguous edit)")
    if edit.find == edit.replace:
        raise LessonError(origin, f"{key}.replace", "is the same text as `find` (a no-op)")
    return _Span(start, start + len(edit.find), edit.replace, key)


def _replaced(source: str, spans: list[_Span], file: str, origin: str) -> str:
    parts: list[str] = []
    end = 0
    for span in spans:
        if span.start < end:
            raise LessonError(origin, f"{span.key}.find", f"overlaps another edit of {file}")
        parts += source[end : span.start], span.replace
        end = span.end
    result = "".join(parts) + source[end:]
    if result == source:
        raise LessonError(origin, "edit", f"leaves {file} as it is (a no-op)")
    return result
