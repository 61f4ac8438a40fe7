"""What the search for an input says of candidates: which of those that live differ, and which twins are twins."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from grader.author.candidates.model import Class
from grader.lesson import fault_source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.author.candidates.model import Judged
    from grader.author.witness import Found, Laboratory
    from grader.lesson import Fault, Lesson
    from grader.progress import Progress

# So many inputs, or a tenth of those that a survivor gets, are enough for two that have all else in common.
LEAST_FOR_TWINS = 20
SHARE_FOR_TWINS = 10


def compared_with_reference(
    lesson: Lesson, judged: Sequence[Judged], inputs: int, seed: int, progress: Progress
) -> list[Judged]:
    """Those that no test kills, each with a witness, or as probably equivalent; the others as they are."""
    alive = [each for each in judged if each.kind is Class.MISSED]
    if not alive or not inputs:
        return list(judged)
    from grader.author.witness import Laboratory  # noqa: PLC0415 - only where something lives

    progress.stage("looking for inputs that tell")
    found: dict[str, Judged] = {}
    with Laboratory(lesson) as laboratory:
        for number, each in enumerate(alive, 1):
            found[each.candidate.id] = _against_reference(each, laboratory, inputs, seed)
            progress.runs(number, len(alive))
    return [found.get(each.candidate.id, each) for each in judged]


def compared_with_faults(
    lesson: Lesson, judged: Sequence[Judged], inputs: int, seed: int, progress: Progress
) -> list[Judged]:
    """Twins that differ from their fault on some input are no twins; the others stay, with the evidence."""
    twins = [each for each in judged if each.kind is Class.TWIN]
    if not twins or not inputs:
        return list(judged)
    progress.stage("comparing with faults")
    tried = max(LEAST_FOR_TWINS, inputs // SHARE_FOR_TWINS)
    found: dict[str, Judged] = {}
    for fault in lesson.faults:
        for each in _against_fault(lesson, fault, [it for it in twins if it.twin == fault.id], tried, seed):
            found[each.candidate.id] = each
            progress.runs(len(found), len(twins))
    return [found.get(each.candidate.id, each) for each in judged]


def _against_reference(judged: Judged, laboratory: Laboratory, inputs: int, seed: int) -> Judged:
    found = _searched(judged, laboratory, inputs, seed, shrink=True)
    if found.call is not None:
        evidence = f"differs on input {found.first} of {found.inputs}"
        return replace(judged, evidence=evidence, witness=found.call)
    if found.partial is not None:
        evidence = f"differs in one precision alone, in {found.inputs} inputs"
        return replace(judged, evidence=evidence, witness=found.partial)
    return replace(judged, kind=Class.EQUIVALENT, evidence=f"no difference in {found.inputs} inputs")


def _against_fault(
    lesson: Lesson, fault: Fault, judged: Sequence[Judged], inputs: int, seed: int
) -> list[Judged]:
    if not judged:
        return []
    from grader.author.witness import Laboratory  # noqa: PLC0415 - only where there are twins

    with Laboratory(_with_reference(lesson, fault)) as laboratory:
        return [_against_twin(each, laboratory, inputs, seed) for each in judged]


def _against_twin(judged: Judged, laboratory: Laboratory, inputs: int, seed: int) -> Judged:
    found = _searched(judged, laboratory, inputs, seed, shrink=False)
    if found.probably_equivalent:
        return replace(judged, evidence=f"{judged.evidence}, and on {found.inputs} other inputs")
    return replace(judged, kind=Class.KILLED, twin="", evidence=f"dies by the tests of {judged.twin}")


def _searched(judged: Judged, laboratory: Laboratory, inputs: int, seed: int, *, shrink: bool) -> Found:
    from grader.author.witness import Search, find  # noqa: PLC0415 - where there is a laboratory it is there

    sources = {judged.candidate.file: judged.candidate.source}
    return find(laboratory, sources, Search(inputs=inputs, seed=seed, shrink=shrink))


def _with_reference(lesson: Lesson, fault: Fault) -> Lesson:
    """The lesson as if a fault were its reference; no variant agrees with that one."""
    sources = fault_source(lesson, fault)
    modules = {
        name: msgspec.structs.replace(module, source=sources.get(module.file, module.source))
        for name, module in lesson.reference_modules.items()
    }
    return msgspec.structs.replace(lesson, reference_modules=modules, variants=())
