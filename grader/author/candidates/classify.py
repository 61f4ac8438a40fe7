"""From what became of a candidate to its class. Pure: no process, no file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.author.candidates.model import Class, Judged
from grader.author.candidates.records import Ending

if TYPE_CHECKING:
    from grader.author.candidates.model import Candidate
    from grader.author.candidates.trying import Outcomes

_BY_ENDING = {
    Ending.NOT_IMPORTED: (Class.TOO_EASY, "dies on import"),
    Ending.TIMEOUT: (Class.TIMEOUT, "does not end"),
    Ending.MEMORY: (Class.CRASH, "meets the memory limit"),
    Ending.CRASHED: (Class.CRASH, "ends the process"),
}


def classify(candidate: Candidate, outcomes: Outcomes, twin: str = "") -> Judged:
    """The class of a candidate, as far as the course tests tell it; one that none of them kills counts as missed.

    Args:
        candidate: which.
        outcomes: what became of it.
        twin: the fault that behaves as it does; empty: none.
    """
    kind, evidence = _class(outcomes, twin)
    return Judged(candidate, kind, evidence, outcomes.killed_by, len(outcomes.reached_by), twin)


def _class(outcomes: Outcomes, twin: str) -> tuple[Class, str]:
    if outcomes.ending in _BY_ENDING:
        kind, evidence = _BY_ENDING[outcomes.ending]
        return kind, f"{evidence}: {outcomes.detail}" if outcomes.detail else evidence
    killers, reached = set(outcomes.killed_by), set(outcomes.reached_by)
    if not killers:
        return (Class.MISSED, "") if reached else (Class.UNREACHED, "no course test executes it")
    if twin:
        return Class.TWIN, f"the same tests and the same values as {twin}"
    if reached and killers >= reached and reached <= outcomes.inside:
        return Class.TOO_EASY, "raises in every test that executes it"
    return Class.KILLED, "killed by all tests that execute it" if reached and killers >= reached else ""
