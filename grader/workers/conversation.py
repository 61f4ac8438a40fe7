"""One run, seen from the grader: hand over the program, follow what it says, end it when it is time.

The run's channel is a socket of its own. What it says is believed only as far as `Transcript` takes it; that it has
ended, only when its keeper says that nothing of it is left.
"""

from __future__ import annotations

import contextlib
import select
import socket
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.errors import HarnessError
from grader.run import Exit, RunResult, Transcript, conclude
from grader.workers import wire
from grader.workers.wire import Frames, Gone, Start, Stop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from grader.workers.wire import Link

MEMORY = 2 << 30  # bytes above what is mapped when a run starts
FILE_SIZE = 64 << 20  # bytes
CHUNK = 1 << 16
SEE_DEBUG = "run again with --debug and report what it prints"


class Cancelled(Exception):  # noqa: N818 - the grading was given up; no failure
    """The grading was given up while a run was under way."""


class KeeperGone(Exception):  # noqa: N818 - an event on the way; the pool deals with it
    """A keeper ended in the middle of a run."""


@dataclass(frozen=True)
class Job:
    """One run to be made.

    Attributes:
        run: program and setting, as they go to the run.
        deadline: wall-clock seconds.
        alone: nothing else may run at the same time.
        watch: called after each record; True ends the run, since enough has been seen.
    """

    run: wire.Run
    deadline: float
    alone: bool = False
    watch: Callable[[Transcript], bool] | None = None


@dataclass(eq=False)
class Slot:
    """One keeper, seen from the grader.

    Attributes:
        link: the socket to it.
        cancelled: whether the grading has been given up, so that its silence is no surprise.
    """

    link: Link
    cancelled: Callable[[], bool]

    def run(self, job: Job, test_files: Sequence[str]) -> RunResult:
        """Make one run and wait until nothing of it is left.

        Raises:
            KeeperGone: the keeper ended.
            Cancelled: the grading was given up.
        """
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                self._send(Start(MEMORY, _cpu_seconds(job.deadline), FILE_SIZE), theirs.fileno())
            begun = time.monotonic()
            _hand_over(ours, job.run)
            return _Conversation(self, ours, job, Transcript(test_files), begun).result()

    def _send(self, record: wire.Record, *descriptors: int) -> None:
        try:
            self.link.send(record, *descriptors)
        except OSError as error:
            raise Cancelled if self.cancelled() else KeeperGone from error

    def stop(self) -> None:
        """Have the run killed."""
        self._send(Stop())

    def gone(self) -> Gone:
        """Wait for the keeper's word that nothing of the run is left."""
        try:
            record, _none = self.link.receive(Gone)
        except (EOFError, OSError) as error:
            raise Cancelled if self.cancelled() else KeeperGone from error
        return record

    def abandon(self) -> None:
        """Let the keeper see the end of its socket, and whoever waits for its word wake up."""
        with contextlib.suppress(OSError):
            self.link.sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the socket; the keeper ends."""
        self.link.close()


def _cpu_seconds(deadline: float) -> int:
    return int(deadline) * 2 + 5


def _hand_over(channel: socket.socket, run: wire.Run) -> None:
    # A run that ended before it had read its program says so by its end.
    with contextlib.suppress(OSError):
        channel.sendall(wire.encode(run))
        channel.shutdown(socket.SHUT_WR)


@dataclass
class _Conversation:
    """What is said between the start of a run and its end."""

    slot: Slot
    channel: socket.socket
    job: Job
    transcript: Transcript
    begun: float
    frames: Frames = field(default_factory=Frames)
    stopped: bool = False
    timed_out: bool = False

    def result(self) -> RunResult:
        gone = self._follow()
        process = Exit(gone.status, time.monotonic() - self.begun, self.stopped, self.timed_out)
        if self._ended_before_the_suite():
            # No code of the suite had run: this is the house's failure, whatever the run says of itself.
            raise HarnessError(
                f"a run ended before it had begun: {self.transcript.broken or gone.status}", SEE_DEBUG
            )
        return conclude(self.transcript, process)

    def _ended_before_the_suite(self) -> bool:
        said = self.transcript
        return not (said.suite_began or said.ended or said.malformed or self.stopped or self.timed_out)

    def _follow(self) -> Gone:
        poll = select.poll()
        poll.register(self.channel, select.POLLIN)
        poll.register(self.slot.link.sock, select.POLLIN)
        while True:
            ready = {found for found, _event in poll.poll(self._milliseconds_left())}
            if self.channel.fileno() in ready and not self._read():
                poll.unregister(self.channel)
            if self.slot.link.sock.fileno() in ready:
                gone = self.slot.gone()
                self._drain()
                return gone
            if self._is_over():
                self.slot.stop()
                return self.slot.gone()

    def _milliseconds_left(self) -> float:
        return max(0.0, self.begun + self.job.deadline - time.monotonic()) * 1000

    def _is_over(self) -> bool:
        """Whether the run has to be ended now, and why."""
        if self.transcript.malformed:
            return True
        if self.job.watch is not None and self.job.watch(self.transcript):
            self.stopped = True
        else:
            self.timed_out = time.monotonic() >= self.begun + self.job.deadline
        return self.stopped or self.timed_out

    def _read(self) -> bool:
        """Take in what has come; False at the end of the channel."""
        try:
            data = self.channel.recv(CHUNK)
        except ConnectionError:
            return False
        self._take(data)
        return bool(data)

    def _take(self, data: bytes) -> None:
        if self.transcript.malformed:
            return
        try:
            for body in self.frames.feed(data):
                self.transcript.add(wire.decode_said(body))
        except wire.Malformed as error:
            self.transcript.malformed = str(error)

    def _drain(self) -> None:
        """Nothing of the run lives any more: what is in the channel now is all that there will be."""
        self.channel.setblocking(False)  # noqa: FBT003 - its signature
        with contextlib.suppress(BlockingIOError):
            while self._read():
                pass
