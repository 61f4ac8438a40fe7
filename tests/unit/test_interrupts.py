"""Signals that ask a command to end: answered once, and again when the first answer was lost."""

from __future__ import annotations

import signal

import pytest

from grader import interrupts
from grader.interrupts import PATIENCE, Interrupted


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that the monotonic clock shows."""
    now = [100.0]
    monkeypatch.setattr("grader.interrupts.time.monotonic", lambda: now[0])
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever started the tests may have it ignored
    interrupts.install()
    return now


@pytest.mark.parametrize("number", interrupts.INTERRUPTS)
def test_the_first_signal_ends_the_command(clock: list[float], number: signal.Signals) -> None:
    with pytest.raises(Interrupted):
        signal.raise_signal(number)


def test_the_ending_is_not_interrupted(clock: list[float]) -> None:
    with pytest.raises(Interrupted):
        signal.raise_signal(signal.SIGINT)
    clock[0] += PATIENCE / 2
    signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGTERM)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_signal_whose_answer_was_lost_is_answered_by_the_next(clock: list[float]) -> None:
    class Loses:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    Loses()
    clock[0] += PATIENCE
    with pytest.raises(Interrupted):
        signal.raise_signal(signal.SIGINT)


def test_what_is_held_waits_for_its_end(clock: list[float]) -> None:
    done = []
    with pytest.raises(Interrupted), interrupts.held():  # noqa: PT012 - it is raised at the end of the block
        signal.raise_signal(signal.SIGTERM)
        done.append("all of it")
    assert done == ["all of it"]
