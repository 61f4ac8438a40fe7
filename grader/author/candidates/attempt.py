"""A process that tries some candidates, one after the other, each in the place of the one before it.

Most of what a fork costs is paid for its first candidate: pages of the workbench that it comes to own. So several share
one, and the reference comes last: if all course tests still pass on it, none of them has left anything behind.
"""

from __future__ import annotations

import gc
import os
import random
import resource
import signal
from typing import TYPE_CHECKING

import numpy as np

from grader.author.candidates.records import Closed, Ending, Failure, Said, framed
from grader.author.candidates.transplant import Unfit, transplant
from grader.workers import limits
from grader.workers.wire import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    import msgspec

    from grader.author.candidates.bench import Bench
    from grader.author.candidates.records import Try

MEMORY = 2 << 30  # bytes above what is mapped
FAILURES = frozenset({Outcome.FAILED, Outcome.ERROR})
ORDERLY = frozenset({Ending.COMPLETED, Ending.UNFIT, Ending.NOT_IMPORTED})
TOO_MUCH = "it asked for more memory than it may have"


def attempt(bench: Bench, jobs: Sequence[Try], channel: int) -> NoReturn:
    """Try programs, say what happened to each, and end. The first that is out of order is the last."""
    # The process does not live long enough for it to be worth its time.
    gc.disable()
    _limit_memory()
    states = random.getstate(), np.random.get_state()  # noqa: NPY002 - what tests use
    for job in jobs:
        random.setstate(states[0])
        np.random.set_state(states[1])  # noqa: NPY002 - as above
        said = _attempted(bench, job, channel)
        _write(channel, said)
        if said.ending not in ORDERLY:
            os._exit(0)
    if len(jobs) > 1:
        _write(channel, Closed(_all_pass(bench)))
    os._exit(0)


def _attempted(bench: Bench, job: Try, channel: int) -> Said:
    # The kernel sends SIGPROF, which ends the process, after so much CPU time.
    signal.setitimer(signal.ITIMER_PROF, bench.seconds)
    try:
        return _tried(bench, job, channel)
    except MemoryError:
        return Said(job.key, Ending.MEMORY, TOO_MUCH, [])
    except BaseException as error:  # noqa: BLE001 - an exit, an interrupt: whatever a program may raise
        return Said(job.key, Ending.CRASHED, f"{type(error).__name__}: {error}", [])


def _limit_memory() -> None:
    most = limits.mapped() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _tried(bench: Bench, job: Try, channel: int) -> Said:
    try:
        transplant(bench.module, job.source)
    except Unfit as unfit:
        return Said(job.key, Ending.UNFIT, str(unfit), [])
    except Exception as error:  # noqa: BLE001 - whatever the module raises while it is imported
        return Said(job.key, Ending.NOT_IMPORTED, f"{type(error).__name__}: {error}", [])
    for index, following in zip(job.tests, [*job.tests[1:], None], strict=False):
        ended = bench.run(index, following)
        if ended.outcome is Outcome.OUT_OF_MEMORY:
            return Said(job.key, Ending.MEMORY, TOO_MUCH, [])
        if ended.outcome in FAILURES:
            inside = ended.where.rpartition(":")[0] == bench.module.__file__
            _write(channel, Failure(job.key, index, inside, ended.message))
    return Said(job.key, Ending.COMPLETED, "", bench.probes.values() if job.probe else [])


def _all_pass(bench: Bench) -> bool:
    """Whether every course test passes on the reference, in this process, now."""
    try:
        transplant(bench.module, bench.reference)
        ended = [bench.run(index) for index in range(len(bench.items))]
    except BaseException:  # noqa: BLE001 - what a candidate left behind may raise anything
        return False
    return not any(each.outcome in FAILURES for each in ended)


def _write(channel: int, record: msgspec.Struct) -> None:
    data = memoryview(framed(record))
    while data:
        data = data[os.write(channel, data) :]
