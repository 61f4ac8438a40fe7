"""What every test leaves as it was."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from grader.interrupts import INTERRUPTS

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def signals_stay() -> Iterator[None]:
    """A command that is run in this process answers signals in its own way: not those of the tests after it."""
    kept = {number: signal.getsignal(number) for number in INTERRUPTS}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)
