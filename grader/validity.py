"""Whether a suite is sound: every correct program passes it, and it notices a program that does nothing."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.programs import Kind
from grader.run import Ending, LoadFailure, RunResult
from grader.workers.wire import LoadEnding, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.plan import Planned, Setting
    from grader.programs import Program
    from grader.runner import Runner


class ProblemKind(enum.StrEnum):
    """Why a suite is not sound."""

    REJECTS_REFERENCE = "rejects_reference"
    TOO_STRICT = "too_strict"
    FLAKY = "flaky"
    ORDER_DEPENDENT = "order_dependent"
    BLIND = "blind"
    NOTHING_RAN = "nothing_ran"
    DOES_NOT_LOAD = "does_not_load"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    MEMORY = "memory"
    POLICY = "policy"


@dataclass(frozen=True)
class Problem:
    """One reason why a suite is not sound.

    Attributes:
        kind: what is wrong.
        test: node id or file that shows it; empty when it is the suite as a whole.
        program: the kind of program that showed it.
        message: what happened and what to do, in sentences.
    """

    kind: ProblemKind
    test: str
    program: str
    message: str


ADVICE = {
    ProblemKind.REJECTS_REFERENCE: (
        "Here the test disagrees with the course's reference, so it is the test that is wrong: "
        "check its formula, its expected values and its tolerance."
    ),
    ProblemKind.TOO_STRICT: (
        "Another correct implementation gives something else here: test only what the contract promises, and "
        "compare numbers with a tolerance (numpy.testing.assert_allclose) that allows for float32 rounding."
    ),
    ProblemKind.FLAKY: "It passes or fails by chance on the same correct program: fix the seed of what it draws.",
    ProblemKind.ORDER_DEPENDENT: (
        "It passes in file order and fails in another: let it make its own data, and undo what other tests change."
    ),
    ProblemKind.DOES_NOT_LOAD: "Its tests cannot run until the file imports without an error.",
}

SEARCHED = "files named test_*.py or *_test.py, in them functions named test* and classes named Test*"


@dataclass(frozen=True)
class Observed:
    """A correct run that was made."""

    planned: Planned
    result: RunResult


@dataclass(frozen=True)
class Examination:
    """Looks into the failures on correct programs.

    Attributes:
        runner: makes the further runs that it takes.
        reference: the program that decides between a wrong test and one that is too strict.
        passed_once: tests that passed in some run of the reference.
    """

    runner: Runner
    reference: Program
    passed_once: set[str] = field(default_factory=set)

    def problems(self, runs: Sequence[Observed]) -> list[Problem]:
        """One problem for each test or file that failed on a correct program, in the order of the runs."""
        found: dict[str, Problem] = {}
        self.passed_once.update(
            *(run.result.passed() for run in runs if run.planned.program is self.reference)
        )
        for run in runs:
            new = [name for name in (*unloaded(run.result), *run.result.rejecting()) if name not in found]
            if new:
                found |= {problem.test: problem for problem in self._explain(run, new)}
        return list(found.values())

    def _explain(self, run: Observed, names: Sequence[str]) -> Iterable[Problem]:
        again = self.runner.run(run.planned.program, run.planned.setting)
        files = [name for name in names if name in run.result.load_failures]
        yield from (self._file_problem(run, again, file) for file in files)
        tests = [name for name in names if name not in run.result.load_failures]
        if tests:
            inquiry = _Inquiry(self, run, again)
            yield from (inquiry.problem(test) for test in tests)

    def _file_problem(self, run: Observed, again: RunResult, file: str) -> Problem:
        kind = ProblemKind.DOES_NOT_LOAD if file in unloaded(again) else ProblemKind.FLAKY
        return _problem(kind, file, run, _load_text(run.result.load_failures[file]))


@dataclass
class _Inquiry:
    """The further runs about the failing tests of one correct run; each is made at most once, and only if needed."""

    examination: Examination
    run: Observed
    again: RunResult

    def __post_init__(self) -> None:
        self._made: dict[str, list[RunResult]] = {}

    def problem(self, test: str) -> Problem:
        """Tell chance, order, a wrong test and too strict a test apart, in this order."""
        kind, shown_on = self._kind(test)
        run = self.run if shown_on is None else Observed(shown_on, self.run.result)
        return _problem(kind, test, run, _test_text(self.run.result, test))

    def _kind(self, test: str) -> tuple[ProblemKind, Planned | None]:
        setting = self.run.planned.setting
        if not _rejects(self.again, test) or any(
            _passes(run, test) for run in self._runs("seeds", *setting.with_other_seeds())
        ):
            return ProblemKind.FLAKY, None
        if _passes(self._runs("order", setting.in_collection_order())[0], test):
            return ProblemKind.ORDER_DEPENDENT, None
        if self.run.planned.program.kind is Kind.REFERENCE or _rejects(self._on_reference(), test):
            # It is not the order: if the reference passed it once, then that, or this, was chance.
            if test in self.examination.passed_once:
                return ProblemKind.FLAKY, None
            return ProblemKind.REJECTS_REFERENCE, self._reference_planned()
        return ProblemKind.TOO_STRICT, None

    def _runs(self, label: str, *settings: Setting) -> list[RunResult]:
        if label not in self._made:
            program = self.run.planned.program
            self._made[label] = [self.examination.runner.run(program, setting) for setting in settings]
        return self._made[label]

    def _on_reference(self) -> RunResult:
        if "reference" not in self._made:
            planned = self._reference_planned()
            self._made["reference"] = [self.examination.runner.run(planned.program, planned.setting)]
        return self._made["reference"][0]

    def _reference_planned(self) -> Planned:
        return type(self.run.planned)(self.examination.reference, self.run.planned.setting)


def _rejects(run: RunResult, test: str) -> bool:
    return test in run.results and run.results[test].rejects


def _passes(run: RunResult, test: str) -> bool:
    return test in run.results and run.results[test].outcome is Outcome.PASSED


def unloaded(run: RunResult) -> list[str]:
    """Test files that raised or exited while loading; one that skips itself did load."""
    return [file for file, failure in run.load_failures.items() if failure.ending is not LoadEnding.SKIPPED]


def _load_text(failure: LoadFailure) -> str:
    if failure.ending is LoadEnding.EXITED:
        return f"the file exits while it is imported ({failure.message}){_at(failure.where)}"
    return f"{failure.message}{_at(failure.where)}"


def _test_text(run: RunResult, test: str) -> str:
    result = run.results[test]
    message = result.message or "it passed where it says that it must fail (a strict xfail)"
    return f"{message}{_at(result.where)}"


def _at(where: str) -> str:
    return f" [{where}]" if where else ""


def _problem(kind: ProblemKind, name: str, run: Observed, text: str) -> Problem:
    return Problem(kind, name, run.planned.program.kind.value, f"{text}. {ADVICE[kind]}")


def flaky_problems(again: Observed) -> list[Problem]:
    """What fails in a correct run that had been made before, in the same setting, without a failure."""
    unloaded_files = unloaded(again.result)
    files = [(file, _load_text(again.result.load_failures[file])) for file in unloaded_files]
    tests = [(test, _test_text(again.result, test)) for test in again.result.rejecting()]
    return [_problem(ProblemKind.FLAKY, name, again, text) for name, text in (*files, *tests)]


# ------------------------------------------------------------------------- the suite as a whole


def ending_problem(run: Observed) -> Problem:
    """A correct run that was cut short, twice."""
    result = run.result
    kind = {Ending.TIMEOUT: ProblemKind.TIMEOUT, Ending.MEMORY: ProblemKind.MEMORY}.get(result.ending)
    if kind is None:
        loading = not result.tests and bool(result.current)
        kind = ProblemKind.DOES_NOT_LOAD if loading else ProblemKind.CRASHED
    place = result.current or _out_of_memory_in(result)
    return Problem(kind, place, run.planned.program.kind.value, f"{_ENDINGS[kind]}: {result.detail}.")


_ENDINGS = {
    ProblemKind.TIMEOUT: "Time limit on a correct program",
    ProblemKind.MEMORY: "Memory limit on a correct program",
    ProblemKind.DOES_NOT_LOAD: "The test file ends the process while it is imported",
    ProblemKind.CRASHED: "The process of a correct program did not get to its end",
}


def _out_of_memory_in(run: RunResult) -> str:
    return next((test for test, result in run.results.items() if result.outcome is Outcome.OUT_OF_MEMORY), "")


def noticed(on_reference: RunResult, on_canary: RunResult) -> bool:
    """Whether some test that passes on the reference does not pass on a program that does nothing but raise."""
    passed = on_reference.passed()
    if on_canary.ending is Ending.STOPPED:
        return any(test in passed for test in on_canary.results.keys() - on_canary.passed())
    return bool(passed - on_canary.passed())


BLIND = Problem(
    ProblemKind.BLIND,
    "",
    Kind.CANARY.value,
    "Every test passes on a module whose functions do nothing but raise: the tests never use what the module "
    "returns. Import the lesson's module, call it, and compare what it gives.",
)


def nothing_ran(runs: Sequence[RunResult], test_files: Sequence[str]) -> Problem:
    """Why no test passed in every correct run, though none failed."""
    outcomes = sorted({result.outcome.value for run in runs for result in run.results.values()})
    if not test_files:
        text = f"No test file was found; searched for: {SEARCHED}."
    elif not outcomes:
        text = f"No test was found in {', '.join(test_files)}; searched for: {SEARCHED}."
    else:
        text = f"No test passed on the correct programs; what there was: {', '.join(outcomes)}."
    return Problem(ProblemKind.NOTHING_RAN, "", Kind.REFERENCE.value, text)
