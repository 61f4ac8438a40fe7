"""The faults of a course, a row each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from grader import texts
from grader.writers.terminal.layout import NARROW, block, safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from grader.author.listing import Listed


def table(faults: Sequence[Listed], console: Console) -> None:
    """A row a fault; below, what keeps faults from being graded with."""
    if not faults:
        console.print(Text("There is no fault here yet: `ol mutants new` makes one."))
    elif console.width < NARROW:
        _narrow(faults, console)
    else:
        _wide(faults, console)
    _problems([each for each in faults if each.problem], console)


def _wide(faults: Sequence[Listed], console: Console) -> None:
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    grid.add_column("fault", no_wrap=True)
    grid.add_column("title", overflow="fold")
    grid.add_column("pitfall", justify="right")
    grid.add_column("required")
    grid.add_column("caught by")
    for each in faults:
        pitfall = str(each.draft.pitfall or "")
        required = "required" if each.draft.required else ""
        grid.add_row(_name(each), safe(each.draft.title or "?"), pitfall, required, _caught(each))
    console.print(grid)


def _narrow(faults: Sequence[Listed], console: Console) -> None:
    for each in faults:
        console.print(Text(" ").join([_name(each), safe(each.draft.title or "?", "bold")]))
        pitfall = f"pitfall {each.draft.pitfall}, required, " if each.draft.required else ""
        block(console, f"{pitfall}caught by {_caught(each)}")


def _name(each: Listed) -> Text:
    return safe(each.place.name, "red" if each.problem else "")


def _caught(each: Listed) -> str:
    return texts.count(len(each.draft.caught_by), "test") if each.draft.caught_by else "?"


def _problems(broken: Sequence[Listed], console: Console) -> None:
    if not broken:
        return
    console.print()
    lessons = ", ".join(dict.fromkeys(each.place.lesson for each in broken))
    console.print(Text(f"Nothing can be graded with {lessons} until this is mended:", style="bold"))
    for each in broken:
        block(console, each.problem)
