"""What a table says as a whole. Pure.

A fault *dynamically subsumes* another with respect to a set of tests when some test kills it and every test that kills
it kills the other too: then the other one asks nothing more of a suite. Faults that no other one strictly subsumes, one
of each group that the same tests kill, are a *minimal* set (Ammann, Delamaro and Offutt 2014, "Establishing Theoretical
Minimal Sets of Mutants").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.author.matrix.cover import smallest_cover

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.author.matrix.model import Matrix

Group = tuple[str, ...]


@dataclass(frozen=True)
class Analysis:
    """What follows from which test kills which fault.

    Attributes:
        unkilled: faults that no test kills.
        groups: faults that exactly the same tests kill, where these are at least two.
        subsumes: fault → the faults that it strictly subsumes.
        minimal: the first fault of each group that no other one strictly subsumes.
        redundant: tests each of which could go alone: the others kill all that it kills.
        idle: tests that kill nothing.
        smallest: the fewest tests that kill all that are killed.
        smallest_suites: the same for whole suites, where there are several.
    """

    unkilled: tuple[str, ...]
    groups: tuple[Group, ...]
    subsumes: Mapping[str, Group]
    minimal: Group
    redundant: Group
    idle: Group
    smallest: Group
    smallest_suites: Group = ()


def analysed(matrix: Matrix) -> Analysis:
    """What the table says."""
    kills = {row.name: matrix.kills(row.cells) for row in matrix.tests}
    killers = {
        fault.id: frozenset(test for test, killed in kills.items() if fault.id in killed)
        for fault in matrix.faults
    }
    killed = {fault: tests for fault, tests in killers.items() if tests}
    alike = _alike(killed)
    subsumes = {fault: _subsumed_by(fault, killed) for fault in killed}
    subsumed = {other for others in subsumes.values() for other in others}
    suites = [(row.suite, matrix.kills(row.cells)) for row in matrix.suites]
    return Analysis(
        unkilled=tuple(fault for fault, tests in killers.items() if not tests),
        groups=tuple(group for group in alike if len(group) > 1),
        subsumes={fault: others for fault, others in subsumes.items() if others},
        minimal=tuple(group[0] for group in alike if group[0] not in subsumed),
        redundant=tuple(
            test for test, own in kills.items() if own and all(len(killers[each]) > 1 for each in own)
        ),
        idle=tuple(test for test, own in kills.items() if not own),
        smallest=_smallest(list(kills.items())),
        smallest_suites=_smallest(suites),
    )


def _alike(killed: Mapping[str, frozenset[str]]) -> list[Group]:
    groups: dict[frozenset[str], list[str]] = {}
    for fault, tests in killed.items():
        groups.setdefault(tests, []).append(fault)
    return [tuple(group) for group in groups.values()]


def _subsumed_by(fault: str, killed: Mapping[str, frozenset[str]]) -> Group:
    return tuple(other for other, tests in killed.items() if killed[fault] < tests)


def _smallest(rows: list[tuple[str, frozenset[str]]]) -> Group:
    chosen = smallest_cover([killed for _name, killed in rows])
    return tuple(rows[place][0] for place in chosen)
