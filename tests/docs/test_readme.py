"""What the README shows is what its commands print."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from grader.lesson import load_lesson

if TYPE_CHECKING:
    from pathlib import Path

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS = re.compile(r"\d+\.\d s\b")


@pytest.fixture
def blocks(root: Path) -> list[tuple[str, str]]:
    return BLOCK.findall((root / "README.md").read_text(encoding="utf-8"))


def test_the_first_block_is_one_command_on_one_line(blocks: list[tuple[str, str]]) -> None:
    language, text = blocks[0]
    assert language == "sh"
    assert len(text.splitlines()) == 1
    assert text.startswith("python3 -m venv .venv && ")


def test_the_first_command_prints_what_the_readme_shows(blocks: list[tuple[str, str]], root: Path) -> None:
    _made, _installed, grading = blocks[0][1].split(" && ")
    _program, *arguments = shlex.split(grading)
    environment = {**os.environ, "COLUMNS": "80"}
    done = subprocess.run(
        [sys.executable, "-m", "grader", *arguments],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    shown = SECONDS.sub("… s", blocks[1][1])
    printed = SECONDS.sub("… s", done.stdout)
    assert [line.rstrip() for line in printed.splitlines()] == shown.splitlines()
    assert all(fault.id in shown for fault in load_lesson(root, "L7.1").faults)


def test_the_second_command_is_the_one_that_ci_runs(blocks: list[tuple[str, str]], root: Path) -> None:
    assert blocks[2][1].strip() == "sh tests/run"
    assert "exec sh tests/run" in (root / ".ci" / "run").read_text(encoding="utf-8")
