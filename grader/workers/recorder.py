"""The pytest plugin of a run: turns what happens into records.

It builds its own small reports: pytest's tracebacks with source lines cost more than most tests, and a learner's
feedback needs the exception and the line of the learner's own frame.
"""

from __future__ import annotations

import os
import re
import unittest
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.nodes import Directory
from _pytest.outcomes import Exit
from _pytest.reports import TestReport
from _pytest.subtests import SubtestReport

from grader.workers.wire import (
    MAX_TEXT,
    Finished,
    LoadEnding,
    Loading,
    NotLoaded,
    Outcome,
    Record,
    frame,
)

if TYPE_CHECKING:
    from collections.abc import Generator

    from _pytest._code import ExceptionInfo
    from _pytest.nodes import Collector, Item
    from _pytest.reports import CollectReport
    from _pytest.runner import CallInfo

    from grader.workers.suite import Suite

# Of the phases of one test (and its subtests), the worst says how it ended.
_WORST_FIRST = (
    Outcome.OUT_OF_MEMORY,
    Outcome.FAILED,
    Outcome.ERROR,
    Outcome.XPASSED_STRICT,
    Outcome.XFAILED,
    Outcome.XPASSED,
    Outcome.SKIPPED,
    Outcome.PASSED,
)
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}")
_CUT = " […] "


class Recorder:
    """Sends a record for each file that is loaded and each test that ends.

    Attributes:
        channel: the descriptor to write to; set in the run, after the fork.
        temp: the run's own folder, masked in messages.
        own_modules: files of the learner's own module, if it is what runs: their lines may be named.
    """

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self.channel = -1
        self.temp = ""
        self.own_modules: frozenset[str] = frozenset()
        self._phases: list[tuple[Outcome, str, str]] = []
        self._held = b""
        self._write = os.write
        self._encode = frame

    def send(self, record: Record) -> None:
        """Write one record, whole, and what was held back before it."""
        data = memoryview(self._held + self._encode(record))
        self._held = b""
        while data:
            data = data[self._write(self.channel, data) :]

    def loading(self, path: str) -> None:
        """A file of the suite is about to run."""
        self.send(Loading(path))

    # collection

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: Collector
    ) -> Generator[None, CollectReport, CollectReport]:
        """A file or folder that gives no tests is a record; the rest of the collection goes on."""
        try:
            report = yield
        except (SystemExit, KeyboardInterrupt, Exit) as exiting:
            self._not_loaded(collector, LoadEnding.EXITED, exiting)
            return pytest.CollectReport(collector.id, "failed", "exited", [])
        call = getattr(report, "call", None)
        if call is not None and call.excinfo is not None:
            error = call.excinfo.value
            self._not_loaded(collector, _load_ending(report, error), error)
        return report

    def _not_loaded(self, collector: Collector, ending: LoadEnding, error: BaseException) -> None:
        cause = _root_cause(error)
        name = collector.path.relative_to(self._suite.root).as_posix()
        if isinstance(collector, Directory):
            name = f"{name}/conftest.py".removeprefix("./")
        self.send(NotLoaded(name, ending, self._message(cause), self._where(cause)))

    # tests

    def pytest_runtest_makereport(self, item: Item, call: CallInfo[None]) -> TestReport:
        """A small report in place of pytest's; plugins that know skip and xfail still put their marks on it."""
        outcome, message, where = "passed", "", ""
        if call.excinfo is not None:
            error = call.excinfo.value
            outcome = "skipped" if _is_skip(error) else "failed"
            message, where = self._message(error), self._where(error)
        extra: dict[str, Any] = {"where": where, "raised": _kind(call.excinfo)}
        return TestReport(
            item.id,
            item.location,
            {},
            outcome,  # type: ignore[arg-type]  # a literal
            message or None,
            call.when,  # type: ignore[arg-type]  # never "collect" here
            duration=call.duration,
            start=call.start,
            stop=call.stop,
            **extra,
        )

    def pytest_runtest_logreport(self, report: TestReport) -> None:
        """Remember a phase or subtest of the test that runs."""
        outcome = _outcome(report)
        if isinstance(report, SubtestReport) and outcome not in _FAILURES:
            return
        self._phases.append((outcome, str(report.longrepr or ""), getattr(report, "where", "")))

    def finish(self, index: int) -> None:
        """The test with this index ended: its worst phase is its outcome. Sent with the record that comes next."""
        phases, self._phases = self._phases, []
        worst = min(phases, key=lambda phase: _WORST_FIRST.index(phase[0]), default=(Outcome.ERROR, "", ""))
        self._held += self._encode(Finished(index, *worst))

    # texts

    def _message(self, error: BaseException) -> str:
        try:
            text = str(error)
        except BaseException:  # noqa: BLE001 - a learner's __str__ may do anything
            text = "(its text could not be made)"
        name = type(error).__name__
        plain = (
            text
            if name == "AssertionError" and text.startswith("assert ")
            else f"{name}: {text}".rstrip(": ")
        )
        return self.masked(plain)

    def masked(self, text: str) -> str:
        """`text` without what differs from run to run, cut in the middle to its allowed length."""
        head = text[: 2 * MAX_TEXT] if len(text) > 2 * MAX_TEXT else text
        tail = text[-MAX_TEXT:] if len(text) > 2 * MAX_TEXT else ""
        whole = head + tail
        whole = whole.replace(f"{self._suite.root}/", "")
        if self.temp:
            # The run's own folder, that of the submission, and that of the grading.
            home = self.temp.rpartition("/")[0]
            for folder in (self.temp, home, home.rpartition("/")[0]):
                whole = whole.replace(folder, "…")
        whole = _ADDRESS.sub("0x…", whole)
        whole = whole.encode("utf-8", "backslashreplace").decode("utf-8")
        if len(whole) <= MAX_TEXT:
            return whole
        half = (MAX_TEXT - len(_CUT)) // 2
        return whole[:half] + _CUT + whole[-half:]

    def _where(self, error: BaseException) -> str:
        """The innermost line of the suite, or of the learner's own module, in the traceback: `file:line`."""
        found = ""
        step = error.__traceback__
        while step is not None:
            file = step.tb_frame.f_code.co_filename
            path = file if file in self.own_modules else self._suite.path_of(file)
            if path is not None:
                found = f"{path}:{step.tb_lineno}"
            step = step.tb_next
        return found


