"""One run of a suite on a program: how it ended and what each test did.

Built record by record from what the run says; a record that does not fit what came before makes it malformed.
"""

from __future__ import annotations

import enum
import os
import signal
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from grader.workers import wire
from grader.workers.wire import LoadEnding, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class Ending(enum.StrEnum):
    """How a run ended, as far as it matters for a verdict."""

    COMPLETED = "completed"
    STOPPED = "stopped"  # by the grader, which had seen enough
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASHED = "crashed"  # a signal, or records that make no sense
    EXITED = "exited"  # it ended itself before all tests had run


CUT_SHORT = frozenset({Ending.TIMEOUT, Ending.MEMORY, Ending.CRASHED, Ending.EXITED})
FAILURES = frozenset({Outcome.FAILED, Outcome.ERROR})


@dataclass(frozen=True, slots=True)
class TestResult:
    """How one test ended; `where` is `file:line` in the suite, or empty."""

    __test__ = False  # no test, whatever pytest thinks of the name

    outcome: Outcome
    message: str = ""
    where: str = ""

    @property
    def failed(self) -> bool:
        """Failed or error: what can show a fault."""
        return self.outcome in FAILURES

    @property
    def rejects(self) -> bool:
        """What a correct program must not meet: a failure, or a strict xpass."""
        return self.failed or self.outcome is Outcome.XPASSED_STRICT


@dataclass(frozen=True, slots=True)
class LoadFailure:
    """A test file that gave no tests."""

    ending: LoadEnding
    message: str
    where: str


@dataclass(frozen=True)
class RunResult:
    """What is known of one run.

    Attributes:
        tests: node ids in collection order; empty when the collection did not end.
        results: node id → result, for the tests that ended.
        load_failures: test file → why it gave no tests.
        ending: how the run ended.
        detail: one sentence about an ending that is not as it should be; no full stop.
        current: the test that ran, or else the file that was loaded, when the run ended.
        seconds: wall-clock time.
        draws: unseeded draws of randomness that were counted.
    """

    tests: tuple[str, ...]
    results: Mapping[str, TestResult]
    load_failures: Mapping[str, LoadFailure]
    ending: Ending
    detail: str
    current: str
    seconds: float
    draws: int

    def failed(self) -> list[str]:
        """Node ids that failed, in collection order."""
        return [test for test in self.tests if test in self.results and self.results[test].failed]

    def rejecting(self) -> list[str]:
        """Node ids that a correct program must not show, in collection order."""
        return [test for test in self.tests if test in self.results and self.results[test].rejects]

    def passed(self) -> set[str]:
        """Node ids that passed."""
        return {test for test, result in self.results.items() if result.outcome is Outcome.PASSED}

    def files_that_raised(self) -> list[str]:
        """Test files that raised while loading."""
        return [file for file, failure in self.load_failures.items() if failure.ending is LoadEnding.RAISED]


def with_failures_of(cut_short: RunResult, repeat: RunResult) -> RunResult:
    """The repeat of a run that was cut short, with what failed in that run: no later ending takes a failure back."""
    results = dict(repeat.results) | {test: cut_short.results[test] for test in cut_short.rejecting()}
    failures = dict(cut_short.load_failures) | dict(repeat.load_failures)
    tests = tuple(dict.fromkeys((*repeat.tests, *cut_short.tests)))
    return replace(repeat, tests=tests, results=results, load_failures=failures)


