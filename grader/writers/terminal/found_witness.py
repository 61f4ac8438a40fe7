"""What the search for a witness came to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from grader import texts
from grader.author.witness.author_inputs import file_of
from grader.author.witness.saving import witness_table
from grader.values import compared
from grader.writers.terminal.layout import block, safe

if TYPE_CHECKING:
    from rich.console import Console

    from grader.author.witness.search import Found
    from grader.author.witness.seeking import Sought


def tell(sought: Sought, console: Console, *, written: bool) -> None:
    """The input, both results and the table to paste; or that there is probably none."""
    console.print(Text(" ").join([safe(sought.place.name, "bold"), safe(sought.title, "bold")]))
    found = sought.found
    if found.call is None:
        _none(sought, console)
        return
    console.print()
    block(console, found.call)
    console.print()
    console.print(safe(compared(found.right, found.wrong)), overflow="fold")
    console.print()
    _effort(found, console)
    if written:
        console.print(safe(f"Written to {sought.place.file}."))
    elif sought.stored.strip() == found.call:
        console.print(safe("It is the witness that the fault has."))
    else:
        console.print(safe(f"Ready to paste into {sought.place.file}, or add --write:"))
        console.print()
        # To be copied: nothing but the terminal may break these lines.
        console.print(safe(witness_table(found.call)), soft_wrap=True, end="")


def _effort(found: Found, console: Console) -> None:
    tried = f"The first difference showed on input {found.first} of {found.inputs}; the rest went into a smaller one."
    console.print(safe(tried), style="dim", overflow="fold")


def _none(sought: Sought, console: Console) -> None:
    found = sought.found
    if found.partial is not None:
        console.print()
        block(console, found.partial)
        console.print()
        only = "shows a difference in only one of float32 and float64, so it is no witness"
        console.print(
            safe(f"This input {only}; {texts.count(found.inputs, 'input')} tried."), overflow="fold"
        )
        return
    more = f"Other inputs can be described in {file_of(sought.place.lesson)}."
    tried = f"{texts.count(found.inputs, 'input')} ({found.known} of them with a value from the reference)"
    if found.probably_equivalent:
        console.print(safe(f"No difference found in {tried}: probably equivalent. {more}"), overflow="fold")
    else:
        console.print(safe(f"Nothing can be said: tried {tried}. {more}"), overflow="fold")
