"""An edit that no longer fits the reference: what it looked for, and where it may belong now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from grader import texts
from grader.writers.terminal.beside import LINE_STYLES
from grader.writers.terminal.layout import block

if TYPE_CHECKING:
    from rich.console import Console

    from grader.author.reanchor import Place, Stale


AROUND = 2  # lines around one of several places, to tell them apart


def show(stale: Stale, source: str, console: Console) -> None:
    """Print the edit and its places in the reference's text, numbered where there are several."""
    file = stale.edit.file
    fits = "fits several places of" if stale.ambiguous else "no longer fits"
    console.print(Text(f"edit[{stale.number}] {fits} {texts.plain(file)}:", style="bold"))
    _change(stale.edit.find, stale.edit.replace, console)
    if not stale.places:
        console.print(Text("Nothing there is like it."))
    for number, place in enumerate(stale.places, start=1):
        mark = f"{number}. " if stale.ambiguous else "Closest: "
        console.print(Text(f"{mark}line {place.line}"))
        if stale.ambiguous:
            _surroundings(place, source, console)
        else:
            _place(place, console)


def _place(place: Place, console: Console) -> None:
    if place.replace is None:
        _change(place.text, place.text, console)
        console.print(Text("The reference changed the very words that the edit changes."))
    else:
        _change(place.text, place.replace, console)


def _surroundings(place: Place, source: str, console: Console) -> None:
    lines = source.split("\n")
    last = place.line + place.text.removesuffix("\n").count("\n")
    for number in range(max(1, place.line - AROUND), min(len(lines), last + AROUND) + 1):
        block(
            console,
            f"{number:>4}  {texts.plain(lines[number - 1])}",
            style="" if place.line <= number <= last else "dim",
        )


def _change(before: str, after: str, console: Console) -> None:
    for mark, text in (("-", before), ("+", after)):
        if mark == "+" and after == before:
            return
        for line in texts.plain(text).removesuffix("\n").split("\n") if text else []:
            block(console, f"{mark} {line}", style=LINE_STYLES[mark])
