"""`action.yml`, for direct use: what GitHub would take, and what its script does."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any, cast

import pytest
import yaml

from tests.kits.actions import put_ol

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SECONDS = 300
Done = subprocess.CompletedProcess[str]


@pytest.fixture
def action(root: Path) -> dict[str, Any]:
    return cast("dict[str, Any]", yaml.safe_load((root / "action.yml").read_text(encoding="utf-8")))


@pytest.fixture
def check(action: dict[str, Any], tmp_path: Path) -> Callable[..., Done]:
    """`check(tests=…)`: the action's last step with these inputs, and its own defaults for the others."""
    put_ol(tmp_path / "temp")
    step = action["runs"]["steps"][-1]

    def call(**given: str) -> Done:
        inputs = {name: found.get("default", "") for name, found in action["inputs"].items()} | given
        told = {
            name: inputs[value[3:-2].strip().removeprefix("inputs.")] for name, value in step["env"].items()
        }
        own = {
            "PATH": os.environ["PATH"],
            "RUNNER_TEMP": str(tmp_path / "temp"),
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        }
        return subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=tmp_path,
            env=own | told,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            encoding="utf-8",
        )

    return call


def test_github_would_take_it(root: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        "vendor.github-actions",
        "action.yml",
    ]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_input_is_put_into_a_script(action: dict[str, Any]) -> None:
    assert [step["name"] for step in action["runs"]["steps"] if "${{" in step.get("run", "")] == []


@pytest.mark.parametrize(
    ("submission", "status", "code"),
    [("complete", "passed", 0), ("misses-eps", "failed", 1), ("no-tests", "invalid", 3)],
)
def test_it_ends_as_ol_ends_and_says_how(
    submission: str, status: str, code: int, check: Callable[..., Done], submissions: Path, tmp_path: Path
) -> None:
    done = check(lesson="L7.1", tests=str(submissions / submission / "suite"), sandbox="auto", seed="7")
    assert done.returncode == code, done.stderr
    assert (tmp_path / "output").read_text() == f"exit-code={code}\nstatus={status}\n"
    assert f"title=L7.1%3A {status}" in done.stdout
    assert (tmp_path / "summary").read_text().startswith(f"## L7.1: {status}\n")
    assert (tmp_path / "ol-report.json").exists()


def test_an_input_is_never_a_part_of_the_script(check: Callable[..., Done], tmp_path: Path) -> None:
    done = check(lesson='L7.1"; touch forged; "', tests="$(touch forged)", sandbox="auto")
    assert done.returncode == 2
    assert (tmp_path / "output").read_text() == "exit-code=2\n"
    assert not (tmp_path / "forged").exists()


def test_other_data_than_the_pinned_ones_are_refused(
    check: Callable[..., Done], submissions: Path, tmp_path: Path
) -> None:
    tests = str(submissions / "complete" / "suite")
    options = {"lesson": "L7.1", "tests": tests, "sandbox": "auto", "lesson-sha256": "0" * 64}
    assert check(**options).returncode == 4
    assert (tmp_path / "output").read_text() == "exit-code=4\nstatus=error\n"
