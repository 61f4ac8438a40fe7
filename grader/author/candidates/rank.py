"""How much a candidate would teach, as a number from 0 to 1, from what is known of it.

A candidate that the course tests miss comes first: it is a hole in the course before it is a fault. Of those that are
killed, one teaches the more,

* the fewer of the tests that execute it notice it (`RARE`): a suite has to look at the right thing;
* the less its tests are those of a fault that the lesson has (`NEW`): one minus the Jaccard index to the nearest;
* if no other candidate, and no fault, dies by some of its tests alone (`MINIMAL`): whoever kills that one kills this one
  too, and a fault that is subsumed adds nothing (Ammann, Delamaro and Offutt 2014, "Establishing theoretical minimal
  sets of mutants");
* if it gives wrong values and does not raise (`QUIET`): what raises is noticed without a test.

Then the class counts, and at the same score the place in the text.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from grader.author.candidates.model import Class

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.author.candidates.model import Judged
    from grader.author.candidates.trying import Outcomes

RARE, NEW, MINIMAL, QUIET = 0.4, 0.3, 0.2, 0.1
DECIMALS = 3
ORDER = {kind: number for number, kind in enumerate(Class)}
Tests = frozenset[str]


def ranked(
    judged: Sequence[Judged], outcomes: Mapping[str, Outcomes], faults: Mapping[str, Sequence[str]]
) -> list[Judged]:
    """Candidates with their scores, best first; the same order each time.

    Args:
        judged: the candidates.
        outcomes: by a candidate's id, what became of it.
        faults: a fault's id to the tests that kill it.
    """
    known = [frozenset(tests) for tests in faults.values() if tests]
    others = [frozenset(each.killed_by) for each in judged if each.kind is Class.KILLED] + known
    scored = [_scored(each, outcomes[each.candidate.id], known, others) for each in judged]
    return sorted(
        scored, key=lambda each: (ORDER[each.kind], -each.score, each.candidate.line, each.candidate.id)
    )


def _scored(judged: Judged, outcomes: Outcomes, known: Sequence[Tests], others: Sequence[Tests]) -> Judged:
    if judged.kind is Class.MISSED:
        return replace(judged, score=1.0)
    if judged.kind is not Class.KILLED:
        return judged
    tests = frozenset(judged.killed_by)
    parts = {
        "few tests notice it": RARE * _rarity(len(tests), judged.reached_by),
        "unlike the faults there are": NEW
        * (1 - max((_jaccard(tests, each) for each in known), default=0.0)),
        "not subsumed": MINIMAL * (not any(each < tests for each in others)),
        "wrong values, no error": QUIET * (1 - len(outcomes.inside & tests) / len(tests)),
    }
    reasons = [reason for reason, part in parts.items() if part > 0]
    return replace(judged, score=round(sum(parts.values()), DECIMALS), reasons=tuple(reasons))


def _rarity(killers: int, reached: int) -> float:
    """1 for one test of many, 0 for all of them."""
    return 1 - (killers - 1) / (reached - 1) if reached > 1 else 0.0


def _jaccard(one: Tests, other: Tests) -> float:
    return len(one & other) / len(one | other)
