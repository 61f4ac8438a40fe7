"""How texts are laid out on a screen: indented blocks that wrap, and what is narrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from grader import texts

if TYPE_CHECKING:
    from rich.console import Console

NARROW = 60  # columns; below, a table of several columns cannot be read
WIDE = 110  # columns; from here on, a test's id has a column of its own
INDENT = 4
FEW_LINES = 5  # of what a test said, where there is more to tell
STYLES = {
    "passed": "green",
    "killed": "green",
    "failed": "red",
    "error": "red",
    "survived": "red",
    "timeout": "yellow",
    "crashed": "yellow",
    "not_run": "dim",
}


def word(state: str) -> Text:
    """A state as words, in its colour."""
    return Text(state.replace("_", " "), style=STYLES.get(state, ""))


def safe(text: str, style: str = "") -> Text:
    """A text that a learner may have had a say in."""
    return Text(texts.plain(text), style=style)


def block(console: Console, text: str | Text, indent: int = INDENT, style: str = "") -> None:
    """Print a text that wraps within its indentation."""
    if console.width < NARROW:
        indent = max(indent - 2, 0)
    shown = safe(text, style) if isinstance(text, str) else text
    shown.overflow = "fold"
    console.print(Padding(shown, (0, 0, 0, indent), expand=False))
