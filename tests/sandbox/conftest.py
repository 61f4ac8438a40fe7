"""The ground on which a run under test stands."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from .inside import Ground

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    home = tmp_path / "home"
    made = Ground(home / "suite", home / "run-1", home / "run-2", tmp_path / "outside", os.getpid())
    for folder in (made.suite, made.temp, made.sibling, made.outside):
        folder.mkdir(parents=True)
    (made.suite / "test_it.py").write_text("x = 1\n")
    (made.sibling / "notes").write_text("theirs\n")
    made.secret.write_text("secret\n")
    return made
