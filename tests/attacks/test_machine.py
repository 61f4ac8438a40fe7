"""That the checks of the machine and of the outputs can fail."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.attacks.machine import (
    MARK,
    Machine,
    code_in,
    dangers,
    kernel_objects,
    lines_of_the_course,
    marks,
    processes,
    secrets_in,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def temp(tmp_path: Path) -> Path:
    folder = tmp_path / "temp"
    folder.mkdir()
    return folder


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    folder = tmp_path / "kept"
    folder.mkdir()
    (folder / "file").write_text("as it was")
    return folder


def test_a_machine_that_nobody_touched_has_no_changes(temp: Path, kept: Path) -> None:
    assert list(Machine(temp, (kept,)).changes()) == []


@pytest.mark.parametrize("trace", ["environment", "argument", "folder"])
def test_a_process_that_is_left_is_found(temp: Path, trace: str) -> None:
    code = "import time; print(flush=True); time.sleep(30)"
    environment = {"TMPDIR": str(temp)} if trace == "environment" else {}
    arguments = [str(temp / "x")] if trace == "argument" else []
    folder = temp if trace == "folder" else None
    command = [sys.executable, "-S", "-c", code, *arguments]
    with subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.PIPE) as left:
        assert left.stdout is not None
        left.stdout.readline()  # it has started
        assert processes(str(temp)) == [left.pid]
        assert list(Machine(temp, ()).changes()) == [f"process {left.pid} is left"]
        left.kill()


def test_a_file_in_the_temporary_folder_is_found(temp: Path) -> None:
    machine = Machine(temp, ())
    (temp / "ol-left").mkdir()
    assert list(machine.changes()) == [f"{temp / 'ol-left'} is left"]


@pytest.mark.parametrize("harm", ["changed", "added", "removed"])
def test_a_folder_that_is_not_as_it_was_is_found(temp: Path, kept: Path, harm: str) -> None:
    machine = Machine(temp, (kept,))
    if harm == "changed":
        (kept / "file").write_text("otherwise")
    elif harm == "added":
        (kept / "more").touch()
    else:
        (kept / "file").unlink()
    assert list(machine.changes()) == [f"{kept} has changed"]


def test_shared_memory_that_is_left_is_found(temp: Path) -> None:
    libc = pytest.importorskip("ctypes").CDLL(None, use_errno=True)
    machine = Machine(temp, ())
    number = libc.shmget(0, 64, 0o600)
    if number < 0:
        pytest.skip("no System V shared memory here")
    try:
        assert [change for change in machine.changes() if f" {number}" in change]
    finally:
        libc.shmctl(number, 0, None)  # IPC_RMID
    assert kernel_objects() >= set()
    assert list(machine.changes()) == []


def test_a_name_of_a_socket_that_is_left_is_found() -> None:
    name = f"{MARK}-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(f"\0{name}")
        assert f"@{name}" in marks()
    assert f"@{name}" not in marks()


def test_a_planted_text_is_found_in_what_is_said() -> None:
    secrets = {"the file": "xyzzy", "the variable": "plugh"}
    assert list(secrets_in({"the screen": "all is well"}, secrets)) == []
    assert list(secrets_in({"the screen": "a xyzzy b"}, secrets)) == ["the screen says the file"]


def test_a_line_of_a_fault_is_found_in_what_is_said(tmp_path: Path) -> None:
    fault = next(line for line in lines_of_the_course() if "F.sqrt(mean_square) + self.eps" in line)
    assert list(code_in({"the screen": f"E   {fault}"}, tmp_path)) == [f"the screen says {fault!r}"]
    (tmp_path / "test_norm.py").write_text(f"# {fault}\n")
    assert list(code_in({"the screen": f"E   {fault}"}, tmp_path)) == [], "the learner wrote it, too"


@pytest.mark.parametrize(
    "text",
    [
        "::error file=x::y",
        "   ::error::y",
        "fine\n::set-output name=a::b",
        "E  ##vso[task.complete result=Succeeded]",
        "a ##[error] b",
        "\x1b[31mred",
        "\x9b31mred",
        "\x1b]0;title\x07",
        "over\rwritten",
        "a\u202egnp",
        "a\u2066b",
        "a\u2028::error::b",
        "a\x00b",
        "a\x85b",
        "a\udcffb",
        "\U000e0041",
    ],
)
def test_what_a_terminal_or_a_log_obeys_is_found(text: str) -> None:
    assert list(dangers(text))


def test_ordinary_output_is_no_danger() -> None:
    assert (
        list(dangers("s01  killed  by test_norm.py::test_small[1e-3] — √(x² + ε)\n  ✓ passed: 9 of 9\n"))
        == []
    )
