"""A tiny course, suites of its learners, and the command that grades them."""

from __future__ import annotations

import hashlib
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.classroom.task import Task
from grader.submission.model import Collector
from tests.engine.conftest import COURSE, lay_down
from tests.processes import PATIENCE, command_line, environment

if TYPE_CHECKING:
    from pathlib import Path

    from grader.lesson import Lesson
    from grader.submission import Submission

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


def lay_class(folder: Path, rounds: int) -> Path:
    """So many submissions of each kind, no two alike: `KIND-NUMBER`."""
    for number in range(rounds):
        for name, text in SUITES.items():
            suite = folder / f"{name}-{number}"
            suite.mkdir(parents=True)
            (suite / "test_it.py").write_text(f"{text}# {number}\n", encoding="utf-8")
    return folder


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
