"""A grading that is interrupted says so and leaves nothing: no report, no process, no file, nothing changed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.engine.conftest import Bench

PATIENCE = 60.0  # seconds: only a grading that hangs takes so long
# The policy lets no suite import `time`, so it is reached in a roundabout way.
SLEEPING = """
import warnings
from words.shout import shout

def test_a(): assert shout("a")
def test_b(): warnings.sys.modules["time"].sleep(600)
"""


@dataclass
class Command:
    """`ol check` on a suite that never ends, with a temporary folder of its own to find it by.

    Attributes:
        process: the command.
        temp: where it makes its temporary folder; the path is unique.
        report: where its report would be.
        processes: all of its processes that were ever seen, as (pid, start time).
    """

    process: subprocess.Popen[str]
    temp: Path
    report: Path
    processes: set[tuple[int, str]] = field(default_factory=set)

    def wait_until(self, reached: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not reached():
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < end, "the command did not come so far"
            time.sleep(0.01)
        self.processes |= family(self.process.pid)

    def folders(self) -> list[str]:
        """Names of what lies in the grading's folders."""
        return [
            path.name
            for path in [*self.temp.glob("ol-*"), *self.temp.glob("ol-*/*"), *self.temp.glob("ol-*/*/*")]
        ]

    def alive(self) -> list[int]:
        """Processes of this grading that live, by the folder that their environment names, or seen before."""
        seen = [pid for pid, started in self.processes if start_time(pid) == started]
        return sorted({*seen, *naming(str(self.temp))} - {self.process.pid})


def family(pid: int) -> set[tuple[int, str]]:
    """A process and all below it, with their start times, so that a number used again is not taken for it."""
    found: set[tuple[int, str]] = set()
    todo = [pid]
    while todo:
        one = todo.pop()
        if started := start_time(one):
            found.add((one, started))
        for children in Path(f"/proc/{one}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                todo += [int(child) for child in children.read_text(encoding="ascii").split()]
    return found


def described(pids: list[int]) -> list[str]:
    """For a failing test: what these processes are."""
    found = []
    for pid in pids:
        with contextlib.suppress(OSError):
            command_line = Path(f"/proc/{pid}/cmdline").read_bytes().decode().replace("\0", " ")
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")[:40]
            found.append(f"{stat}: {command_line}")
    return found


def start_time(pid: int) -> str:
    """Empty when there is no such process, or when it is dead and only waits to be asked for."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]


def naming(text: str) -> list[int]:
    """Processes in whose environment or command line `text` stands."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
            if text.encode() in words and start_time(int(process.name)):
                found.append(int(process.name))
    return found


# How far the command has come: what there is to see of it.
MOMENTS: dict[str, Callable[[Command], bool]] = {
    "first sign": lambda command: bool(command.folders()),
    "start-up": lambda command: bool(command.alive()),
    "warm-up": lambda command: any(name.startswith("suite-") for name in command.folders()),
    "mid-run": lambda command: any(name.startswith("run-") for name in command.folders()),
}


@pytest.fixture
def command(bench: Bench, course: Path, tmp_path: Path) -> Iterator[Command]:
    temp = tmp_path / f"temp-{uuid4().hex}"
    temp.mkdir()
    report = tmp_path / "report.json"
    suite = bench.suite(SLEEPING)
    before = [contents(folder) for folder in (suite, course)]
    arguments = ["check", "W1", "--only", "mutation", "--tests", str(suite), "--course", str(course)]
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "grader",
            *arguments,
            "--jobs",
            "2",
            "--timeout",
            "300",
            "--json",
            str(report),
        ],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"TMPDIR": str(temp)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    command = Command(process, temp, report)
    yield command
    process.kill()
    process.communicate()
    assert [contents(folder) for folder in (suite, course)] == before


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        for path in folder.rglob("*")
        if "__pycache__" not in path.parts
    }


INTERRUPTIONS = {
    "SIGINT": (signal.SIGINT,),
    "SIGTERM": (signal.SIGTERM,),
    "SIGINT twice": (signal.SIGINT,) * 2,
}


@pytest.mark.parametrize("signals", INTERRUPTIONS.values(), ids=INTERRUPTIONS)
@pytest.mark.parametrize("moment", MOMENTS)
def test_an_interrupted_grading_ends_with_130_and_leaves_nothing(
    command: Command, moment: str, signals: tuple[signal.Signals, ...]
) -> None:
    command.wait_until(lambda: MOMENTS[moment](command))
    for number in signals:
        command.process.send_signal(number)
        time.sleep(0.02)
    _stdout, stderr = command.process.communicate(timeout=PATIENCE)
    assert command.process.returncode == 130, stderr
    assert "interrupted" in stderr
    assert "Traceback" not in stderr
    assert not command.report.exists()
    assert command.alive() == [], described(command.alive())
    assert list(command.temp.iterdir()) == []


# Before there is a server, no one is left who could remove a folder.
@pytest.mark.parametrize("moment", sorted(MOMENTS.keys() - {"first sign"}))
def test_of_a_grading_that_is_killed_no_process_and_no_file_is_left(command: Command, moment: str) -> None:
    command.wait_until(lambda: MOMENTS[moment](command))
    command.process.kill()
    command.process.communicate(timeout=PATIENCE)
    # It cannot tell its processes to end: they notice, the server after its imports.
    end = time.monotonic() + PATIENCE
    while (command.alive() or any(command.temp.iterdir())) and time.monotonic() < end:
        time.sleep(0.05)
    assert command.alive() == [], described(command.alive())
    assert list(command.temp.iterdir()) == []
    assert not command.report.exists()


def test_the_search_for_processes_finds_a_running_grading(command: Command) -> None:
    command.wait_until(lambda: MOMENTS["mid-run"](command))
    assert len(command.alive()) >= 4, "server, host, keeper and run"
