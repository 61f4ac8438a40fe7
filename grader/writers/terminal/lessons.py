"""The list of lessons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from grader.writers.terminal.layout import NARROW, block

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from grader.standing import Standing


def table(standings: Sequence[Standing], console: Console) -> None:
    """A row a lesson."""
    if console.width < NARROW:
        for each in standings:
            console.print(Text(f"{each.lesson} {each.title}", style="bold"))
            block(console, f"rung {each.rung}, {each.needed} of {each.faults} needed: {each.told}")
        return
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("lesson", "title", "rung", "needed", "where you stand"):
        grid.add_column(heading, overflow="fold")
    for each in standings:
        needed = f"{each.needed} of {each.faults}"
        grid.add_row(*map(Text, (each.lesson, each.title, each.rung, needed, each.told)))
    console.print(grid)
