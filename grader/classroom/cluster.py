"""The executor on a cluster: tasks go to the workers of a Dask distributed scheduler.

Submissions and the lesson travel as data; the store stays here. Dask gives a task to another worker when one is lost,
and its result counts once, whoever came to it. https://distributed.dask.org/en/stable/
"""

from __future__ import annotations

import hashlib
import logging
import os
import signal
import time
from collections import deque
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any, Self

import dask
from distributed import Client, KilledWorker, LocalCluster, wait

from grader.classroom import cluster_worker, messages
from grader.classroom.cluster_worker import Grading, OtherVersions
from grader.classroom.executor import given_up, worker_lost
from grader.classroom.messages import Setup
from grader.errors import ClusterError, GraderError, mistake_of_ours
from grader.report_parts import versions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from distributed import Future

    from grader.classroom.executor import Work
    from grader.classroom.task import Outcome, Task

LOCAL = "local"
LOGGERS = ("distributed", "tornado", "asyncio")
CONNECT = 10.0  # seconds to reach the scheduler
NO_WORKERS = 60.0  # seconds without any worker until it is given up
LOOK = 0.5  # seconds between two looks at whether the scheduler and its workers are still there
AHEAD = 2  # tasks for each thread of the cluster: one that it works at, one that waits beside it


