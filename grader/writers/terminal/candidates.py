"""Candidates for faults on the screen, best first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from grader.author.candidates.model import Class
from grader.author.candidates.wording import change, kills, label, place, remark, summary
from grader.writers.terminal.layout import NARROW, block, safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from grader.author.candidates.model import Judged
    from grader.author.candidates.suggest import Suggested

STYLES = {Class.MISSED: "bold red", Class.KILLED: "green", Class.TWIN: "yellow"}


def show(suggested: Suggested, shown: Sequence[Judged], console: Console, *, verbose: bool = False) -> None:
    """A summary, the candidates that were asked for, and what to do with one.

    Args:
        suggested: what was found.
        shown: the candidates to show.
        console: where.
        verbose: name every test that kills a candidate, and show every witness.
    """
    console.print(Text(summary(suggested), style="bold"))
    for notice in suggested.notices:
        block(console, notice)
    if not shown:
        return
    console.print()
    if verbose or console.width < NARROW:
        for each in shown:
            _in_full(each, console, verbose=verbose)
    else:
        console.print(_table(shown))
    left = len(suggested.judged) - len(shown)
    console.print()
    if left:
        console.print(Text(f"{left} more are not shown here: --limit, --class and --json choose."))
    console.print(Text(f"`ol mutants adopt {shown[0].candidate.id}` makes a fault file of one."))


def _table(shown: Sequence[Judged]) -> Table:
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    grid.add_column("candidate", no_wrap=True)
    grid.add_column("score", justify="right", no_wrap=True)
    grid.add_column("class", no_wrap=True)
    grid.add_column("line", justify="right", no_wrap=True)
    grid.add_column("killed by", no_wrap=True)
    grid.add_column("change", overflow="fold", ratio=1)
    for each in shown:
        grid.add_row(
            each.candidate.id,
            f"{each.score:.2f}",
            _label(each),
            str(each.candidate.line),
            kills(each),
            _change(each),
        )
    return grid


def _label(judged: Judged) -> Text:
    return Text(label(judged.kind), style=STYLES.get(judged.kind, ""))


def _change(judged: Judged) -> Text:
    before, after = change(judged)
    return Text.assemble(safe(before), " → ", safe(after, "bold"))


def _in_full(judged: Judged, console: Console, *, verbose: bool) -> None:
    head = Text(f"{judged.candidate.id}  {judged.score:.2f}  ")
    console.print(head.append_text(_label(judged)).append(f"  {place(judged)}  killed by {kills(judged)}"))
    before, after = change(judged)
    block(console, f"{before} → {after}")
    if not verbose:
        return
    said = remark(judged)
    if said:
        block(console, said)
    if judged.killed_by:
        block(console, f"killed by {', '.join(judged.killed_by)}")
    for line in judged.witness.splitlines():
        block(console, f"  {line}")
