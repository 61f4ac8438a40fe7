"""Makes the runs of one grading: knows the deadlines and how a setting becomes a job."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.workers import wire
from grader.workers.conversation import Job, cpu_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from grader.plan import Setting
    from grader.programs import Program
    from grader.repertoire import Repertoire
    from grader.run import RunResult, Transcript
    from grader.workers.pool import Host

SLOWDOWN = 5  # a fault may take so many times as long as the slowest correct run
FLOOR = 2.0  # seconds that every fault gets


@dataclass
class Runner:
    """Runs programs in settings, under the deadlines of the grading.

    Attributes:
        host: the suite, prepared.
        repertoire: hands each run its program.
        timeout: seconds that a correct run or the canary's may take.
    """

    host: Host
    repertoire: Repertoire
    timeout: float
    _slowest: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(
        self,
        program: Program,
        setting: Setting,
        *,
        alone: bool = False,
        only: Sequence[str] | None = None,
        watch: Callable[[Transcript], bool] | None = None,
    ) -> RunResult:
        """One run. `alone`: nothing else runs meanwhile; `only`: these node ids; `watch`: see `Job`."""
        chosen = list(only) if only is not None else None
        order = wire.Run(
            self.repertoire.fresh(program), setting.order, setting.order_seed, setting.seed, chosen
        )
        deadline = self.timeout if program.kind.correct or program.kind == "canary" else self.fault_deadline
        result = self.host.run(Job(order, deadline, alone, watch, cpu_seconds(self.timeout)))
        if program.kind.correct and only is None:
            with self._lock:
                self._slowest = max(self._slowest, result.seconds)
        return result

    @property
    def fault_deadline(self) -> float:
        """Seconds for a fault, by the slowest correct run so far."""
        return min(self.timeout, max(FLOOR, SLOWDOWN * self._slowest))


def any_failure(transcript: Transcript) -> bool:
    """Watch: some test failed; the rest of the run can add nothing."""
    return transcript.any_failed


def failure_of(names: Sequence[str]) -> Callable[[Transcript], bool]:
    """Watch: one of these tests failed, or one of these files did not load."""

    def watch(transcript: Transcript) -> bool:
        loaded = transcript.collected and any(name in transcript.load_failures for name in names)
        return loaded or any(name in transcript.results and transcript.results[name].failed for name in names)

    return watch