@dataclass
class Transcript:
    """The records of a run, in the order in which they came.

    Attributes:
        test_files: the suite's test files; a conftest that fails counts as the test files below its folder.
    """

    test_files: Sequence[str]
    tests: list[str] = field(default_factory=list)
    results: dict[str, TestResult] = field(default_factory=dict)
    load_failures: dict[str, LoadFailure] = field(default_factory=dict)
    collected: bool = False
    ended: wire.Ended | None = None
    broken: str = ""
    malformed: str = ""
    suite_began: bool = False  # whether any code of the suite had a chance to run
    any_failed: bool = False  # whether a test failed so far
    _running: int | None = None
    _loading: str = ""
    _done: set[int] = field(default_factory=set)

    def add(self, record: wire.Said) -> None:
        """Take one record in.

        Raises:
            wire.Malformed: it does not fit what came before.
        """
        if self.ended is not None or self.broken:
            raise wire.Malformed("a record after the last one")
        self._takers[type(record)](self, record)

    def _add_loading(self, record: wire.Loading) -> None:
        self.suite_began = True
        if not self.collected:
            self._loading = record.file

    def _add_broken(self, record: wire.Broken | wire.Trouble) -> None:
        self.broken = record.message or "it broke off"

    def _add_not_loaded(self, record: wire.NotLoaded) -> None:
        if self.collected:
            raise wire.Malformed("a file that is loaded after the collection")
        for file in _test_files_of(record.file, self.test_files):
            self.load_failures[file] = LoadFailure(record.ending, record.message, record.where)

    def _add_collected(self, record: wire.Collected) -> None:
        if self.collected or len(self.tests) + len(record.tests) > wire.MAX_TESTS:
            raise wire.Malformed("tests after the end of the collection, or too many")
        self.tests += record.tests
        self.collected = record.last

    def _add_started(self, record: wire.Started) -> None:
        test = record.test
        if (
            not self.collected
            or self._running is not None
            or not 0 <= test < len(self.tests)
            or test in self._done
        ):
            raise wire.Malformed("a test that cannot start now")
        self._running = test

    def _add_finished(self, record: wire.Finished) -> None:
        if record.test != self._running:
            raise wire.Malformed("a test that ends without a start")
        self._running = None
        self._done.add(record.test)
        name = self.tests[record.test]
        before = self.results.get(name)
        self.any_failed |= record.outcome in FAILURES
        if before is None or before.outcome is Outcome.PASSED:
            self.results[name] = TestResult(record.outcome, record.message, record.where)

    def _add_ended(self, record: wire.Ended) -> None:
        if not self.collected or self._running is not None:
            raise wire.Malformed("an end in the middle of a test")
        self.ended = record

    _takers: ClassVar[dict[type, Callable[[Transcript, Any], None]]] = {
        wire.Loading: _add_loading,
        wire.NotLoaded: _add_not_loaded,
        wire.Collected: _add_collected,
        wire.Started: _add_started,
        wire.Finished: _add_finished,
        wire.Broken: _add_broken,
        wire.Trouble: _add_broken,
        wire.Ended: _add_ended,
    }

    @property
    def current(self) -> str:
        """What ran last, by name; empty when nothing was under way."""
        if self._running is not None:
            return self.tests[self._running]
        return "" if self.collected else self._loading

    def out_of_memory(self) -> bool:
        """Whether a test or a file met the memory limit."""
        return any(result.outcome is Outcome.OUT_OF_MEMORY for result in self.results.values()) or any(
            failure.ending is LoadEnding.OUT_OF_MEMORY for failure in self.load_failures.values()
        )


def _test_files_of(file: str, test_files: Sequence[str]) -> list[str]:
    folder, slash, name = file.rpartition("/")
    if name != "conftest.py":
        return [file]
    return [test for test in test_files if test.startswith(folder + slash)]


@dataclass(frozen=True, slots=True)
class Exit:
    """How the run's process ended: what the operating system and the grader's own clock say.

    Attributes:
        status: as of waitpid(2).
        stopped: the grader ended it, having seen enough.
        timed_out: the grader ended it at its deadline.
    """

    status: int
    seconds: float
    stopped: bool = False
    timed_out: bool = False


def conclude(transcript: Transcript, process: Exit) -> RunResult:
    """Put what the run said and how its process ended together. Total: every combination has one ending."""
    ending, detail = _ending(transcript, process)
    return RunResult(
        tests=tuple(dict.fromkeys(transcript.tests)) if transcript.collected else (),
        results=dict(transcript.results),
        load_failures=dict(transcript.load_failures),
        ending=ending,
        detail=detail,
        current=transcript.current,
        seconds=process.seconds,
        draws=transcript.ended.draws if transcript.ended else 0,
    )


def _ending(transcript: Transcript, process: Exit) -> tuple[Ending, str]:
    if process.stopped:
        return Ending.STOPPED, ""
    if process.timed_out:
        return Ending.TIMEOUT, _with_place("it had not ended at its time limit", transcript)
    if transcript.malformed:
        return Ending.CRASHED, f"its records make no sense ({transcript.malformed})"
    if transcript.out_of_memory():
        return Ending.MEMORY, "it met the memory limit"
    if transcript.ended is not None:
        return Ending.COMPLETED, ""
    return _early_end(transcript, process)


def _early_end(transcript: Transcript, process: Exit) -> tuple[Ending, str]:
    if transcript.broken:
        return Ending.EXITED, _with_place(f"it broke off: {transcript.broken}", transcript)
    if os.WIFSIGNALED(process.status):
        number = os.WTERMSIG(process.status)
        if number == signal.SIGXFSZ:
            return Ending.CRASHED, _with_place("it wrote more to disk than a run may", transcript)
        if number == signal.SIGXCPU:
            return Ending.TIMEOUT, _with_place("it used up its CPU time", transcript)
        return Ending.CRASHED, _with_place(f"the process was ended by {_signal_name(number)}", transcript)
    code = os.waitstatus_to_exitcode(process.status)
    return Ending.EXITED, _with_place(f"the process ended itself with exit code {code}", transcript)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _with_place(text: str, transcript: Transcript) -> str:
    if not transcript.current:
        return text
    doing = "in" if transcript.collected else "while loading"
    return f"{text}, {doing} {transcript.current}"
