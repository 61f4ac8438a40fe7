"""What grading a class costs: rate, memory, cost by number of workers, beside the loop that an instructor would write.

    python benchmarks/classroom.py [--count N] [--seed N] [--sample N] [--loop N]

Makes a class of learners, the same for the same seed, from suites that real learners could have written: complete,
partial, invalid and hostile ones, each with a line of its own so that no two are alike. Then it runs

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
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent
LESSON = "L7.1"
SUITES = ROOT / "fixtures" / LESSON / "submissions"
OL = [sys.executable, "-m", "grader"]
PAUSE = 1.0  # seconds between two looks at the memory

# Of a hundred submissions so many are of this kind; one in a thousand hangs besides.
SHARES = {"complete": 50, "partial": 34, "invalid": 12, "hostile": 4}
HANGING = 0.001
KINDS = {
    "complete": [
        "complete", "exactly-eight", "class-based", "float64", "helper-module", "conftest-fixtures",
        "scoped-fixtures", "package-with-relative-imports", "real-keras", "real-torchtune",
    ],
    "partial": [
        "misses-eps", "misses-post-ln", "misses-the-mean", "misses-the-offset", "exactly-seven", "forward-only",
        "real-apex", "real-tinygrad", "real-vllm",
    ],
    "invalid": [
        "syntax-error", "tolerance-too-tight", "oracle-is-layernorm", "order-dependent", "flaky-random",
        "never-touches-the-module", "no-tests", "imports-os-subprocess-inspect", "misspelt-import",
    ],
    "hostile": [
        "attack-exits-by-exception", "attack-forges-passes", "attack-patches-reports", "attack-signals-everybody",
        "attack-kills-its-parent", "attack-sends-nonsense", "attack-floods-its-output", "exits-on-import",
        "stack-overflow", "attack-takes-all-memory",
    ],
    "hanging": ["endless-loop"],
}  # fmt: skip


def main() -> None:
    """Measure and print."""
    options = _arguments()
    with tempfile.TemporaryDirectory(prefix="ol-benchmark-") as folder:
        made = _make_class(Path(folder) / "class", options.count, options.seed)
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
    parser.add_argument("--seed", type=int, default=1, help="of the class")
    parser.add_argument("--sample", type=int, default=200, help="submissions for each number of workers")
    parser.add_argument("--loop", type=int, default=20, help="submissions that the loop grades")
    options = parser.parse_args()
    assert isinstance(options, argparse.Namespace)  # noqa: S101 - what argparse says it returns
    return options


def _cores() -> int:
    return len(os.sched_getaffinity(0))


# The class ------------------------------------------------------------------------------------------------------


def _make_class(folder: Path, count: int, seed: int) -> dict[Path, str]:
    """Lay the class down; each submission with its kind."""
    draw = random.Random(seed)  # noqa: S311 - the same class for the same seed
    made: dict[Path, str] = {}
    for number in range(count):
        kind = "hanging" if draw.random() < HANGING else draw.choices(list(SHARES), list(SHARES.values()))[0]
        learner = folder / f"learner-{number:05}"
        shutil.copytree(SUITES / draw.choice(KINDS[kind]) / "suite", learner)
        (learner / f"note_{number}.py").write_text(f"# handed in by learner {number}\n", encoding="utf-8")
        made[learner] = kind
    return made


def _sample(folder: Path, made: dict[Path, str], size: int, seed: int) -> Path:
    """Some of the class that do not hang, as a folder of their own."""
    awake = [path for path, kind in made.items() if kind != "hanging"]
    chosen = random.Random(seed).sample(awake, min(size, len(awake)))  # noqa: S311 - as above
    for path in chosen:
        shutil.copytree(path, folder / "sample" / path.name)
    return folder / "sample"


def _counted(made: dict[Path, str]) -> str:
    kinds = list(made.values())
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in KINDS)


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
    tenth = max(1, len(run.memory) // 10)
    if len(run.memory) > tenth:
        first, last = statistics.median(run.memory[1 : tenth + 1]), statistics.median(run.memory[-tenth:])
        print(f"memory          {first:8.0f} MB in the first tenth of the time, {last:.0f} MB in the last")
    again = _grade(folder / "class", folder / "out")
    print(f"once more       {again.seconds:8.1f} s   {again.summary['known']} known, nothing to grade\n")


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