_FAILURES = frozenset({Outcome.FAILED, Outcome.ERROR, Outcome.OUT_OF_MEMORY})


def _root_cause(error: BaseException) -> BaseException:
    """What a file raised, without what pytest wraps around it."""
    while type(error).__module__.partition(".")[0] == "_pytest" and error.__cause__ is not None:
        error = error.__cause__
    return error


def _is_skip(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return error.split(pytest.skip.Exception)[1] is None
    return isinstance(error, pytest.skip.Exception | unittest.SkipTest)


def _kind(excinfo: ExceptionInfo[BaseException] | None) -> str:
    if excinfo is None:
        return "nothing"
    return "memory" if isinstance(excinfo.value, MemoryError) else "exception"


def _load_ending(report: CollectReport, error: BaseException) -> LoadEnding:
    cause = _root_cause(error)
    if report.skipped:
        return LoadEnding.SKIPPED
    if isinstance(cause, MemoryError):
        return LoadEnding.OUT_OF_MEMORY
    return (
        LoadEnding.EXITED if isinstance(cause, SystemExit | KeyboardInterrupt | Exit) else LoadEnding.RAISED
    )


def _outcome(report: TestReport) -> Outcome:
    expected = hasattr(report, "wasxfail")
    if report.skipped:
        return Outcome.XFAILED if expected else Outcome.SKIPPED
    if report.passed:
        return Outcome.XPASSED if expected else Outcome.PASSED
    return _failure(report)


def _failure(report: TestReport) -> Outcome:
    raised = getattr(report, "raised", "exception")
    if raised == "memory":
        return Outcome.OUT_OF_MEMORY
    unexpected = str(report.longrepr).startswith(("[XPASS(strict)]", "Failed: Unexpected success"))
    if report.when == "call" and (raised == "nothing" or unexpected):
        return Outcome.XPASSED_STRICT
    return Outcome.FAILED if report.when == "call" else Outcome.ERROR
