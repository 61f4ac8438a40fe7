"""Folders that no archive tool would make: whatever lies in a submission, reading it ends, and nothing outside is read."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from tests.attacks.machine import COURSE, dangers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HONEST = (COURSE / "fixtures/L7.1/submissions/attack-tells-by-bytecode/suite/test_honest.py").read_text()
SECONDS = 60
SECRET = "planted-outside-of-the-suite-77aa"  # noqa: S105 - what must not be said


def pipe_as_a_test(suite: Path) -> None:
    os.mkfifo(suite / "test_pipe.py")


def pipe_as_a_helper(suite: Path) -> None:
    os.mkfifo(suite / "helpers.py")
    (suite / "test_honest.py").write_text("import helpers\n" + HONEST)


def device(suite: Path) -> None:
    (suite / "test_zero.py").symlink_to("/dev/zero")


def device_as_a_helper(suite: Path) -> None:
    (suite / "helpers.py").symlink_to("/dev/zero")
    (suite / "test_honest.py").write_text("import helpers\n" + HONEST)


def link_that_leaves(suite: Path) -> None:
    outside = suite.parent / "outside.py"
    outside.write_text(f"SECRET = {SECRET!r}\nassert not SECRET, SECRET\n")
    (suite / "test_outside.py").symlink_to(outside)


def folder_link_that_leaves(suite: Path) -> None:
    outside = suite.parent / "outside"
    outside.mkdir()
    (outside / "test_outside.py").write_text(f"assert not {SECRET!r}\n")
    (suite / "more").symlink_to(outside)


def link_to_itself(suite: Path) -> None:
    (suite / "test_loop.py").symlink_to("test_loop.py")
    (suite / "folder").symlink_to(".")


def name_with_a_newline(suite: Path) -> None:
    (suite / "test_a\n::error file=x::forged.py").write_text(HONEST)


def name_with_escapes(suite: Path) -> None:
    (suite / "test_\x1b[31m\u202e.py").write_text(HONEST)


def name_that_is_no_text(suite: Path) -> None:
    (suite / os.fsdecode(b"test_\xff.py")).write_text(HONEST)


def names_that_differ_in_case(suite: Path) -> None:
    (suite / "test_Honest.py").write_text("def test_other():\n    assert False\n")


def folder_named_as_a_test(suite: Path) -> None:
    (suite / "test_folder.py").mkdir()
    (suite / "test_folder.py" / "test_inside.py").write_text(HONEST)


def huge_sparse_file(suite: Path) -> None:
    with (suite / "test_huge.py").open("wb") as file:
        file.truncate(1 << 40)


def many_files(suite: Path) -> None:
    for i in range(3000):
        (suite / f"test_{i}.py").write_text("")


def deep_folders(suite: Path) -> None:
    here = os.open(suite, os.O_RDONLY)
    for _i in range(600):
        os.mkdir("d", dir_fd=here)
        there = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = there
    os.close(os.open("test_deep.py", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


TREES = [
    pipe_as_a_test,
    pipe_as_a_helper,
    device,
    device_as_a_helper,
    link_that_leaves,
    folder_link_that_leaves,
    link_to_itself,
    name_with_a_newline,
    name_with_escapes,
    name_that_is_no_text,
    names_that_differ_in_case,
    folder_named_as_a_test,
    huge_sparse_file,
    many_files,
    deep_folders,
]


@pytest.mark.parametrize("whole", [True, False], ids=["folder", "file"])
@pytest.mark.parametrize("make", TREES, ids=lambda make: make.__name__)
def test_a_hostile_tree_is_read_to_its_end(make: Callable[[Path], None], whole: bool, tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    suite.mkdir()
    (suite / "test_honest.py").write_text(HONEST)
    make(suite)
    report = tmp_path / "report.json"
    tests = suite if whole else suite / "test_honest.py"
    command = [sys.executable, "-P", "-m", "grader", "check", "L7.1", "--only", "mutation", "--seed", "7"]
    done = subprocess.run(
        [*command, "--tests", str(tests), "--json", str(report)],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    screen = (done.stdout + done.stderr).decode("utf-8", "surrogateescape")
    assert done.returncode in {1, 3}, screen[-2000:]
    written = report.read_text(encoding="utf-8")
    assert msgspec.json.decode(written)["exit_code"] == done.returncode
    assert list(dangers(screen)) == []
    assert SECRET not in screen + written
