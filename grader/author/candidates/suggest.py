"""The search for candidates as a whole: made, tried, those that survive looked at more closely, ranked."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.author.candidates.classify import classify
from grader.author.candidates.comparing import compared_with_faults, compared_with_reference
from grader.author.candidates.generate import candidates_of
from grader.author.candidates.model import Class
from grader.author.candidates.rank import ranked
from grader.author.candidates.records import Ending
from grader.author.candidates.runner import Workbench
from grader.author.candidates.trying import Outcomes, try_again, try_all
from grader.progress import Silent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.author.candidates.model import Candidate, Judged
    from grader.lesson import Lesson
    from grader.progress import Progress

INPUTS = 200  # that the search for a difference tries on each candidate that no test kills


@dataclass(frozen=True)
class Wanted:
    """What to search for.

    Attributes:
        operators: names of operators; none: all.
        within: a function or class of the module, by its qualified name, to look in; empty: everywhere.
        jobs: programs that run at a time.
        inputs: how many inputs to try on a candidate that no test kills; 0: none, and all of them count as missed.
    """

    operators: Sequence[str] = ()
    within: str = ""
    jobs: int = 1
    inputs: int = INPUTS


@dataclass(frozen=True)
class Suggested:
    """What a search came to.

    Attributes:
        lesson: the lesson's id.
        lesson_sha256: of its data.
        tests: node ids of the course tests.
        judged: the candidates, best first.
        notices: what an author should know besides.
        seconds: that the course tests took on all candidates.
        whole: seconds of everything, the search for inputs too.
    """

    lesson: str
    lesson_sha256: str
    tests: tuple[str, ...]
    judged: tuple[Judged, ...]
    notices: tuple[str, ...]
    seconds: float
    whole: float = 0.0

    def counts(self) -> dict[Class, int]:
        """How many there are of each class."""
        return {kind: sum(each.kind is kind for each in self.judged) for kind in Class}


def suggest(lesson: Lesson, wanted: Wanted, progress: Progress | None = None) -> Suggested:
    """Search for candidates.

    1. Make the changes, and merge those that compile to the same code.
    2. Try them on the workbench.
    3. Run what no test killed, and what the workbench cannot hold, as a grading would.
    4. Look for an input that tells those that still live from the reference, and twins from their faults.
    5. Score and sort.

    Raises:
        MissingExtraError: mutmut or hypothesis is not installed.
        LessonError: the lesson's own tests do not pass on its reference.
    """
    begun = time.monotonic()
    follow = progress or Silent()
    follow.stage("making candidates")
    with Workbench(lesson, wanted.jobs) as bench:
        # While its process imports numpy and pytest.
        candidates = [
            each for each in candidates_of(lesson, wanted.operators) if _is_within(each, wanted.within)
        ]
        trial = try_all(bench, lesson, candidates, follow.runs)
    outcomes = dict(zip([each.id for each in candidates], trial.outcomes, strict=True))
    outcomes |= _retried(lesson, candidates, outcomes, wanted.jobs, follow)
    twins = {candidates[index].id: fault for index, fault in trial.twins.items()}
    judged = [classify(each, outcomes[each.id], twins.get(each.id, "")) for each in candidates]
    judged = compared_with_reference(lesson, judged, wanted, follow)
    judged = compared_with_faults(lesson, judged, wanted, follow)
    return Suggested(
        lesson.id,
        lesson.sha256,
        trial.tests,
        tuple(ranked(judged, outcomes, trial.faults)),
        tuple(_notices(lesson, trial.faults)),
        trial.seconds,
        time.monotonic() - begun,
    )


def _is_within(candidate: Candidate, name: str) -> bool:
    return not name or f"{candidate.function}.".startswith(f"{name}.")


def _retried(
    lesson: Lesson,
    candidates: Sequence[Candidate],
    outcomes: dict[str, Outcomes],
    jobs: int,
    follow: Progress,
) -> dict[str, Outcomes]:
    """What the quick way says least surely of: that no test fails, and that a candidate does not fit in."""
    unsure = [each for each in candidates if _unsure(outcomes[each.id])]
    if not unsure:
        return {}
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        follow.runs(done, len(unsure))

    follow.stage("those that no test killed, once more")
    again = try_again(lesson, unsure, [outcomes[each.id] for each in unsure], jobs, count)
    return dict(zip([each.id for each in unsure], again, strict=True))


def _unsure(outcomes: Outcomes) -> bool:
    alive = outcomes.ending is Ending.COMPLETED and not outcomes.killed_by
    # What no test executes cannot make one fail.
    return outcomes.ending is Ending.UNFIT or (alive and bool(outcomes.reached_by))


def _notices(lesson: Lesson, killers: dict[str, tuple[str, ...]]) -> list[str]:
    from grader.author.trials import function_name  # noqa: PLC0415 - one name

    wrong = [
        fault.id
        for fault in lesson.faults
        if fault.id in killers and {function_name(test) for test in killers[fault.id]} != set(fault.caught_by)
    ]
    if not wrong:
        return []
    names = ", ".join(wrong)
    return [f"{names}: other tests kill it here than `caught_by` says; `ol mutants verify` looks into it."]
