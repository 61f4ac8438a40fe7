"""What a lesson consists of on disk, and which of it is not there: looked up by name alone, whatever state it is in."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True)
class Part:
    """One part of a lesson.

    Attributes:
        path: where it is or should be, relative to the course; it may end in a pattern such as `*.py`.
        what: what it is.
        there: whether it is there.
    """

    path: str
    what: str
    there: bool

    def __str__(self) -> str:
        return f"{self.path} ({self.what})"


def parts_of(course: Path, lesson: str) -> list[Part]:
    """Every part of a lesson; those whose place `lesson.toml` says, only if it can be read."""
    named = [*_by_id(lesson), *_by_lesson_file(course, lesson)]
    return [Part(path, what, _is_there(course, path)) for path, what in named]


def _by_id(lesson: str) -> Iterator[tuple[str, str]]:
    yield f"mutants/{lesson}/lesson.toml", "what the lesson is"
    yield f"mutants/{lesson}/*-*.toml", "its faults, at least one"
    yield f"reference/tests/{lesson}/**/test*.py", "the course tests"
    yield f"reference/variants/{lesson}/*.py", "other correct implementations, at least one"


def _by_lesson_file(course: Path, lesson: str) -> Iterator[tuple[str, str]]:
    try:
        text = (course / "mutants" / lesson / "lesson.toml").read_text(encoding="utf-8-sig")
        data = tomllib.loads(text)
        module, source, tests = (str(data[key]) for key in ("module", "source", "tests"))
    except (OSError, ValueError, KeyError):
        return
    path = module.replace(".", "/")
    yield f"reference/{path}.py", "the reference"
    yield f"reference/contracts/{path}.pyi", "its contract"
    yield f"student_template/{lesson}/{source}", "the learner's stub"
    yield f"student_template/{lesson}/{tests}/**/*.py", "the learner's first test"


def _is_there(course: Path, path: str) -> bool:
    if "*" in path:
        folder, _, _pattern = path.partition("/*")
        return any(True for _found in (course / folder).glob(path.removeprefix(f"{folder}/")))
    # A module may be a package.
    package = PurePosixPath(path).with_suffix("") / f"__init__{PurePosixPath(path).suffix}"
    return (course / path).is_file() or (course / package).is_file()