class ClusterExecutor:
    """Runs tasks on a cluster; see `Executor`.

    Args:
        work: the lesson and the settings.
        address: of the scheduler, as Dask writes it (`tcp://host:8786`); `local` starts a cluster on this machine.
        jobs: workers of a cluster on this machine.

    Raises:
        ClusterError: the scheduler cannot be reached.
    """

    def __init__(self, work: Work, address: str, jobs: int) -> None:
        self._work = work
        self._address = address
        self._versions = versions()
        self._waiting: dict[Future[bytes], Task] = {}
        self._seen = time.monotonic()  # when there was a worker last
        _quiet()
        with ExitStack() as undo:
            if address == LOCAL:
                address = undo.enter_context(_on_this_machine(jobs)).scheduler_address
            self._client = undo.enter_context(_connected(address))
            self._name = f"ol-{self._client.id}"
            self._give_work(Grading(self._name, messages.encoded(Setup(work.lesson, work.settings))))
            self._end = undo.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        with suppress(Exception):
            # A scheduler that is gone has nothing left to tidy up.
            self._client.cancel(list(self._waiting), force=True)
            self._client.unregister_worker_plugin(self._name)
        with suppress(Exception):
            self._end.close()

    def _give_work(self, plugin: Grading) -> None:
        try:
            self._client.register_plugin(plugin)
        except Exception as error:
            raise self._gone_or(error) from error

    def run(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """Yield one outcome for each task, as they come."""
        source = iter(tasks)
        ahead = deque(islice(source, 1))
        self._seen = time.monotonic()
        while ahead or self._waiting:
            for _ in range(AHEAD * self._threads() - len(self._waiting)):
                if ahead:
                    self._submit(ahead.popleft())
                    ahead.extend(islice(source, 1))
            yield from self._done()

    def _threads(self) -> int:
        """How many tasks the cluster can work at at a time.

        Raises:
            ClusterError: none, for a long time.
        """
        try:
            threads = sum(map(int, self._client.nthreads().values()))
        except Exception as error:
            raise self._gone_or(error) from error
        if threads:
            self._seen = time.monotonic()
        elif time.monotonic() > self._seen + NO_WORKERS:
            raise ClusterError(f"The cluster at {self._address} has no workers.", _START_WORKERS)
        return threads

    def _submit(self, task: Task) -> None:
        data = messages.encoded(task)
        key = f"{self._name}-{hashlib.sha256(task.key.encode('utf-8', 'surrogatepass')).hexdigest()}"
        try:
            future = self._client.submit(
                cluster_worker.grade, self._name, data, self._versions, key=key, pure=False
            )
        except Exception as error:
            raise self._gone_or(error) from error
        self._waiting[future] = task

    def _done(self) -> Iterator[Outcome]:
        """Outcomes that have come, after a moment's wait for the first."""
        if not self._waiting:
            time.sleep(LOOK)
            return
        try:
            done = wait(list(self._waiting), timeout=LOOK, return_when="FIRST_COMPLETED").done
        except TimeoutError:
            return
        except Exception as error:
            raise self._gone_or(error) from error
        for future in done:
            yield self._outcome(future)

    def _outcome(self, future: Future[bytes]) -> Outcome:
        task = self._waiting.pop(future)
        try:
            return messages.outcome_from(future.result(timeout=CONNECT))
        except KilledWorker as error:
            attempts = error.allowed_failures + 1  # the scheduler's setting
            return given_up(self._work, task, worker_lost(str(error.last_worker), attempts))
        except OtherVersions as error:
            raise self._other_versions(error.args[0]) from error
        except GraderError:
            raise
        except Exception as error:
            raise self._gone_or(error) from error
        finally:
            future.release()

    # ---------------------------------------------------------------------- what can go wrong

    def _other_versions(self, there: dict[str, str]) -> ClusterError:
        differ = [
            f"{name} {there.get(name, 'missing')} (here {version})"
            for name, version in self._versions.items()
            if there.get(name) != version
        ]
        return ClusterError(
            f"A worker of the cluster at {self._address} has other versions: {', '.join(differ)}.",
            "Install the same versions there as here: grades may depend on them.",
        )

    def _gone_or(self, error: Exception) -> GraderError:
        """What an error of Dask's means."""
        if isinstance(error, ModuleNotFoundError | ImportError | AttributeError):
            return ClusterError(
                f"A worker of the cluster at {self._address} cannot grade: {error}.",
                "Install ol there, in the same version as here: `pip install 'ol-grader[cluster]'`.",
            )
        if self._client.status != "running" or isinstance(error, OSError | CancelledError | TimeoutError):
            return ClusterError(f"The scheduler at {self._address} is gone.", _GO_ON)
        return mistake_of_ours(error)


_START_WORKERS = (
    "Start some, such as `dask worker ADDRESS --nthreads 1`, and run the command again: it goes on."
)
_GO_ON = (
    "What was graded is kept: run the command again when there is a scheduler, and it goes on from there."
)


def _connected(address: str) -> Client:
    dask.config.set({"distributed.comm.timeouts.connect": f"{CONNECT:.0f}s"})
    try:
        return Client(address, timeout=CONNECT)
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterError(
            f"There is no scheduler at {address}.",
            "Start one with `dask scheduler`, and name the address that it prints; `--cluster local` starts one here.",
        ) from error
    except (
        TypeError,
        RuntimeError,
        ImportError,
    ) as error:  # what Dask raises without certificates, or a driver
        raise ClusterError(
            f"The scheduler at {address} cannot be reached: {error}.",
            "`tls://` needs Dask's certificates (DASK_DISTRIBUTED__COMM__TLS__…), other protocols need their package.",
        ) from error


@contextmanager
def _on_this_machine(jobs: int) -> Iterator[Any]:
    with ExitStack() as undo:
        with _ctrl_c_blocked():
            cluster = undo.enter_context(
                LocalCluster(
                    n_workers=jobs,
                    threads_per_worker=1,
                    host="127.0.0.1",
                    # No dashboard; its HTTP server is there all the same, on any port, not on the one that others want.
                    dashboard_address="127.0.0.1:0",
                    scheduler_kwargs={"dashboard": False},
                    silence_logs=logging.CRITICAL,
                )
            )
        yield cluster


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    """What is started meanwhile never sees a Ctrl-C, which a terminal sends to all: each would show a traceback of its own.

    Threads and processes inherit the mask, those that Dask starts later too. A Ctrl-C that comes meanwhile is answered
    at the end. https://man7.org/linux/man-pages/man7/signal.7.html
    """
    resource_tracker.ensure_running()  # now: to start it unblocks the signal in the thread that does
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _quiet() -> None:
    """Dask tells of every connection that it loses; here one sentence does."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in LOGGERS and "OL_DEBUG" not in os.environ:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
