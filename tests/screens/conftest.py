"""Golden screens: what is rendered here is compared, to the letter, with a file that a person has looked at.

`UPDATE_SCREENS=1 pytest tests/screens` writes the files anew; look at the difference before you keep it.
"""

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest
from rich.console import Console

from grader.console import make_console

Draw = Callable[[Console], None]


class Screen(Protocol):
    """What a drawing prints: on a terminal with colours, or into a pipe."""

    def __call__(self, draw: Draw, width: int, *, colour: bool = False) -> str: ...


Golden = Callable[[str, Path], None]


class Terminal(io.StringIO):
    """A text stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """`screen(draw, width, colour=…)` is what `draw` prints on a terminal with colours, or into a pipe."""

    def render(draw: Draw, width: int, *, colour: bool = False) -> str:
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("TERM", "xterm-256color")
        for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
            monkeypatch.delenv(name, raising=False)
        stream = Terminal() if colour else io.StringIO()
        draw(make_console(stream=stream))
        return stream.getvalue()

    return render


@pytest.fixture
def golden() -> Golden:
    """`golden(text, path)` holds when the file has exactly this text."""

    def compare(text: str, path: Path) -> None:
        if os.environ.get("UPDATE_SCREENS"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        assert path.is_file(), f"{path} is missing: UPDATE_SCREENS=1 writes it"
        assert text == path.read_text(encoding="utf-8")

    return compare
