"""What the course tests make of each candidate: quickly on the workbench, and once more as a grading would where it counts."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.author.candidates.probes import alike
from grader.author.candidates.records import Ending
from grader.author.candidates.runner import Attempt
from grader.author.trials import Outcome, course_trials
from grader.lesson import fault_source
from grader.run import CUT_SHORT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from grader.author.candidates.model import Candidate
    from grader.author.candidates.records import Tried, Value
    from grader.author.candidates.runner import Workbench
    from grader.author.trials import Tried as Retried
    from grader.lesson import Lesson


@dataclass(frozen=True)
class Outcomes:
    """What became of one program.

    Attributes:
        ending: how its process ended.
        detail: one sentence about an ending that is not as it should be.
        killed_by: node ids, in collection order.
        inside: those of them in which the program itself raised.
        reached_by: node ids of the tests that execute what it changes.
    """

    ending: Ending
    detail: str
    killed_by: tuple[str, ...]
    inside: frozenset[str] = frozenset()
    reached_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trial:
    """The candidates of a lesson beside its faults.

    Attributes:
        tests: node ids of the course tests, in collection order.
        outcomes: of each candidate, in the order in which they were given.
        faults: fault's id → node ids of the tests that kill it.
        twins: candidate's index → the fault that gives the same value for every witness and dies by the same tests.
        seconds: that the course tests took on all candidates.
    """

    tests: tuple[str, ...]
    outcomes: list[Outcomes]
    faults: dict[str, tuple[str, ...]]
    twins: dict[int, str]
    seconds: float


def try_all(
    bench: Workbench, lesson: Lesson, candidates: Sequence[Candidate], on_done: Callable[[int, int], None]
) -> Trial:
    """Every course test that can tell on every candidate, and on the faults.

    Args:
        bench: of the lesson.
        lesson: whose course tests.
        candidates: to try.
        on_done: hears how many candidates are done, of how many.

    Raises:
        LessonError: the course tests do not pass on the reference.
        HarnessError: a process of ours is gone.
    """
    tests = tuple(bench.ready.tests)
    faults = _try_faults(bench, lesson)
    attempts = attempts_of(bench, candidates)
    begun = time.monotonic()
    tried = bench.run(attempts, on_done)
    return Trial(
        tests,
        [_outcomes(each, attempt, tests) for each, attempt in zip(tried, attempts, strict=True)],
        {name: _names(each, tests) for name, each in faults.items()},
        seconds=time.monotonic() - begun,
        twins=_twins(bench, candidates, tried, faults),
    )


def _try_faults(bench: Workbench, lesson: Lesson) -> dict[str, Tried]:
    """Fault's id → what became of it, for the faults in the module that candidates change."""
    sources = {fault.id: fault_source(lesson, fault).get(lesson.module_file, "") for fault in lesson.faults}
    own = {name: source for name, source in sources.items() if source}
    everything = range(len(bench.ready.tests))
    tried = bench.run([Attempt(source, everything, probe=True) for source in own.values()])
    return dict(zip(own, tried, strict=True))


def _twins(
    bench: Workbench, candidates: Sequence[Candidate], tried: Sequence[Tried], faults: dict[str, Tried]
) -> dict[int, str]:
    """Candidate's index → the fault that behaves like it; values are compared only where the tests are the same."""
    vectors = {_vector(each) for each in faults.values()}
    like = [index for index, each in enumerate(tried) if each.failures and _vector(each) in vectors]
    probed = bench.run([Attempt(candidates[index].source, (), probe=True) for index in like])
    found = {
        index: _twin(tried[index], each.probes, faults) for index, each in zip(like, probed, strict=True)
    }
    return {index: name for index, name in found.items() if name}


def attempts_of(bench: Workbench, candidates: Sequence[Candidate]) -> list[Attempt]:
    """Each candidate with the tests that execute what it changes."""
    reach = _Reach(bench.ready.tests, bench.ready.reached)
    return [Attempt(each.source, reach.of(each)) for each in candidates]


def try_again(
    lesson: Lesson,
    candidates: Sequence[Candidate],
    before: Sequence[Outcomes],
    jobs: int,
    on_done: Callable[[], None],
) -> list[Outcomes]:
    """The same in runs as a grading makes them: every test, everything imported anew, in the sandbox."""
    with course_trials(lesson, jobs=jobs) as trials:
        programs = [trials.program(each.id, {each.file: each.source}) for each in candidates]
        tried = trials.run_all(programs, on_done=lambda _tried: on_done())
    return [_from_trials(each, earlier) for each, earlier in zip(tried, before, strict=True)]


class _Reach:
    """Which tests execute which lines."""

    def __init__(self, tests: Sequence[str], reached: Iterable[Sequence[int]]) -> None:
        self._all = tuple(range(len(tests)))
        self._reached = [frozenset(lines) for lines in reached]

    def of(self, candidate: Candidate) -> tuple[int, ...]:
        """Indices of the tests that can tell a candidate from the reference."""
        if not candidate.lines:
            return self._all
        lines = frozenset(candidate.lines)
        return tuple(index for index in self._all if lines & self._reached[index])


def _vector(tried: Tried) -> tuple[int, ...]:
    return tuple(sorted(failure.test for failure in tried.failures))


def _names(tried: Tried, tests: Sequence[str]) -> tuple[str, ...]:
    return tuple(tests[index] for index in _vector(tried))


def _outcomes(tried: Tried, attempt: Attempt, tests: Sequence[str]) -> Outcomes:
    return Outcomes(
        tried.ending,
        tried.detail,
        _names(tried, tests),
        frozenset(tests[failure.test] for failure in tried.failures if failure.inside),
        tuple(tests[index] for index in attempt.tests),
    )


def _twin(tried: Tried, values: Sequence[Value], faults: dict[str, Tried]) -> str:
    return next(
        (
            name
            for name, fault in faults.items()
            if _vector(fault) == _vector(tried) and fault.probes and alike(fault.probes, values)
        ),
        "",
    )


_ENDINGS = {Outcome.TIMEOUT: Ending.TIMEOUT, Outcome.CRASHED: Ending.CRASHED}


def _from_trials(tried: Retried, before: Outcomes) -> Outcomes:
    if not tried.loads:
        return Outcomes(Ending.NOT_IMPORTED, next(iter(tried.messages.values()), ""), ())
    bad = next((each for each in tried.outcomes.values() if each in _ENDINGS), None)
    ending = _ENDINGS[bad] if bad else Ending.COMPLETED
    detail = tried.detail if tried.ending in CUT_SHORT else ""
    return Outcomes(ending, detail, tried.killers, reached_by=before.reached_by)
