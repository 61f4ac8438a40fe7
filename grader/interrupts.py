"""Signals that ask the command to end: answered once, and never in the middle of what could not be cleaned up."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """A signal asked us to end. No `KeyboardInterrupt`, which click would answer with a line of its own."""


def install() -> None:
    """Raise `Interrupted` when one of these signals comes; a SIGHUP that is ignored stays so, as nohup asks for."""
    for number in INTERRUPTS:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupt)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    # Once is enough: the ending that follows must not be interrupted again.
    for number in INTERRUPTS:
        signal.signal(number, signal.SIG_IGN)
    raise Interrupted


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
