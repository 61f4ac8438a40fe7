"""Two texts of Python beside each other where the terminal is wide, one after the other where it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from grader import texts
from grader.diff import Side, rows, unified

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

SIDE_BY_SIDE = 100  # columns
THEME = "ansi_dark"  # the terminal's own colours
LINE_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def show(yours: str, reference: str, console: Console) -> None:
    """Print both; the learner's text is made harmless first."""
    yours, reference = texts.plain(yours).rstrip("\n"), texts.plain(reference).rstrip("\n")
    if yours == reference:
        console.print(Text("Your module is the reference, to the letter."))
    elif console.width >= SIDE_BY_SIDE:
        _beside(yours, reference, console)
    else:
        _after_each_other(yours, reference, console)


def _beside(yours: str, reference: str, console: Console) -> None:
    left, right = _coloured(yours), _coloured(reference)
    grid = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    width = (console.width - 4) // 2
    grid.add_column("yours", width=width, overflow="fold")
    grid.add_column("", width=1)
    grid.add_column("reference", width=width, overflow="fold")
    for row in rows(yours.split("\n"), reference.split("\n")):
        grid.add_row(
            left[row.yours] if row.yours is not None else Text(),
            Text(row.side.value, style="" if row.side is Side.BOTH else "bold yellow"),
            right[row.reference] if row.reference is not None else Text(),
        )
    console.print(grid)
    console.print(Text("| changed   < only yours   > only the reference", style="dim"))


def _coloured(code: str) -> list[Text]:
    syntax = Syntax(code, "python", theme=THEME, background_color="default")
    shown = syntax.highlight(code)
    shown.rstrip()
    return list(shown.split("\n", allow_blank=True))


def _after_each_other(yours: str, reference: str, console: Console) -> None:
    console.print(Text("- only yours   + only the reference", style="dim"))
    changes(unified(yours.split("\n"), reference.split("\n")), console)


def changes(lines: Iterable[str], console: Console) -> None:
    """Print the lines of a unified diff, each in the colour of what it says."""
    for line in lines:
        console.print(Text(line, style=LINE_STYLES.get(line[:1], ""), overflow="fold"))
