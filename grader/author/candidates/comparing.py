"""What the search for an input says of candidates: which of those that live differ, and which twins are twins."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from grader import texts
from grader.author.candidates.model import Class
from grader.lesson import fault_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from grader.author.candidates.model import Judged
    from grader.author.candidates.suggest import Wanted
    from grader.author.witness import Found, Laboratory
    from grader.lesson import Fault, Lesson
    from grader.progress import Progress

# So many inputs, or a tenth of those that a survivor gets, are enough for two that have all else in common.
LEAST_FOR_TWINS = 20
SHARE_FOR_TWINS = 10


def compared_with_reference(
    lesson: Lesson, judged: Sequence[Judged], wanted: Wanted, progress: Progress
) -> list[Judged]:
    """Those that no test kills, each with a witness, as probably equivalent, or as they are; so are the others."""
    alive = [each for each in judged if each.kind is Class.MISSED]
    if not alive or not wanted.inputs:
        return list(judged)
    progress.stage("looking for inputs that tell")

    def compare(some: Sequence[Judged]) -> Iterator[Judged]:
        from grader.author.witness import Laboratory  # noqa: PLC0415 - only where something lives

        with Laboratory(lesson) as laboratory:
            for each in some:
                yield _against_reference(each, laboratory, wanted.inputs)

    # Each laboratory has a process of its own, so a thread for each keeps all processors busy.
    shares = [alive[first :: wanted.jobs] for first in range(min(wanted.jobs, len(alive)))]
    return _replaced(judged, shares, compare, progress)


def compared_with_faults(
    lesson: Lesson, judged: Sequence[Judged], wanted: Wanted, progress: Progress
) -> list[Judged]:
    """Twins that differ from their fault on some input are no twins; the others stay, with the evidence."""
    twins = [each for each in judged if each.kind is Class.TWIN]
    if not twins or not wanted.inputs:
        return list(judged)
    progress.stage("comparing with faults")
    tried = max(LEAST_FOR_TWINS, wanted.inputs // SHARE_FOR_TWINS)

    def compare(some: Sequence[Judged]) -> Iterator[Judged]:
        (name,) = {each.twin for each in some}
        fault = next(fault for fault in lesson.faults if fault.id == name)
        return _against_fault(lesson, fault, some, tried)

    shares = [[each for each in twins if each.twin == fault.id] for fault in lesson.faults]
    return _replaced(judged, [share for share in shares if share], compare, progress, wanted.jobs)


def _replaced(
    judged: Sequence[Judged],
    shares: Sequence[Sequence[Judged]],
    compare: Callable[[Sequence[Judged]], Iterator[Judged]],
    progress: Progress,
    jobs: int | None = None,
) -> list[Judged]:
    """All of `judged`, those of the shares as they are once they have been compared; a thread for each share."""
    found: dict[str, Judged] = {}
    lock = threading.Lock()
    total = sum(map(len, shares))

    def work(share: Sequence[Judged]) -> None:
        for each in compare(share):
            with lock:
                found[each.candidate.id] = each
                progress.runs(len(found), total)

    with ThreadPoolExecutor(jobs or len(shares), thread_name_prefix="search") as pool:
        list(pool.map(work, shares))
    return [found.get(each.candidate.id, each) for each in judged]


def _against_reference(judged: Judged, laboratory: Laboratory, inputs: int) -> Judged:
    found = _searched(judged, laboratory, inputs, shrink=True)
    if found.call is not None:
        evidence = f"differs on input {found.first} of {found.inputs}"
        return replace(judged, evidence=evidence, witness=found.call)
    if found.partial is not None:
        evidence = f"differs in one precision alone, in {found.inputs} inputs"
        return replace(judged, evidence=evidence, witness=found.partial)
    if not found.probably_equivalent:
        return replace(judged, evidence=_nothing_shown(found))
    return replace(judged, kind=Class.EQUIVALENT, evidence=f"no difference in {found.inputs} inputs")


def _against_fault(lesson: Lesson, fault: Fault, judged: Sequence[Judged], inputs: int) -> Iterator[Judged]:
    from grader.author.witness import Laboratory  # noqa: PLC0415 - only where there are twins

    with Laboratory(_with_reference(lesson, fault)) as laboratory:
        for each in judged:
            yield _against_twin(each, laboratory, inputs)


def _against_twin(judged: Judged, laboratory: Laboratory, inputs: int) -> Judged:
    found = _searched(judged, laboratory, inputs, shrink=False)
    if found.probably_equivalent:
        return replace(judged, evidence=f"{judged.evidence}, and on {found.inputs} other inputs")
    if found.call is None and found.partial is None:
        return replace(judged, evidence=f"{judged.evidence}; {_nothing_shown(found)}")
    return replace(judged, kind=Class.KILLED, twin="", evidence=f"dies by the tests of {judged.twin}")


def _nothing_shown(found: Found) -> str:
    """An input on which the reference gives no value shows neither a difference nor that there is none."""
    return f"not compared: no value on any of {texts.count(found.inputs, 'input')}"


def _searched(judged: Judged, laboratory: Laboratory, inputs: int, *, shrink: bool) -> Found:
    from grader.author.witness import Search, find  # noqa: PLC0415 - where there is a laboratory it is there

    sources = {judged.candidate.file: judged.candidate.source}
    return find(laboratory, sources, Search(inputs=inputs, shrink=shrink))


def _with_reference(lesson: Lesson, fault: Fault) -> Lesson:
    """The lesson as if a fault were its reference; no variant agrees with that one."""
    sources = fault_source(lesson, fault)
    modules = {
        name: msgspec.structs.replace(module, source=sources.get(module.file, module.source))
        for name, module in lesson.reference_modules.items()
    }
    return msgspec.structs.replace(lesson, reference_modules=modules, variants=())
