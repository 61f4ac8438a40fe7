"""What a million submissions would take, worked out from what a few cost here.

    python benchmarks/scale.py [--gradings N] [--submissions N] [--tasks N]

Measures, in processor time (a wall clock would count the waiting too):

* *grading*: submissions of the class of `benchmarks/classroom.py` on one warm server, as a worker does it;
* *keeping*: what the client does for a submission: read it, store its report, write its feedback; and what it still
  remembers of it afterwards;
* *moving*: what client and scheduler do for a task of Dask's that carries a submission there and a report back.

Prints each, and what follows from them. Needs `pip install -e '.[cluster]'`.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import tracemalloc
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from distributed import Client, LocalCluster
from learners import LESSON, make_class

from grader.classroom import messages
from grader.classroom.batch import Batch
from grader.classroom.executor import graded
from grader.classroom.layouts import find_submissions
from grader.classroom.outputs import Outputs
from grader.classroom.reading import read_entry
from grader.classroom.store import Store
from grader.classroom.task import Outcome, Task
from grader.feedback import Policy
from grader.lesson import load_lesson
from grader.suite_grader import Settings, SuiteGrader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from grader.lesson import Lesson

ROOT = Path(__file__).resolve().parent.parent
MILLION = 1_000_000
HOUR = 3600.0


def main() -> None:
    """Measure and print."""
    options = _arguments()
    lesson = load_lesson(ROOT, LESSON)
    with tempfile.TemporaryDirectory(prefix="ol-benchmark-") as folder:
        make_class(Path(folder) / "class", options.submissions, seed=1)
        tasks = list(_tasks(Path(folder) / "class", lesson))
        grading, outcome = _grading(lesson, tasks[: options.gradings])
        keeping = _keeping(Path(folder), lesson, outcome)
    moving = _moving(tasks[0], outcome, options.tasks)
    _print(grading, keeping, moving)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gradings", type=int, default=30, help="submissions that are graded")
    parser.add_argument("--submissions", type=int, default=500, help="submissions that are kept")
    parser.add_argument("--tasks", type=int, default=2000, help="tasks of Dask's")
    return parser.parse_args()


def _tasks(folder: Path, lesson: Lesson) -> Iterator[Task]:
    for entry in find_submissions(folder):
        yield Task(
            key=entry.place,
            submission=read_entry(entry, lesson),
            seed=7,
            lesson_sha256=lesson.sha256,
        )


def _processor() -> float:
    """Seconds of this process and of those below it that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


# ------------------------------------------------------------------------------------------------ what is measured


def _grading(lesson: Lesson, tasks: list[Task]) -> tuple[float, Outcome]:
    """Seconds for one submission, the server's start left out as well as can be; and the longest outcome."""
    begun = _processor()
    with SuiteGrader(lesson, Settings(witnesses=True)) as grader:
        graded(grader, tasks[0])
    start = _processor() - begun
    begun = _processor()
    with SuiteGrader(lesson, Settings(witnesses=True)) as grader:
        outcomes = [graded(grader, task) for task in tasks]
    each = (_processor() - begun - start) / (len(tasks) - 1)
    return each, max(outcomes, key=lambda outcome: len(outcome.report))


@dataclass
class _Answers:
    """An executor that knows the answer: what is left is what the client does."""

    outcome: Outcome

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None: ...

    def run(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        for task in tasks:
            yield Outcome(key=task.key, report=self.outcome.report)


@dataclass(frozen=True)
class _Keeping:
    seconds: float
    database: float  # bytes a submission
    files: float  # bytes a submission
    memory: float  # bytes a submission


def _keeping(folder: Path, lesson: Lesson, outcome: Outcome) -> _Keeping:
    out = folder / "out"
    begun = _processor()
    count = len(_kept(folder / "class", out, lesson, outcome).entries)
    seconds = (_processor() - begun) / count
    database = (out / "grades.sqlite").stat().st_size / count
    files = sum(path.stat().st_size for path in out.glob("submissions/*/*")) / count
    # By itself, since it takes time; and second, when everything is imported.
    tracemalloc.start()
    batch = _kept(folder / "class", folder / "again", lesson, outcome)
    memory = tracemalloc.get_traced_memory()[0] / len(batch.entries)
    tracemalloc.stop()
    return _Keeping(seconds, database, files, memory)


def _kept(folder: Path, out: Path, lesson: Lesson, outcome: Outcome) -> Batch:
    with Store.open(out, lesson.id, 7) as store:
        batch = Batch(lesson, find_submissions(folder), store, Outputs(store, Policy()))
        batch.run(_Answers(outcome))
    return batch


@dataclass(frozen=True)
class _Moving:
    seconds: float
    there: int  # bytes
    back: int  # bytes


def _answer(_task: bytes, answer: bytes) -> bytes:
    return answer


def _moving(task: Task, outcome: Outcome, count: int) -> _Moving:
    """Client and scheduler, which share this process; the worker has its own."""
    there, back = messages.encoded(task), messages.encoded(outcome)
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        client.submit(_answer, there, back, pure=False).result()
        begun = _processor()
        for future in [client.submit(_answer, there, back, pure=False) for _ in range(count)]:
            future.result()
        seconds = (_processor() - begun) / count
    return _Moving(seconds, len(there), len(back))


# --------------------------------------------------------------------------------------------------- what is printed


def _print(grading: float, keeping: _Keeping, moving: _Moving) -> None:
    client = keeping.seconds + moving.seconds
    cores = len(os.sched_getaffinity(0))
    rows: list[tuple[str, Any]] = [
        ("one submission", ""),
        ("  grading, on a worker", f"{1000 * grading:.0f} ms of processor"),
        ("  keeping, on the client", f"{1000 * keeping.seconds:.1f} ms of processor"),
        ("  moving, on client and scheduler", f"{1000 * moving.seconds:.1f} ms of processor"),
        ("  sent there and back", f"{moving.there / 1000:.1f} kB and {moving.back / 1000:.1f} kB"),
        ("  kept", f"{keeping.database / 1000:.1f} kB in the store, {keeping.files / 1000:.1f} kB of files"),
        ("  remembered, on the client", f"{keeping.memory / 1000:.1f} kB"),
        ("a million", ""),
        (
            "  grading",
            f"{MILLION * grading / HOUR:.0f} core-hours; {MILLION * grading / HOUR / cores:.0f} h on {cores} cores",
        ),
        ("  the one client's share", f"{MILLION * client / HOUR:.1f} h"),
        ("  cores that keep one client busy", f"{grading / client:.0f}"),
        ("  sent", f"{MILLION * (moving.there + moving.back) / 1e9:.1f} GB"),
        (
            "  kept",
            f"{MILLION * keeping.database / 1e9:.1f} GB in stores, {MILLION * keeping.files / 1e9:.1f} GB of files",
        ),
        ("  remembered, on the one client", f"{MILLION * keeping.memory / 1e9:.1f} GB"),
    ]
    for name, value in rows:
        print(f"{name:36} {value}".rstrip())


if __name__ == "__main__":
    main()
