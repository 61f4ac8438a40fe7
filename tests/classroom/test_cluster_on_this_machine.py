"""A cluster that the command starts itself: nothing of Dask's is seen of it, and Ctrl-C is answered once."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
from typing import TYPE_CHECKING

import pytest

from grader.classroom.cluster import LOCAL, ClusterExecutor
from grader.classroom.executor import Work
from grader.errors import ClusterError
from grader.lesson import load_lesson
from grader.suite_grader import Settings
from tests.classroom.school import SUITES, lay_course, ol, task
from tests.engine.conftest import lay_down
from tests.processes import PATIENCE, command_line, environment, family, processes_in, wait_until

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return lay_course(tmp_path / "course")


@pytest.mark.parametrize("processes", [1, 3], ids=["at first", "while workers start"])
def test_ctrl_c_in_a_terminal_gives_one_line_and_leaves_nothing(
    course: Path, tmp_path: Path, processes: int
) -> None:
    lay_down(tmp_path / "class", {f"{n}/test_it.py": f"{SUITES['partial']}# {n}" for n in range(4)})
    temp = tmp_path / "temp"
    temp.mkdir()
    arguments = ("W1", "class", "--out", "out", "--course", course, "--cluster", "local", "--jobs", 1)
    with subprocess.Popen(
        command_line("grade", *arguments),
        cwd=tmp_path,
        env=environment(temp),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as run:
        wait_until(lambda: run.poll() is not None or len(family(run.pid)) >= processes, "nothing is started")
        os.killpg(run.pid, signal.SIGINT)
        out, err = run.communicate(timeout=PATIENCE)
    assert (run.returncode, out) == (130, "")
    assert err.count("\n") == 1
    assert err.startswith("ol: interrupted; ")
    wait_until(lambda: not processes_in(temp), "a process is left")


def with_ada(folder: Path, course: Path, cluster: str) -> tuple[object, ...]:
    """To grade a class of one on a cluster."""
    lay_down(folder / "class", {"ada/test_it.py": SUITES["complete"]})
    return ("W1", folder / "class", "--out", folder / "out", "--course", course, "--cluster", cluster)


def test_another_cluster_on_this_machine_is_no_ones_business(course: Path, tmp_path: Path) -> None:
    arguments = with_ada(tmp_path, course, "local")
    with socket.socket() as taken:
        # Where Dask's scheduler has its dashboard; if it is taken already, all the better.
        with contextlib.suppress(OSError):
            taken.bind(("127.0.0.1", 8787))
            taken.listen()
        ended = ol(tmp_path / "temp", "grade", *arguments, "--jobs", 1)
    assert ended.code == 0
    assert re.fullmatch(r"(grading: .*\n)*", ended.err)


def test_a_scheduler_that_goes_before_a_task_is_sent_is_said_to_be_gone(course: Path) -> None:
    lesson = load_lesson(course, "W1")
    with ClusterExecutor(Work(lesson, Settings()), LOCAL, jobs=1) as executor:
        executor._client.close()
        with pytest.raises(ClusterError, match="The scheduler at local is gone"):
            executor._submit(task(lesson, "ada"))


@pytest.mark.parametrize("address", ["foo", "tcp://127.0.0.1:99999", "tls://127.0.0.1:1"])
def test_an_address_that_cannot_be_reached_is_named(course: Path, tmp_path: Path, address: str) -> None:
    arguments = with_ada(tmp_path, course, address)
    ended = ol(tmp_path / "temp", "grade", *arguments)
    assert (ended.code, ended.out) == (70, "")
    assert re.match(rf"ol: .* scheduler at {address}\b", ended.err)
    assert ended.err.endswith("[cluster]\n")
