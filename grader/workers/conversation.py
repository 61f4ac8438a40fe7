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
from grader.workers.sandbox.layers import ALWAYS
from grader.workers.wire import Frames, Gone, Start, Stop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from grader.workers.wire import Link

MEMORY = 2 << 30  # bytes above what is mapped when a run starts
FILE_SIZE = 64 << 20  # bytes
TEMP_SIZE = 128 << 20  # bytes of all files of a run
CHUNK = 1 << 16
WATCHED = 4  # milliseconds between two looks at a run that may be ended early
UNWATCHED = 50  # milliseconds between two looks at any other
SEE_DEBUG = "run again with --debug and report what it prints"


class Cancelled(Exception):  # noqa: N818 - the grading was given up; no failure
    """The grading was given up while a run was under way."""


class KeeperGone(Exception):  # noqa: N818 - an event on the way; the pool deals with it
    """A keeper ended in the middle of a run; what the run had said until then still holds."""

    def __init__(self, transcript: Transcript | None = None) -> None:
        super().__init__()
        self.transcript = transcript


@dataclass(frozen=True)
class Job:
    """One run to be made.

    Attributes:
        run: program and setting, as they go to the run.
        deadline: wall-clock seconds.
        alone: nothing else may run at the same time.
        watch: called after each record; True ends the run, since enough has been seen.
        cpu_seconds: what the run may use of the processor. A grading gives all its runs the same, or the limit would
            tell them apart; None: enough for the deadline.
    """

    run: wire.Run
    deadline: float
    alone: bool = False
    watch: Callable[[Transcript], bool] | None = None
    cpu_seconds: int | None = None


@dataclass(eq=False)
class Slot:
    """One keeper, seen from the grader.

    Attributes:
        link: the socket to it.
        cancelled: whether the grading has been given up, so that its silence is no surprise.
        layers: of the sandbox, for its runs.
        readable: what its runs may read beside the suite and the installation.
    """

    link: Link
    cancelled: Callable[[], bool]
    layers: Sequence[str] = ALWAYS
    readable: Sequence[str] = ()

    def run(self, job: Job, test_files: Sequence[str]) -> RunResult:
        """Make one run and wait until nothing of it is left.

        Raises:
            KeeperGone: the keeper ended.
            Cancelled: the grading was given up.
        """
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                self._send(self._start(job.cpu_seconds or cpu_seconds(job.deadline)), theirs.fileno())
            begun = time.monotonic()
            _hand_over(ours, job.run)
            transcript = Transcript(test_files)
            try:
                return _Conversation(self, ours, job, transcript, begun).result()
            except KeeperGone as gone:
                raise KeeperGone(transcript) from gone

    def _start(self, cpu_seconds: int) -> Start:
        return Start(MEMORY, cpu_seconds, FILE_SIZE, TEMP_SIZE, list(self.layers), list(self.readable))

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


def cpu_seconds(timeout: float) -> int:
    """What a run may use of the processor, where a correct one has `timeout` seconds of wall-clock time."""
    return int(timeout) * 2 + 5


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
        """Look at what the run says now and then, and at once when it has ended.

        To wake up for each of its records would take more of the processor than many a test.
        """
        self.channel.setblocking(False)  # noqa: FBT003 - its signature
        poll = select.poll()
        poll.register(self.slot.link.sock, select.POLLIN)
        look_again = WATCHED if self.job.watch is not None else UNWATCHED
        while True:
            ended = poll.poll(min(look_again, self._milliseconds_left()))
            gone = self.slot.gone() if ended else None
            # When nothing of the run lives any more, what is in the channel now is all that there will be.
            self._read_all()
            if gone is not None:
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
        if not self.stopped:
            self.timed_out = time.monotonic() >= self.begun + self.job.deadline
        return self.stopped or self.timed_out

    def _read_all(self) -> None:
        """Take in what has come."""
        with contextlib.suppress(BlockingIOError, ConnectionError):
            while data := self.channel.recv(CHUNK):
                self._take(data)
                if self.stopped or self.transcript.malformed:
                    return

    def _take(self, data: bytes) -> None:
        if self.transcript.malformed:
            return
        try:
            for body in self.frames.feed(data):
                # What comes after the record that was waited for is not looked at: how much of it there is, is chance.
                if not self.stopped:
                    self.transcript.add(wire.decode_said(body))
                    self.stopped = self.job.watch is not None and self.job.watch(self.transcript)
        except wire.Malformed as error:
            self.transcript.malformed = str(error)
