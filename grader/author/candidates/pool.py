"""Writes the best candidates down as a pool that is graded beside the faults: see `grader.lesson.pools`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.author.candidates.model import Class
from grader.author.candidates.source import Source
from grader.author.saving import check_writable, save
from grader.author.toml_values import code, prose
from grader.errors import NoCandidatesError
from grader.lesson.pools import pool_file
from grader.lesson.replacement import hash_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from grader.author.candidates.model import Candidate, Judged
    from grader.lesson import Lesson

NAME = "generated"
HEAD = """\
# The pool "{pool}" of {lesson}: programs that count beside its faults, made by `ol mutants suggest {lesson} --pool {count}`.
# A candidate's id is a hash of what it changes, and `within` one of the text around it: edit nothing here by hand.
# The pool is graded where lesson.toml has a table [pools.{pool}] with a threshold.
"""


def chosen(judged: Sequence[Judged], count: int) -> list[Judged]:
    """The best candidates for a pool: each can be killed, and no two die by the same tests while there are others."""
    killed = [each for each in judged if each.kind is Class.KILLED]
    seen: dict[tuple[str, ...], int] = {}
    rounds = []
    for each in killed:
        seen[each.killed_by] = seen.get(each.killed_by, 0) + 1
        rounds.append(seen[each.killed_by])
    order = sorted(range(len(killed)), key=lambda index: (rounds[index], index))
    return [killed[index] for index in order[:count]]


def write_pool(lesson: Lesson, judged: Sequence[Judged], count: int) -> tuple[Path, int]:
    """Write a pool's file, in place of one that is there; where it is, and how many candidates it has.

    Raises:
        NoCandidatesError: no candidate is killed by a course test.
        ReadOnlyCourseError: the course cannot be written.
        MissingExtraError: tomlkit is not installed.
    """
    best = chosen(judged, count)
    if not best:
        raise NoCandidatesError(lesson.id)
    path = lesson.root / pool_file(lesson.id, NAME)
    check_writable(lesson.root / "mutants" / lesson.id, lesson.root)
    path.parent.mkdir(exist_ok=True)
    source = Source(lesson.reference_modules[lesson.module].source)
    entries = sorted((each.candidate for each in best), key=lambda each: (each.line, each.id))
    head = HEAD.format(pool=NAME, lesson=lesson.id, count=count)
    save(path, "\n".join([head, *(_entry(each, source) for each in entries)]), lesson.root)
    return path, len(best)


def _entry(candidate: Candidate, source: Source) -> str:
    values = {
        "id": prose(candidate.id),
        "file": prose(candidate.file),
        "function": prose(candidate.function),
        "within": prose(_within(candidate, source)),
        "original": code(candidate.original),
        "replacement": code(candidate.replacement),
    }
    lines = [f"{key:<11} = {value.as_string()}" for key, value in values.items()]
    return "\n".join(["[[candidate]]", *lines, f"{'occurrence':<11} = {candidate.occurrence}", ""])


def _within(candidate: Candidate, source: Source) -> str:
    start = candidate.start
    place = source.place(start, start + len(candidate.original))
    return hash_of(source.text[place.start : place.end])
