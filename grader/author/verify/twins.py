"""Whether each fault is another one: two that no witness tells apart count one mistake twice."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from grader.author.verify.faults import file_of, kill_vectors
from grader.author.verify.finding import Finding, error, note, ok
from grader.author.verify.values import differ

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from grader.author.verify.evidence import Evidence
    from grader.author.verify.probes import Answer, Answers
    from grader.lesson import Fault, Lesson

CHECK = "distinct"


def check_distinct(lesson: Lesson, evidence: Evidence, only: Collection[str]) -> list[Finding]:
    """For each fault of `only`: which others no witness tells from it, and which the same course tests kill."""
    alike = {fault.id: list[str]() for fault in lesson.faults}
    for one, other in combinations(alike, 2):
        if not _told_apart(evidence.faults[one].answers, evidence.faults[other].answers):
            alike[one].append(other)
            alike[other].append(one)
    single = [_distinct(lesson, fault, alike[fault.id]) for fault in lesson.faults if fault.id in only]
    return [*single, *_same_killers(evidence, only)]


def _same_killers(evidence: Evidence, only: Collection[str]) -> Iterator[Finding]:
    by_vector: dict[frozenset[str], list[str]] = {}
    for name, vector in kill_vectors(evidence):
        by_vector.setdefault(vector, []).append(name)
    for names in by_vector.values():
        asked = [name for name in names if name in only]
        if asked and len(names) > 1:
            together = f"{', '.join(names[:-1])} and {names[-1]}"
            yield note(asked[0], CHECK, f"{together} are killed by the same course tests")


def _distinct(lesson: Lesson, fault: Fault, others: Sequence[str]) -> Finding:
    if not others:
        return ok(fault.id, CHECK, "some witness tells it from every other fault")
    names = ", ".join(others)
    says = f"no witness of the lesson tells it from {names}: they are one mistake, or need other witnesses"
    return error(fault.id, CHECK, f"{file_of(lesson, fault)}: edit", says)


def _told_apart(one: Answers, other: Answers) -> bool:
    return any(_unlike(one[probe], other[probe], probe.tolerance) for probe in one.keys() & other.keys())


def _unlike(one: Answer, other: Answer, tolerance: float) -> bool:
    if one.value is None or other.value is None:
        # What was not reached may be anything.
        known = all(answer.value is not None or answer.problem for answer in (one, other))
        return known and (one.value is not other.value or one.problem != other.problem)
    return differ(one.value, other.value, tolerance) or differ(other.value, one.value, tolerance)
