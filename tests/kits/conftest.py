"""What the tests of the kits share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300  # far above what any command needs

Done = subprocess.CompletedProcess[str]


@pytest.fixture(scope="session")
def root() -> Path:
    """This checkout."""
    return ROOT


@pytest.fixture(scope="session")
def submissions() -> Path:
    """Example submissions, each a folder with its suite."""
    return ROOT / "fixtures" / "L7.1" / "submissions"


@pytest.fixture(scope="session")
def ol() -> Callable[..., Done]:
    """`ol(*arguments, folder=…)`: the command, in a process of its own."""

    def call(*arguments: str | Path, folder: Path, **environment: str) -> Done:
        inherited = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
        return subprocess.run(
            [sys.executable, "-m", "grader", *map(str, arguments)],
            cwd=folder,
            env=inherited | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"} | environment,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            encoding="utf-8",
        )

    return call
