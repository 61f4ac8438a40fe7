"""What the tests of the kits share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import processes
from tests.processes import ROOT, Done

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


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
    return processes.ol
