"""Signals that ask the command to end: answered once, and never in the middle of what could not be cleaned up."""

from __future__ import annotations

import math
import signal
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE = 5.0  # seconds in which the ending that follows a signal is not interrupted by another one


class Interrupted(BaseException):
    """A signal asked us to end. No `KeyboardInterrupt`, which click would answer with a line of its own."""


def install() -> None:
    """Raise `Interrupted` when one of these signals comes; a SIGHUP that is ignored stays so, as nohup asks for."""
    _raised.clear()
    for number in INTERRUPTS:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupt)


_raised: list[float] = []  # when a signal was answered, on the monotonic clock


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    # Once is enough: the ending that follows must not be interrupted. But what is raised can be lost (Python ignores
    # what a finalizer raises), and then the next signal has to count.
    now = time.monotonic()
    if now >= max(_raised, default=-math.inf) + PATIENCE:
        _raised.append(now)
        raise Interrupted


def ignore() -> None:
    """The answer has arrived: nothing more is to be ended, and an interpreter that shuts down must not die of a signal."""
    for number in INTERRUPTS:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def held() -> Iterator[None]:
    """Let SIGINT and SIGTERM wait: what is half started, or half ended, could not be cleaned up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    handlers = {
        number: signal.signal(number, lambda number, _frame: came.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])
