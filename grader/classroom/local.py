"""The executor on this machine: a worker process for each core."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Self

from grader import interrupts
from grader.classroom.executor import MOST_ATTEMPTS, Work, given_up, worker_lost
from grader.classroom.messages import Failed, Ready, Started, Unable
from grader.classroom.process import WorkerLost, WorkerProcess
from grader.errors import GraderError, HarnessError, SandboxUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from grader.classroom.task import Outcome, Task

MOST_STILLBORN = 3  # workers in a row that ended before they could take a task
# Seconds: no grading takes so long, so a worker that says nothing meanwhile hangs.
PATIENCE = 3600.0
PATIENCE_IN_TIMEOUTS = 200


@dataclass(frozen=True)
class _Attempt:
    """A task, and how often it has been begun before."""

    task: Task
    before: int = 0


class LocalExecutor:
    """Runs tasks in `jobs` processes of its own; see `Executor`.

    A process each, not a thread: rewriting programs and deciding verdicts is Python's work.
    """

    def __init__(self, work: Work, jobs: int) -> None:
        self._work = work
        self._jobs = jobs
        self._patience = PATIENCE + PATIENCE_IN_TIMEOUTS * work.settings.timeout
        self._workers: list[WorkerProcess] = []
        self._begun: dict[WorkerProcess, _Attempt] = {}
        self._again: deque[_Attempt] = deque()
        self._stillborn = 0
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        # Whoever runs tasks in another thread sees his workers go: he must not start others.
        self._closed = True
        with interrupts.held():
            for worker in self._workers:
                worker.ask_to_end()
            while self._workers:
                self._workers.pop().close()

    def run(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """Yield one outcome for each task, as they come."""
        source = map(_Attempt, tasks)
        ahead: deque[_Attempt] = deque()
        came: list[Outcome] = []
        while True:
            self._read_ahead(source, ahead)
            self._staff(len(ahead))
            for worker in self._free():
                if ahead:
                    self._begin(worker, ahead.popleft())
            # Now that all are busy again, there is time to keep what came and to read what comes next.
            yield from came
            if not ahead and not self._begun:
                return
            self._read_ahead(source, ahead)
            came = [outcome for worker in self._speaking() for outcome in self._heard(worker)]

    def _read_ahead(self, source: Iterator[_Attempt], ahead: deque[_Attempt]) -> None:
        """Hold a task ready for each worker; those first whose worker was lost."""
        while self._again:
            ahead.appendleft(self._again.popleft())
        ahead.extend(islice(source, max(0, self._jobs - len(ahead))))

    # ---------------------------------------------------------------------- workers

    def _free(self) -> list[WorkerProcess]:
        return [worker for worker in self._workers if worker.ready and worker not in self._begun]

    def _staff(self, tasks: int) -> None:
        """Start workers, as long as there are tasks for them."""
        if self._closed:
            raise HarnessError("the batch has ended")
        while len(self._workers) < self._jobs and len(self._workers) - len(self._begun) < tasks:
            with interrupts.held():
                self._workers.append(WorkerProcess(self._work))

    def _begin(self, worker: WorkerProcess, attempt: _Attempt) -> None:
        self._begun[worker] = attempt
        worker.begin(attempt.task)

    def _speaking(self) -> list[WorkerProcess]:
        """Workers that have something to say, or never will again."""
        waited_for = [worker for worker in self._workers if worker in self._begun or not worker.ready]
        left = min(worker.since + self._patience for worker in waited_for) - time.monotonic()
        ready = wait([worker.connection for worker in self._workers], max(0.0, left))
        if ready:
            return [worker for worker in self._workers if worker.connection in ready]
        return [worker for worker in waited_for if worker.hangs(self._patience)]

    def _heard(self, worker: WorkerProcess) -> Iterator[Outcome]:
        """Take in what a worker says, or that it says no more."""
        try:
            reply = worker.reply(self._patience)
        except WorkerLost as lost:
            yield from self._lost(worker, worker_lost(str(lost)))
            return
        if isinstance(reply, Started | Ready):
            self._stillborn = 0 if worker.ready else self._stillborn
        elif isinstance(reply, Unable):
            raise _unable(reply)
        elif isinstance(reply, Failed):
            yield from self._lost(worker, HarnessError(reply.message, reply.hint))
        else:
            del self._begun[worker]
            yield reply

    def _lost(self, worker: WorkerProcess, error: GraderError) -> Iterator[Outcome]:
        """Its task is begun anew, if it has not been too often; another worker comes in its place when it is needed."""
        self._workers.remove(worker)
        worker.close()
        if not worker.ready:
            self._count_stillborn(error)
        attempt = self._begun.pop(worker, None)
        if attempt is None:
            return
        if attempt.before + 1 < MOST_ATTEMPTS:
            self._again.append(_Attempt(attempt.task, attempt.before + 1))
        else:
            yield given_up(self._work, attempt.task, error)

    def _count_stillborn(self, error: GraderError) -> None:
        self._stillborn += 1
        if self._stillborn >= MOST_STILLBORN:
            raise HarnessError(
                f"No worker can be started: {MOST_STILLBORN} in a row ended at once ({error.message}).",
                "Run the command again with --debug, and report what it prints.",
            )


def _unable(reply: Unable) -> GraderError:
    return (
        SandboxUnavailableError(reply.missing) if reply.missing else HarnessError(reply.message, reply.hint)
    )
