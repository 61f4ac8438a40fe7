"""What `ol doctor` found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from grader.writers.terminal.layout import NARROW, block, safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from grader.machine import Check


def table(checks: Sequence[Check], console: Console) -> None:
    """A line for each thing that was looked at, with what to do about what is not as it should be."""
    if console.width < NARROW:
        for check in checks:
            block(console, Text.assemble(_state(check), " ", (check.name, "bold")), 0)
            block(console, _found(check))
        return
    grid = Table.grid(padding=(0, 2, 0, 0))
    for check in checks:
        grid.add_row(_state(check), Text(check.name, style="bold"), _found(check))
    console.print(grid)


def _state(check: Check) -> Text:
    return Text("ok", style="green") if check.ok else Text("not ok", style="bold red")


def _found(check: Check) -> Text:
    fix = f"\nTo do: {check.fix}." if check.fix else ""
    return safe(check.sentence + fix)
