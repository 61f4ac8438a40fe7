"""Ends what does not end, from inside: looks at regular intervals whether it is still the same run that goes on.

A signal for each run would cost more than most runs do.
"""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

TICK = 0.1  # seconds between two looks
CPU_SECONDS = 0.5  # of one run, which should take a thousandth of it
WALL_SECONDS = 5.0  # for one that waits


class Endless(BaseException):
    """A run has used up its time."""


class Watchdog:
    """Watches the runs of this process, one after the other."""

    def __init__(self) -> None:
        self._run = 0
        self._watching = False
        self._seen = -1
        self._cpu = self._wall = 0.0
        signal.signal(signal.SIGALRM, self._look)
        signal.setitimer(signal.ITIMER_REAL, TICK, TICK)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Raise `Endless` in what takes too long; nothing that swallows every exception can be ended so."""
        self._run += 1
        self._watching = True
        try:
            yield
        finally:
            self._watching = False

    def _look(self, _signal: int, _frame: FrameType | None) -> None:
        if not self._watching:
            return
        if self._seen != self._run:
            self._seen, self._cpu, self._wall = self._run, time.process_time(), time.monotonic()
        elif time.process_time() - self._cpu > CPU_SECONDS or time.monotonic() - self._wall > WALL_SECONDS:
            raise Endless
