"""What a table says as a whole, in sentences: the same on every medium."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader import texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.author.matrix.analysis import Analysis
    from grader.author.matrix.model import Matrix


MOST = 12  # items of a list that is no result in itself


@dataclass(frozen=True)
class Section:
    """A heading with a sentence, and what it lists."""

    heading: str
    sentence: str
    items: tuple[str, ...] = ()


def sections(matrix: Matrix, analysis: Analysis) -> list[Section]:
    """Everything that there is to say."""
    found = [_faults(matrix, analysis), *_tests(matrix, analysis)]
    if analysis.smallest_suites:
        sentence = f"{_kill(analysis.smallest_suites, len(matrix.suites), 'suite')}:"
        found.append(Section("Fewest suites", sentence, analysis.smallest_suites))
    invalid = tuple(f"{row.suite}: {row.problem}" for row in matrix.suites if row.problem)
    if invalid:
        found.append(Section("Without a grade", "These suites are in no count:", invalid))
    return found


def _faults(matrix: Matrix, analysis: Analysis) -> Section:
    items = [f"{fault}: no test kills it" for fault in analysis.unkilled]
    items += [f"{' = '.join(group)}: exactly the same tests kill them" for group in analysis.groups]
    items += [
        f"{fault} subsumes {', '.join(others)}: what kills {fault} kills {others[0] if len(others) == 1 else 'them'} too"
        for fault, others in analysis.subsumes.items()
    ]
    if not analysis.minimal:
        return Section("Subsumption", "No fault is killed.", tuple(items))
    killed = texts.count(len(matrix.faults) - len(analysis.unkilled), "fault")
    verb = "brings all others with it" if len(analysis.minimal) == 1 else "bring all others with them"
    names = ", ".join(analysis.minimal)
    return Section(
        "Subsumption",
        f"Of the {killed} that these tests kill, {len(analysis.minimal)} {verb}: {names}.",
        tuple(items),
    )


def _tests(matrix: Matrix, analysis: Analysis) -> list[Section]:
    if not matrix.tests:
        return []
    labels = matrix.labels()
    found = []
    if analysis.smallest:
        sentence = f"{_kill(analysis.smallest, len(matrix.tests), 'test')}:"
        found.append(Section("Fewest tests", sentence, tuple(labels[each] for each in analysis.smallest)))
    if analysis.redundant:
        sentence = "Each of these could go alone, since others kill all that it kills:"
        found.append(Section("Redundant tests", sentence, _some(analysis.redundant, labels)))
    if analysis.idle:
        found.append(Section("Idle tests", "These kill no fault:", _some(analysis.idle, labels)))
    return found


def _kill(chosen: Sequence[str], of: int, noun: str) -> str:
    verb = "kills" if len(chosen) == 1 else "kill"
    return f"{len(chosen)} of {texts.count(of, noun)} {verb} all that any kills, and no fewer do"


def _some(tests: Sequence[str], labels: Mapping[str, str]) -> tuple[str, ...]:
    shown = tuple(labels[each] for each in tests[:MOST])
    return shown if len(tests) <= MOST else (*shown, f"and {len(tests) - MOST} more")
