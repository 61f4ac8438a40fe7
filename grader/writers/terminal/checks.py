"""What `ol doctor` found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from grader.writers.terminal.layout import block, safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from grader.machine import Check


def table(checks: Sequence[Check], console: Console) -> None:
    """A line for each thing that was looked at, with what to do about what is not as it should be."""
    for check in checks:
        state = Text("ok     ", style="green") if check.ok else Text("not ok ", style="bold red")
        block(console, Text.assemble(state, (f"{check.name:<12}", "bold"), safe(check.sentence)), 0)
        if check.fix:
            block(console, f"To do: {check.fix}.", 7)
