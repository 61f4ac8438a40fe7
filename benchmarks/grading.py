"""What grading one suite costs, beside what it would cost by other means, in one run on one machine.

    python benchmarks/grading.py [--suite DIR] [--rounds N]

Prints wall-clock medians and, since machines differ and drift, the ratio to one bare pytest run, taken round by round:

* *bare pytest*: the suite once, on the reference, as a learner runs it;
* *ol check*: `ol check L7.1 --only mutation`, all programs, repeats and the canary included;
* *ol, open*: the same without rewriting and without a sandbox, so that their cost can be seen;
* *cold pytest*: the loop that an instructor would write, one pytest process for each program and no repeats;
* *mutmut*: `mutmut run` on the reference's module with the same suite (needs the extra `author`).
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from grader.lesson import load_lesson
from grader.programs import Program, programs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from grader.lesson import Lesson

ROOT = Path(__file__).resolve().parent.parent
LESSON = "L7.1"
SUITE = ROOT / "fixtures" / LESSON / "submissions" / "complete" / "suite"
PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
# Plugins of the development environment are no part of what a learner runs.
ENVIRONMENT = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "OPENBLAS_NUM_THREADS": "1"}
ENVIRONMENT.pop("PYTHONDONTWRITEBYTECODE", None)
MUTMUT_CONFIGURATION = """\
[tool.mutmut]
source_paths = ["{package}/"]
only_mutate = ["{file}"]
tests_dir = ["tests"]
"""


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--suite", type=Path, default=SUITE, help="a folder of tests for the lesson")
    parser.add_argument(
        "--rounds", type=int, default=5, help="rounds that are counted, after one that is not"
    )
    options = parser.parse_args()
    lesson = load_lesson(ROOT, LESSON)
    with tempfile.TemporaryDirectory(prefix="ol-benchmark-") as folder:
        contenders = _contenders(lesson, options.suite.resolve(), Path(folder))
        times = _measure(contenders, options.rounds)
    _print(times, options.rounds, len(programs_of(lesson).correct) + len(lesson.faults))


def _contenders(lesson: Lesson, suite: Path, folder: Path) -> dict[str, Callable[[], object]]:
    """Name → what to time."""
    bare = _overlay(lesson, None, folder / "bare")
    overlays = [_overlay(lesson, program, folder / program.name) for program in _programs(lesson)]
    arguments = ["check", LESSON, "--only", "mutation", "--tests", str(suite)]
    check = [sys.executable, "-m", "grader", *arguments]
    open_check = [sys.executable, str(ROOT / "benchmarks" / "open_check.py"), *arguments]
    found: dict[str, Callable[[], object]] = {
        "bare pytest": lambda: _run([*PYTEST, str(suite)], path=bare),
        "ol check": lambda: _run([*check, "--json", str(folder / "report.json")]),
        "ol, open": lambda: _run([*open_check, "--json", str(folder / "report.json")]),
        "cold pytest": lambda: [_run([*PYTEST, str(suite)], path=overlay) for overlay in overlays],
    }
    if importlib.util.find_spec("mutmut") is not None:
        found["mutmut"] = lambda: _mutmut(lesson, suite, folder / "mutmut")
    return found


def _programs(lesson: Lesson) -> Sequence[Program]:
    programs = programs_of(lesson)
    return [*programs.correct, *programs.faults]


def _overlay(lesson: Lesson, program: Program | None, folder: Path) -> Path:
    """The course's package with a program's modules in it, as a folder for PYTHONPATH."""
    shutil.copytree(ROOT / "reference" / lesson.package, folder / lesson.package)
    for module in program.modules if program is not None else ():
        (folder / lesson.reference_modules[module.name].file).write_text(module.source, encoding="utf-8")
    return folder


def _mutmut(lesson: Lesson, suite: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    _overlay(lesson, None, folder)
    shutil.copytree(suite, folder / "tests")
    text = MUTMUT_CONFIGURATION.format(package=lesson.package, file=lesson.module_file)
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    _run([sys.executable, "-m", "mutmut", "run"], folder=folder)


def _run(command: Sequence[str], *, path: Path | None = None, folder: Path | None = None) -> int:
    """Run a command to its end; that a fault fails tests is no failure of the measurement."""
    environment: Mapping[str, str] = ENVIRONMENT | ({"PYTHONPATH": str(path)} if path is not None else {})
    done = subprocess.run(command, env=environment, cwd=folder or ROOT, check=False, capture_output=True)
    return done.returncode


def _measure(contenders: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(rounds + 1):
        for name, contender in contenders.items():
            begun = time.perf_counter()
            contender()
            if number:
                times[name].append(time.perf_counter() - begun)
    return times


def _print(times: Mapping[str, Sequence[float]], rounds: int, programs: int) -> None:
    print(f"{rounds} rounds, {programs} programs, {len(os.sched_getaffinity(0))} cores\n")
    print(f"{'':12} {'median':>8} {'of bare':>8}   from … to")
    for name, measured in times.items():
        ratios = [mine / bare for mine, bare in zip(measured, times["bare pytest"], strict=True)]
        middle = statistics.median(ratios)
        spread = f"{min(ratios):.2f} … {max(ratios):.2f}"
        print(f"{name:12} {statistics.median(measured):7.2f}s {middle:7.2f}×   {spread}")


if __name__ == "__main__":
    main()
