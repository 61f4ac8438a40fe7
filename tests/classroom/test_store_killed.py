"""Whatever the store said is kept is there after SIGKILL at any moment, whole and once."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from grader.classroom.store import Store
from grader.classroom.store.names import FILE
from tests.classroom.made import LESSON, graded

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 6
MOST = 40  # attempts that a round says are kept before it is killed

# Adds attempts, and writes each one's learner to standard output when it is kept.
ADDS = """
import os, sys
from itertools import count
from pathlib import Path
from grader.classroom.store import Store
from tests.classroom.made import LESSON, entry, graded
round = sys.argv[2]
with Store.open(Path(sys.argv[1]), LESSON) as store:
    for number in count():
        learner = f"{round}-{number}"
        store.add(entry(learner), graded(submission=learner))
        os.write(1, f"{learner}\\n".encode())
"""


def killed_after(out: Path, name: str, acknowledged: int) -> list[str]:
    """Let a process add attempts, and kill it when it has said that this many are kept; all that it said."""
    command = [sys.executable, "-c", ADDS, str(out), name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(acknowledged)]
        process.kill()
        said += process.stdout.readlines()
    assert process.returncode == -9
    # The last line may be cut short; then it was not said.
    return [line.strip() for line in said if line.endswith("\n")]


def test_what_was_said_to_be_kept_is_there_after_sigkill(tmp_path: Path) -> None:
    draw = random.Random(7)  # noqa: S311 - when to kill is no secret
    said: list[str] = []
    for number in range(ROUNDS):
        said += killed_after(tmp_path, f"round{number}", draw.randint(1, MOST))
        check(tmp_path, said, rounds=number + 1)


def check(out: Path, said: list[str], rounds: int) -> None:
    with Store.open(out, LESSON) as store:
        kept = list(store.latest())
        assert {attempt.learner for attempt in kept} >= set(said)
        assert len(kept) <= len(said) + rounds  # of each round, at most the one in flight
        assert all(len(store.history(attempt.learner)) == 1 for attempt in kept)
        assert all(store.report(each) == graded(submission=each.learner) for each in kept)


def test_the_file_is_sound_after_sigkill(tmp_path: Path) -> None:
    killed_after(tmp_path, "only", 3)
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_store_that_loses_attempts_is_found_out(tmp_path: Path) -> None:
    """The check above can fail: what is only in the write-ahead log is lost with it."""
    said = killed_after(tmp_path, "only", 3)
    os.truncate(tmp_path / f"{FILE}-wal", 0)
    with pytest.raises(AssertionError):
        check(tmp_path, said, rounds=1)
