"""What the tests of the documentation share."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def root() -> Path:
    return ROOT


@pytest.fixture
def module_map() -> Callable[[], str]:
    found = runpy.run_path(str(ROOT / "tests" / "docs" / "module_map.py"))
    return cast("Callable[[], str]", found["module_map"])
