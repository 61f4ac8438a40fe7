"""The workbench's children: forked, followed, ended at their deadline, and believed only when all went well.

Candidates that share a process and do not come out of it in order, one and all, are tried again, each by itself.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.author.candidates.attempt import attempt
from grader.author.candidates.records import Closed, Ending, Failure, Said, Tried, unframed
from grader.workers import limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.author.candidates.bench import Bench
    from grader.author.candidates.records import Channel, Try

TOGETHER = 10  # candidates that share a process
WALL = 10  # seconds on the clock for one of CPU that a candidate may use: a machine may be busy
CHUNK = 1 << 16


@dataclass
class Child:
    """A process that tries candidates; `deadline` moves with every word that it says."""

    jobs: list[Try]
    pid: int
    pipe: int
    deadline: float
    data: bytearray = field(default_factory=bytearray)

    @property
    def alone(self) -> bool:
        """Whether it tries one candidate, which shares it with nobody."""
        return len(self.jobs) == 1


class Children:
    """Some processes at a time, until the command closes its end.

    Args:
        channel: the command.
        bench: what is forked.
        most: processes at a time.
    """

    def __init__(self, channel: Channel[Try], bench: Bench, most: int) -> None:
        self._channel = channel
        self._bench = bench
        self._most = most
        self._waiting: deque[Try] = deque()
        self._again: deque[Try] = deque()
        self._running: dict[int, Child] = {}
        self._poll = select.poll()
        self._poll.register(channel.sock, select.POLLIN)

    def serve(self) -> None:
        """Until the other side closes."""
        while True:
            while (self._waiting or self._again) and len(self._running) < self._most:
                self._start(self._next())
            for descriptor, _event in self._poll.poll(self._patience()):
                if descriptor != self._channel.sock.fileno():
                    self._hear(self._running[descriptor])
                elif not self._take():
                    return
            for child in [each for each in self._running.values() if each.deadline < time.monotonic()]:
                os.kill(child.pid, signal.SIGKILL)
                self._end(child, timed_out=True)

    def _take(self) -> bool:
        """The candidate that comes in; False: none comes any more."""
        try:
            self._waiting.append(self._channel.receive())
        except EOFError:
            return False
        return True

    def _next(self) -> list[Try]:
        if self._again:
            return [self._again.popleft()]
        # What is left is shared out evenly, so that at the end no process works while another has nothing to do.
        share = min(TOGETHER, -(-len(self._waiting) // self._most))
        return [self._waiting.popleft() for _ in range(share)]

    def _patience(self) -> float | None:
        if not self._running:
            return None
        soonest = min(child.deadline for child in self._running.values())
        return max(0.0, 1000 * (soonest - time.monotonic()))

    def _later(self) -> float:
        return time.monotonic() + WALL * self._bench.seconds

    def _start(self, jobs: list[Try]) -> None:
        ours, theirs = os.pipe()
        bench = os.getpid()
        pid = os.fork()
        if pid == 0:
            limits.die_with(bench)
            attempt(self._bench, jobs, theirs)
        os.close(theirs)
        self._running[ours] = Child(jobs, pid, ours, self._later())
        self._poll.register(ours, select.POLLIN)

    def _hear(self, child: Child) -> None:
        data = os.read(child.pipe, CHUNK)
        child.data += data
        child.deadline = self._later()
        if not data:
            self._end(child)

    def _end(self, child: Child, *, timed_out: bool = False) -> None:
        self._poll.unregister(child.pipe)
        os.close(child.pipe)
        del self._running[child.pipe]
        _pid, status = os.waitpid(child.pid, 0)
        told = unframed(bytes(child.data))
        if child.alone or Closed(sound=True) in told:
            for tried in _concluded(child.jobs, told, status, timed_out=timed_out):
                self._channel.send(tried)
        else:
            self._again.extend(child.jobs)


def _concluded(
    jobs: Sequence[Try], told: Sequence[Failure | Said | Closed], status: int, *, timed_out: bool
) -> Iterator[Tried]:
    """What candidates said, and how their process ended, as one record each."""
    for job in jobs:
        failures = [each for each in told if isinstance(each, Failure) and each.key == job.key]
        last = next((each for each in told if isinstance(each, Said) and each.key == job.key), None)
        if last is None:
            last = Said(job.key, *_cut_short(status, timed_out=timed_out), [])
        yield Tried(job.key, last.ending, last.detail, failures, last.probes)


def _cut_short(status: int, *, timed_out: bool) -> tuple[Ending, str]:
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if timed_out or number == signal.SIGPROF:
        return Ending.TIMEOUT, "it had not ended at its time limit"
    if number:
        return Ending.CRASHED, f"its process was ended by {signal.Signals(number).name}"
    return Ending.CRASHED, f"its process ended itself with exit code {os.waitstatus_to_exitcode(status)}"
