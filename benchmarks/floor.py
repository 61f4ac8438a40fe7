"""What bounds the rate of grading on this machine: a fork, and a fork that runs a suite with nothing around it.

    python benchmarks/floor.py [--suite FOLDER] [--rounds N]

A valid suite takes one process for each correct run, the canary, each fault and each repeat. This prints, in processor
time of this machine and side by side in one run,

* *fork*: a process that holds numpy and pytest already is forked and ends at once;
* *pytest*: the fork runs the suite on the reference with `pytest.main`: no sandbox, no rewriting, no records, no limits;
* *ol*: one of all the runs of a grading, with everything that belongs to them, the grader's own work included;

how many pages the kernel has to give or copy for each, and how many valid submissions a second all cores could grade if
a run cost nothing else.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from grader.lesson import load_lesson
from grader.submission import read_submission
from grader.suite_grader import Settings, SuiteGrader
from grader.workers.pool import Host

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.run import RunResult
    from grader.workers.conversation import Job

ROOT = Path(__file__).resolve().parent.parent
LESSON = "L7.1"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    suite = ROOT / "fixtures" / LESSON / "submissions" / "exactly-eight" / "suite"
    parser.add_argument("--suite", type=Path, default=suite)
    parser.add_argument("--rounds", type=int, default=5, help="gradings, and forks in proportion")
    options = parser.parse_args()
    ours, runs = _ours(options.suite, options.rounds)
    _load()
    forked = _each(lambda: None, 20 * options.rounds)
    pytest = _each(lambda: _pytest(options.suite), 5 * options.rounds)
    cores = len(os.sched_getaffinity(0))
    print(f"{runs:.0f} runs a submission, {cores} cores\n")
    print(f"{'':8}{'a run':>10}{'of a fork':>12}{'page faults':>14}{'at most':>22}")
    for name, cost in (("fork", forked), ("pytest", pytest), ("ol", ours)):
        rate = cores / (cost.seconds * runs)
        ratio = cost.seconds / forked.seconds
        print(f"{name:8}{1000 * cost.seconds:7.1f} ms{ratio:11.1f}×{cost.faults:14.0f}{rate:14.1f} a second")


class _Cost(NamedTuple):
    """Processor seconds and page faults."""

    seconds: float
    faults: float

    @classmethod
    def so_far(cls) -> _Cost:
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return cls(sum(each.ru_utime + each.ru_stime for each in used), sum(each.ru_minflt for each in used))

    def since(self, earlier: _Cost) -> _Cost:
        return _Cost(self.seconds - earlier.seconds, self.faults - earlier.faults)

    def shared(self, count: float) -> _Cost:
        return _Cost(self.seconds / count, self.faults / count)


def _ours(suite: Path, rounds: int) -> tuple[_Cost, float]:
    """The cost of a run, the server's start left out; runs of one grading."""
    counted = 0
    run = Host.run

    def counting(host: Host, job: Job) -> RunResult:
        nonlocal counted
        counted += 1
        return run(host, job)

    Host.run = counting  # type: ignore[method-assign,assignment]  # to count is all that is added
    submission = read_submission(suite)

    def gradings(count: int) -> _Cost:
        begun = _Cost.so_far()
        with SuiteGrader(load_lesson(ROOT, LESSON), Settings()) as grader:
            for seed in range(count):
                grader.grade(submission, seed)
        return _Cost.so_far().since(begun)

    start = gradings(1)
    counted = 0
    cost = gradings(1 + rounds).since(start)
    Host.run = run  # type: ignore[method-assign]  # as above
    runs = counted / (1 + rounds)
    return cost.shared(rounds * runs), runs


def _load() -> None:
    """Import what a run needs, as the warm server does, and have nothing collected later."""
    import numpy.testing  # noqa: F401, PLC0415 - not before our own part is measured
    import pytest  # noqa: F401, PLC0415 - as above

    sys.path.insert(0, str(ROOT / "reference"))
    gc.collect()
    gc.freeze()


def _each(work: Callable[[], object], count: int) -> _Cost:
    """The cost of a fork that does this work."""
    begun = _Cost.so_far()
    for _ in range(count):
        pid = os.fork()
        if pid == 0:
            try:
                work()
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
    return _Cost.so_far().since(begun).shared(count)


def _pytest(suite: Path) -> None:
    import pytest  # noqa: PLC0415 - imported before the fork

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    plugins = ["randomly", "xdist", "cacheprovider", "hypothesispytest"]
    pytest.main(["-q", "--import-mode=importlib", *(f"-pno:{name}" for name in plugins), str(suite)])


if __name__ == "__main__":
    main()
