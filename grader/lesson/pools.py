"""Pools: programs that count beside a lesson's faults, each pool with a threshold of its own.

Their changes were made by a tool and are kept as data, so that a grade follows from the course's files alone, and not
from the version of the tool.
"""

import ast
import functools
from collections.abc import Mapping
from pathlib import Path
from types import CodeType
from typing import Annotated, NamedTuple

import msgspec

from grader.errors import LessonError
from grader.lesson.files import CourseFiles
from grader.lesson.model import Edit, Fault, Text, Witness
from grader.lesson.replacement import Place, hash_of, name_of, places_in, starts_of
from grader.lesson.syntax import compiled, described, without_lines
from grader.lesson.toml import decode


class PoolCandidate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One program of a pool, as a replacement in the reference.

    Attributes:
        id: see `grader.lesson.replacement.name_of`.
        file: relative to the course's `reference` folder.
        function: the qualified name of the function or class that holds the place; empty: the module.
        within: `hash_of` that function's text: in another text the place might be another one.
        original: the text that is replaced.
        replacement: the text in its place.
        occurrence: how many times `original` stands in the function before the place.
    """

    id: Text
    file: Text
    function: str
    within: Text
    original: Text
    replacement: str
    occurrence: Annotated[int, msgspec.Meta(ge=0)]


class PoolFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a pool's file."""

    candidates: Annotated[tuple[PoolCandidate, ...], msgspec.Meta(min_length=1)] = msgspec.field(
        name="candidate"
    )


def pool_file(lesson: str, pool: str) -> str:
    """The file of a pool, relative to the course."""
    return f"mutants/{lesson}/pools/{pool}.toml"


def pool_faults(
    files: CourseFiles, lesson: str, pools: Mapping[str, object], sources: Mapping[str, str]
) -> tuple[Fault, ...]:
    """The programs of a lesson's pools, as faults that are private and never required.

    Args:
        files: of the course.
        lesson: its id.
        pools: by name, as `lesson.toml` has them.
        sources: the reference's text by file.

    Raises:
        LessonError: a pool's file is missing or wrong, or does not fit the reference any more.
    """
    return tuple(fault for pool in pools for fault in _faults(files, pool_file(lesson, pool), pool, sources))


def _faults(files: CourseFiles, file: str, pool: str, sources: Mapping[str, str]) -> list[Fault]:
    known: dict[str, int] = {}
    faults = []
    for number, candidate in enumerate(decode(files.text(file), PoolFile, file).candidates):
        key = f"candidate[{number}]"
        if (first := known.setdefault(candidate.id, number)) != number:
            raise LessonError(file, f"{key}.id", f"is that of candidate[{first}], too")
        faults.append(_fault(candidate, pool, files.path(file), sources, _Origin(file, key)))
    return faults


class _Origin(msgspec.Struct, frozen=True):
    file: str
    key: str

    def error(self, key: str, reason: str) -> LessonError:
        return LessonError(self.file, f"{self.key}.{key}", reason)


def _fault(
    candidate: PoolCandidate, pool: str, path: Path, sources: Mapping[str, str], origin: _Origin
) -> Fault:
    name = name_of(
        candidate.file, candidate.function, candidate.original, candidate.replacement, candidate.occurrence
    )
    if candidate.id != name:
        raise origin.error("id", f"is {candidate.id}, and what the candidate changes makes it {name}")
    if candidate.file not in sources:
        raise origin.error("file", f"{candidate.file} is no module of the reference package")
    source = sources[candidate.file]
    return Fault(
        id=f"{pool}:{candidate.id}",
        path=path,
        private=True,
        pool=pool,
        title=candidate.id,
        symptom="made by a tool",
        hint="made by a tool",
        caught_by=("made_by_a_tool",),
        edits=(Edit(file=candidate.file, find=source, replace=_changed(candidate, source, origin)),),
        witness=Witness(call="return None"),
    )


def _changed(candidate: PoolCandidate, source: str, origin: _Origin) -> str:
    """The file's text with the replacement made.

    Raises:
        LessonError: the place is not there any more, or the result is no other program.
    """
    start = _place(candidate, source, origin)
    changed = source[:start] + candidate.replacement + source[start + len(candidate.original) :]
    try:
        same = without_lines(compiled(changed)) == _parsed(source).code
    except SyntaxError as error:
        raise origin.error("replacement", f"leaves a syntax error, {described(error)}") from error
    if same:
        raise origin.error("replacement", "changes nothing that runs (a no-op)")
    return changed


class _Parsed(NamedTuple):
    code: CodeType  # without line numbers
    places: tuple[Place, ...]


@functools.lru_cache(maxsize=8)  # the candidates of a pool lie in few files
def _parsed(source: str) -> _Parsed:
    return _Parsed(without_lines(compiled(source)), places_in(source, ast.parse(source)))


def _place(candidate: PoolCandidate, source: str, origin: _Origin) -> int:
    holding = [each for each in _parsed(source).places if each.name == candidate.function]
    if not holding:
        raise origin.error("function", f"{candidate.file} has no {candidate.function} any more (stale)")
    texts = {hash_of(source[each.start : each.end]): each for each in holding}
    if candidate.within not in texts:
        shown = candidate.function or candidate.file
        raise origin.error("within", f"{shown} has another text than when the pool was made (stale)")
    function = texts[candidate.within]
    starts = starts_of(source[function.start : function.end], candidate.original)
    if candidate.occurrence >= len(starts):
        raise origin.error("original", "matches nothing (stale)")
    return function.start + starts[candidate.occurrence]
