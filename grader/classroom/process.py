"""A worker process, seen from the batch: started, spoken to, ended with everything that it started."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

from grader.classroom import messages
from grader.classroom.messages import Ready, Setup, Started

if TYPE_CHECKING:
    from grader.classroom.executor import Work
    from grader.classroom.messages import Reply
    from grader.classroom.task import Task

GRACE = 10.0  # seconds that a worker and its server are given to end by themselves
LOOK_AGAIN = 0.02  # seconds


class WorkerLost(Exception):  # noqa: N818 - an event on the way; the executor deals with it
    """A worker ended, or hangs; the text says how."""


class WorkerProcess:
    """One worker of a batch.

    Attributes:
        connection: to the worker.
        ready: it has taken the lesson, and can take a task or has one.
        since: when it last had nothing more to say, on the monotonic clock.
    """

    def __init__(self, work: Work) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = _start(theirs.fileno())
        self.connection = Connection(ours.detach())
        self.ready = False
        self.since = time.monotonic()
        self._temp = ""
        self._work = work

    @property
    def pid(self) -> int:
        """The process id of the worker."""
        return self._process.pid

    def begin(self, task: Task) -> None:
        """Hand over a task."""
        self.since = time.monotonic()
        self._tell(task)

    def _tell(self, message: Setup | Task) -> None:
        try:
            messages.send(self.connection, message)
        except OSError:
            return  # it is gone, as its silence will show

    def reply(self, patience: float) -> Reply:
        """What it says.

        Raises:
            WorkerLost: it ended, or has had nothing to say for so many seconds.
        """
        if not self.connection.poll() and self.hangs(patience):
            raise WorkerLost(f"it had not answered after {patience:.0f} s")
        try:
            reply = messages.receive_reply(self.connection)
        except (EOFError, OSError) as error:
            raise WorkerLost(_told(self._ended_within(GRACE))) from error
        if isinstance(reply, Started):
            self._tell(Setup(self._work.lesson, self._work.settings))
        elif isinstance(reply, Ready):
            self.ready, self._temp = True, reply.temp
        self.since = time.monotonic()
        return reply

    def hangs(self, patience: float) -> bool:
        """Whether it has had nothing to say for so many seconds."""
        return time.monotonic() >= self.since + patience

    def ask_to_end(self) -> None:
        """Let it end by itself, in the middle of a task too."""
        # The signal first: it could interrupt the ending of one that has seen its connection close.
        self._process.terminate()
        self.connection.close()

    def close(self) -> None:
        """End it; then nothing that it started is left, nor any file."""
        self.connection.close()
        if self._ended_within(GRACE) is None:
            self._process.kill()
            self._process.wait()
        if self._temp:
            _gone_within(Path(self._temp), GRACE)

    def _ended_within(self, seconds: float) -> int | None:
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None


def _start(descriptor: int) -> subprocess.Popen[bytes]:
    here = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
    # -P: no module of the folder that the batch was started in is taken for one of ours.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "grader.classroom.worker", str(descriptor), str(os.getpid())],
        env=os.environ | {"PYTHONPATH": path},
        pass_fds=(descriptor,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=None if os.environ.get("OL_DEBUG") else subprocess.DEVNULL,
        # Ctrl-C is for the batch alone, which then ends its workers.
        start_new_session=True,
    )


def _told(returncode: int | None) -> str:
    if returncode is None:
        return "it closed its connection"
    return f"it was ended by signal {-returncode}" if returncode < 0 else f"it ended with code {returncode}"


def _gone_within(folder: Path, seconds: float) -> None:
    """Wait for the server of a worker that could not end it: the server ends by itself, and takes its folder with it."""
    end = time.monotonic() + seconds
    while folder.exists() and time.monotonic() < end:
        time.sleep(LOOK_AGAIN)
    shutil.rmtree(folder, ignore_errors=True)
