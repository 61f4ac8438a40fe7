"""How far a batch has come: counts, and the sentences that tell them."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Protocol

from grader.report_parts import STATUS_CODES
from grader.texts import count


class Follower(Protocol):
    """Follows a batch while it goes on."""

    def update(self, tally: Tally) -> None:
        """Another submission is done."""


class Nobody:
    """Follows nothing."""

    def update(self, tally: Tally) -> None:
        """Nothing."""


@dataclass
class Tally:
    """Counts of one run of `ol grade`.

    Attributes:
        total: submissions there are.
        known: those that were graded before.
        by_status: those that were graded in this run, by status.
        begun: when the run began, on the monotonic clock.
    """

    total: int
    known: int = 0
    by_status: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STATUS_CODES, 0))
    begun: float = field(default_factory=time.monotonic)

    @property
    def made(self) -> int:
        """Submissions that this run came to an end with, those in error included."""
        return sum(self.by_status.values())

    @property
    def done(self) -> int:
        """Submissions that need nothing more."""
        return self.known + self.made

    @property
    def errors(self) -> int:
        """Submissions that could not be graded, through no fault of theirs."""
        return self.by_status["error"]

    @property
    def seconds(self) -> float:
        """Since the run began."""
        return time.monotonic() - self.begun

    @property
    def rate(self) -> float:
        """Submissions a second; 0 where nothing is done yet."""
        return self.made / max(self.seconds, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        """At this rate; None: not known yet."""
        return (self.total - self.done) / self.rate if self.made else None

    def counts(self) -> str:
        """`12 passed, 3 failed`, without what is none."""
        told = [f"{number} {self._word(status)}" for status, number in self.by_status.items() if number]
        return ", ".join(told)

    @staticmethod
    def _word(status: str) -> str:
        return "in error" if status == "error" else status

    def line(self) -> str:
        """Where the run stands, in one line: count, rate, time left, and what came of it."""
        left = self.seconds_left
        told = [f"{self.done} of {self.total}"]
        if left is not None:
            told += [f"{self.rate:.1f}/s", f"{duration(left)} left", self.counts()]
        return " · ".join(told)

    def summary(self) -> str:
        """What the whole run did, in one line; every count is told."""
        counts = ", ".join(f"{number} {self._word(status)}" for status, number in self.by_status.items())
        known = f"; {self.known} were already known" if self.known else ""
        return f"{count(self.made, 'submission')} graded: {counts}{known}."


def duration(seconds: float) -> str:
    """`0:05`, `12:30`, `1:02:03`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
