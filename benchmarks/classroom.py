"""What grading a class costs: rate, memory, cost by number of workers, beside the loop that an instructor would write.

    python benchmarks/classroom.py [--count N] [--light] [--seed N] [--sample N] [--loop N]

Makes a class of learners, the same for the same seed, from suites that real learners could have written: complete,
partial, invalid and hostile ones, no two alike (with `--light`, nearly all of them are refused before anything runs).
Then it runs

* *ol grade* on all of the class, and looks at the memory of all its processes meanwhile (each page shared by several is
  counted once: proportional set size, proc(5));
* *ol grade* on a sample, with one worker, two, … one for each core;
* *the loop*, `for d in DIR/*; do ol check … --tests $d; done`, on some submissions of the sample.

Machines differ and drift, so what is printed beside the seconds are ratios.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learners import HANGING, LESSON, LIGHT, MIXED, make_class

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent
OL = [sys.executable, "-m", "grader"]
PAUSE = 1.0  # seconds between two looks at the memory


def main() -> None:
    """Measure and print."""
    options = _arguments()
    with tempfile.TemporaryDirectory(prefix="ol-benchmark-") as folder:
        shares = LIGHT if options.light else MIXED
        made = make_class(Path(folder) / "class", options.count, options.seed, shares)
        print(f"{options.count} submissions: {_counted(made)}; {_cores()} cores\n")
        _measure_class(Path(folder))
        sample = _sample(Path(folder), made, options.sample, options.seed)
        best = _measure_workers(Path(folder), sample)
        _measure_loop(sample, options.loop, best)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=2000, help="submissions in the class")
    parser.add_argument("--light", action="store_true", help="a class that costs little, to be a large one")
    parser.add_argument("--seed", type=int, default=1, help="of the class")
    parser.add_argument("--sample", type=int, default=200, help="submissions for each number of workers")
    parser.add_argument("--loop", type=int, default=20, help="submissions that the loop grades")
    return parser.parse_args()


def _cores() -> int:
    return len(os.sched_getaffinity(0))


# The class ------------------------------------------------------------------------------------------------------


def _sample(folder: Path, made: dict[Path, str], size: int, seed: int) -> Path:
    """Some of the class that do not hang, as a folder of their own."""
    awake = [path for path, kind in made.items() if kind != HANGING]
    chosen = random.Random(seed).sample(awake, min(size, len(awake)))  # noqa: S311 - as above
    for path in chosen:
        shutil.copytree(path, folder / "sample" / path.name)
    return folder / "sample"


def _counted(made: dict[Path, str]) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in Counter(made.values()).most_common())


# ol grade -------------------------------------------------------------------------------------------------------


@dataclass
class _Grading:
    """One run of `ol grade`: its summary, wall-clock and processor seconds, and megabytes seen meanwhile."""

    summary: dict[str, Any]
    seconds: float
    processor: float
    memory: Sequence[float]

    @property
    def rate(self) -> float:
        return float(self.summary["graded"] / self.seconds)


def _grade(folder: Path, out: Path, *options: str) -> _Grading:
    before = _processor_seconds()
    begun = time.perf_counter()
    command = [*OL, "grade", LESSON, str(folder), "--out", str(out), "--seed", "7", "--json", "-", *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        with _watched(process.pid) as memory:
            said = process.communicate()[0]
        if process.returncode:
            message = f"ol grade ended with {process.returncode}"
            raise RuntimeError(message)
    seconds = time.perf_counter() - begun
    return _Grading(json.loads(said), seconds, _processor_seconds() - before, memory.seen)


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@dataclass
class _Memory:
    seen: list[float] = field(default_factory=list)


@contextlib.contextmanager
def _watched(pid: int) -> Iterator[_Memory]:
    """The memory of a process and all below it, looked at from a thread."""
    memory, over = _Memory(), threading.Event()

    def look() -> None:
        while not over.wait(PAUSE):
            memory.seen.append(sum(_megabytes(each) for each in _family(pid)))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield memory
    finally:
        over.set()
        watcher.join()


def _family(pid: int) -> Iterator[int]:
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in children.read_text(encoding="ascii").split():
                yield from _family(int(child))


def _megabytes(pid: int) -> float:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


# What is printed ------------------------------------------------------------------------------------------------


def _measure_class(folder: Path) -> None:
    run = _grade(folder / "class", folder / "out")
    told = ", ".join(f"{run.summary[key]} {key}" for key in ("passed", "failed", "invalid", "error"))
    print(f"ol grade        {run.seconds:8.1f} s   {run.rate:.2f} submissions a second   ({told})")
    print(f"processor       {1000 * run.processor / run.summary['graded']:8.0f} ms a submission")
    print(f"memory          {_by_tenths(run.memory)} MB by tenths of the time")
    again = _grade(folder / "class", folder / "out")
    print(f"once more       {again.seconds:8.1f} s   {again.summary['known']} known, nothing to grade\n")


def _by_tenths(seen: Sequence[float]) -> str:
    """The median of each tenth, without the first look, at which not all is there yet."""
    bounds = [1 + tenth * (len(seen) - 1) // 10 for tenth in range(11)]
    tenths = [seen[start:stop] for start, stop in pairwise(bounds) if start < stop]
    return " ".join(f"{statistics.median(tenth):.0f}" for tenth in tenths)


def _measure_workers(folder: Path, sample: Path) -> float:
    """Seconds a submission, with one worker for each core."""
    print(f"{'workers':>7} {'rate':>8} {'of one':>8}   ({len(list(sample.iterdir()))} submissions)")
    alone = each = 0.0
    for workers in range(1, _cores() + 1):
        run = _grade(sample, folder / f"out{workers}", "--jobs", str(workers))
        alone, each = alone or run.rate, 1 / run.rate
        print(f"{workers:7} {run.rate:7.2f}/s {run.rate / alone:7.2f}×")
    print()
    return each


def _measure_loop(sample: Path, size: int, best: float) -> None:
    submissions = sorted(sample.iterdir())[:size]
    begun = time.perf_counter()
    for path in submissions:
        command = [*OL, "check", LESSON, "--only", "mutation", "--tests", str(path), "--seed", "7"]
        subprocess.run(command, cwd=ROOT, check=False, capture_output=True)
    each = (time.perf_counter() - begun) / len(submissions)
    print(f"the loop        {each:8.2f} s a submission, {each / best:.1f}× as much as ol grade")


if __name__ == "__main__":
    main()
