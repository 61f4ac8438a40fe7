"""A tiny course, suites of its learners, and what is looked at when a batch was ended: processes and files."""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.classroom.task import Task
from grader.submission.model import Collector
from tests.engine.conftest import COURSE, lay_down

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from grader.lesson import Lesson
    from grader.submission import Submission

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120.0  # seconds; only what hangs takes so long
SEED = 7

IMPORT = "from words.shout import shout, letters\n"
MARK = "def test_mark(): assert shout('a')[-1] == '!'\n"
LOUD = "def test_loud(): assert 'AB' in shout('ab')\n"

# What a learner may hand in, and the status that it gets.
SUITES = {
    "complete": IMPORT + MARK + LOUD,
    "partial": IMPORT + LOUD,
    "wrong": IMPORT + "def test_whisper(): assert shout('a') == 'a'\n",
    "broken": "def test_(: pass\n",
    "exits": IMPORT + "def test_exit(): raise SystemExit(0)\n",
}
STATUSES = {
    "complete": "passed",
    "partial": "failed",
    "wrong": "invalid",
    "broken": "invalid",
    "exits": "invalid",
}


def lay_course(folder: Path) -> Path:
    """The tiny course, in a folder."""
    return lay_down(folder, COURSE)


def submission(text: str, number: int = 0) -> Submission:
    """A suite of one file; a number makes it different from others."""
    collector = Collector()
    collector.add("test_it.py", f"{text}# {number}\n".encode())
    return collector.submission("suite")


def task(lesson: Lesson, key: str, kind: str = "complete") -> Task:
    return Task(
        key=key,
        submission=submission(SUITES[kind], number=int(hashlib.sha256(key.encode()).hexdigest()[:8], 16)),
        seed=SEED,
        lesson_sha256=lesson.sha256,
    )


# ------------------------------------------------------------------------- the command


@dataclass(frozen=True)
class Ended:
    """How `ol` ended, and what it said."""

    code: int
    out: str
    err: str


def command_line(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "grader", *map(str, arguments)]


def environment(temp: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(temp),
        **(more or {}),
    }


def ol(temp: Path, *arguments: object) -> Ended:
    """Run a command to its end, with a temporary folder of its own."""
    temp.mkdir(exist_ok=True)
    done = subprocess.run(
        command_line(*arguments),
        cwd=temp.parent,
        env=environment(temp),
        capture_output=True,
        text=True,
        timeout=10 * PATIENCE,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


# ------------------------------------------------------------------------- what is left


def children_of(pid: int) -> list[int]:
    """The living child processes of a process."""
    found: list[int] = []
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += map(int, children.read_text(encoding="ascii").split())
    return found


def family(pid: int) -> list[int]:
    """All living processes below a process."""
    return [each for child in children_of(pid) for each in (child, *family(child))]


def processes_in(temp: Path) -> list[str]:
    """Processes whose environment names this temporary folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if str(temp).encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text().replace("\0", " "))
    return found


def wait_until(holds: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)
