"""What a worker of a cluster does with a task: it keeps warm worker processes of its own, one for each of its threads.

Runs in a process of Dask's, which has to live on while a suite is graded: gradings get processes of their own, as in a
batch on one machine, and what ends one of them does not end Dask's.
"""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING

from distributed import WorkerPlugin, get_worker

from grader.classroom import messages
from grader.classroom.executor import Work
from grader.classroom.local import LocalExecutor
from grader.report_parts import versions

if TYPE_CHECKING:
    from distributed import Worker


class OtherVersions(Exception):  # noqa: N818 - travels to the client, which knows what to say
    """This worker has other versions of what a grade depends on than the client; `args`: its versions."""


class Grading(WorkerPlugin):
    """The lesson and the settings, given to each worker once, those that join later too.

    Args:
        name: of this batch, for tasks to find it.
        work: `messages.Setup`, encoded.
    """

    idempotent = True

    def __init__(self, name: str, work: bytes) -> None:
        self.name = name
        self._work = work

    def setup(self, worker: Worker) -> None:
        """Called by Dask in each worker."""
        del worker
        # Here and not in `__init__`: what holds a lock or a process does not travel.
        self._free: queue.SimpleQueue[LocalExecutor] = queue.SimpleQueue()
        self._all: list[LocalExecutor] = []
        self._lock = threading.Lock()

    def teardown(self, worker: Worker) -> None:
        """Called by Dask when the worker ends, or the batch."""
        del worker
        with self._lock:
            while self._all:
                self._all.pop().__exit__()

    def grade(self, task: bytes) -> bytes:
        """Grade one encoded task, on a warm process that no other thread uses meanwhile; the encoded outcome.

        Raises:
            GraderError: there can be no worker process on this machine.
        """
        executor = self._take()
        try:
            (outcome,) = executor.run([messages.task_from(task)])
        finally:
            self._free.put(executor)
        return messages.encoded(outcome)

    def _take(self) -> LocalExecutor:
        try:
            return self._free.get_nowait()
        except queue.Empty:
            setup = messages.setup_from(self._work)
            executor = LocalExecutor(Work(setup.lesson, setup.settings), jobs=1)
            with self._lock:
                self._all.append(executor)
            return executor


def grade(name: str, task: bytes, wanted: dict[str, str]) -> bytes:
    """One task, in a thread of a worker; called by Dask.

    Raises:
        OtherVersions: the worker could come to other grades than the client's machine.
    """
    here = versions()
    if here != wanted:
        raise OtherVersions(here)
    plugin = get_worker().plugins[name]
    assert isinstance(plugin, Grading)  # noqa: S101 - the one of this name
    return plugin.grade(task)
