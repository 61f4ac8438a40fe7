"""How many candidates for faults a second can be tried on the course tests, by several means, in one run on one machine.

    python benchmarks/candidates.py [--lesson ID] [--rounds N] [--sample N] [--jobs N]

Each means tries the same candidates, all of them or a sample, and finds every course test that fails. Prints candidates a
second and, since machines differ and drift, the ratio to a cold pytest, taken round by round:

* *workbench*: `ol mutants suggest`'s own way, all candidates, without what comes before and after;
* *cold pytest*: the loop that an instructor would write, one pytest process for each candidate of a sample;
* *as a grading*: a run in the sandbox for each candidate of a sample, every test, everything imported anew;
* *mutmut*: `mutmut run` on the module with the course tests, its own mutants (needs the extra `author`).
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.author.candidates.generate import candidates_of
from grader.author.candidates.runner import Workbench
from grader.author.candidates.trying import attempts_of
from grader.author.trials import course_trials
from grader.lesson import load_lesson

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from grader.author.candidates.model import Candidate
    from grader.lesson import Lesson

ROOT = Path(__file__).resolve().parent.parent
PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib"]
# Plugins of the development environment are no part of what an author runs.
ENVIRONMENT = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "OPENBLAS_NUM_THREADS": "1"}
MUTMUT = '[tool.mutmut]\nsource_paths = ["{package}/"]\nonly_mutate = ["{file}"]\ntests_dir = ["tests"]\n'
COLD = "cold pytest"


@dataclass(frozen=True)
class Contender:
    """A way to try candidates: `run` does so and says how many it tried."""

    name: str
    run: Callable[[], int]


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lesson", default="L7.1")
    parser.add_argument(
        "--rounds", type=int, default=3, help="rounds that are counted, after one that is not"
    )
    parser.add_argument("--sample", type=int, default=6, help="candidates for the slow means")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    lesson = load_lesson(ROOT, options.lesson)
    candidates = candidates_of(lesson)
    sample = candidates[:: max(1, len(candidates) // options.sample)]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ol-benchmark-")))
        contenders = _contenders(lesson, candidates, sample, options.jobs, folder, stack)
        rates = _measure(contenders, options.rounds)
    _print(rates, options.rounds, len(candidates), len(sample), options.jobs)


def _contenders(
    lesson: Lesson,
    candidates: Sequence[Candidate],
    sample: Sequence[Candidate],
    jobs: int,
    folder: Path,
    stack: ExitStack,
) -> list[Contender]:
    bench = stack.enter_context(Workbench(lesson, jobs))
    attempts = attempts_of(bench, candidates)
    trials = stack.enter_context(course_trials(lesson, jobs=jobs))
    programs = [trials.program(each.id, {each.file: each.source}) for each in sample]
    overlays = [_overlay(lesson, each.source, folder / each.id) for each in sample]
    return [
        Contender("workbench", lambda: len(bench.run(attempts))),
        Contender(COLD, lambda: len([_pytest(lesson, overlay) for overlay in overlays])),
        Contender("as a grading", lambda: len(trials.run_all(programs))),
        Contender("mutmut", lambda: _mutmut(lesson, folder / "mutmut")),
    ]


def _overlay(lesson: Lesson, source: str, folder: Path) -> Path:
    """The course, with one candidate in the module's place, as the course tests expect to find it."""
    shutil.copytree(ROOT / "reference" / lesson.package, folder / "reference" / lesson.package)
    shutil.copytree(lesson.course_tests, folder / "reference/tests" / lesson.id)
    shutil.copytree(
        ROOT / "fixtures" / lesson.id,
        folder / "fixtures" / lesson.id,
        ignore=shutil.ignore_patterns("submissions"),
    )
    (folder / "reference" / lesson.module_file).write_text(source, encoding="utf-8")
    return folder


def _pytest(lesson: Lesson, folder: Path) -> int:
    command = [*PYTEST, str(folder / "reference/tests" / lesson.id)]
    return _run(command, folder, folder / "reference").returncode


def _mutmut(lesson: Lesson, folder: Path) -> int:
    shutil.rmtree(folder, ignore_errors=True)
    _overlay(lesson, lesson.reference_modules[lesson.module].source, folder)
    # It runs a copy of the project that lies one folder deeper, so the tests find golden values as they expect to.
    shutil.move(folder / "reference" / lesson.package, folder / lesson.package)
    shutil.move(folder / "reference/tests", folder / "tests")
    text = MUTMUT.format(package=lesson.package, file=lesson.module_file)
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    done = _run([sys.executable, "-m", "mutmut", "run"], folder, folder)
    counts = re.findall(r"(\d+)/\1\b", done.stdout)
    if not counts:
        print(done.stdout[-2000:], done.stderr[-2000:], file=sys.stderr)
    return int(counts[-1]) if counts else 0


def _run(command: Sequence[str], folder: Path, path: Path) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; that a candidate fails tests is no failure of the measurement."""
    environment: Mapping[str, str] = ENVIRONMENT | {"PYTHONPATH": str(path)}
    return subprocess.run(command, env=environment, cwd=folder, check=False, capture_output=True, text=True)


def _measure(contenders: Sequence[Contender], rounds: int) -> dict[str, list[float]]:
    rates: dict[str, list[float]] = {each.name: [] for each in contenders}
    for number in range(rounds + 1):
        for each in contenders:
            begun = time.perf_counter()
            tried = each.run()
            if number:
                rates[each.name].append(tried / (time.perf_counter() - begun))
    return rates


def _print(
    rates: Mapping[str, Sequence[float]], rounds: int, candidates: int, sample: int, jobs: int
) -> None:
    cores = len(os.sched_getaffinity(0))
    print(
        f"{rounds} rounds, {candidates} candidates, {sample} for the slow means, {jobs} jobs, {cores} cores\n"
    )
    print(f"{'':13} {'a second':>9} {f'of {COLD}':>15}   from … to")
    for name, measured in rates.items():
        ratios = [mine / cold for mine, cold in zip(measured, rates[COLD], strict=True)]
        spread = f"{min(ratios):.1f} … {max(ratios):.1f}"
        print(f"{name:13} {statistics.median(measured):9.1f} {statistics.median(ratios):14.1f}×   {spread}")


if __name__ == "__main__":
    main()
