"""The faults: one row each, those that are alive last and once more with what to look for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from grader.advice import survivors
from grader.writers.said import message
from grader.writers.terminal.layout import NARROW, WIDE, block, safe, word

if TYPE_CHECKING:
    from rich.console import Console

    from grader.report import FaultLine, Mutation


def table(mutation: Mutation, console: Console, *, messages: bool) -> None:
    """Every fault: id, verdict, whether it is required, what is wrong, and the test that killed it."""
    if not mutation.faults:
        return
    console.print(Text("Your tests on the faults", style="bold"))
    ordered = sorted(mutation.faults, key=lambda fault: (fault.status != "killed", fault.id))
    if console.width < NARROW:
        for fault in ordered:
            _stacked(fault, console, messages=messages)
    else:
        console.print(_table(ordered, wide=console.width >= WIDE, messages=messages))
    console.print()


def _table(faults: list[FaultLine], *, wide: bool, messages: bool) -> Table:
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    last = ("what is wrong", "killed by") if wide else ("what is wrong, and the test that killed it",)
    for heading in ("fault", "verdict", "required", *last):
        grid.add_column(heading, overflow="fold")
    for fault in faults:
        wrong, killers = Text(fault.title), _killers(fault, messages=messages)
        cells = [wrong, killers] if wide else [Text("\n").join([wrong, killers] if killers else [wrong])]
        grid.add_row(Text(fault.id), word(fault.status), Text(_required(fault)), *cells)
    return grid


def _stacked(fault: FaultLine, console: Console, *, messages: bool) -> None:
    required = ", required" if fault.required else ""
    console.print(Text.assemble((fault.id, "bold"), " ", word(fault.status), required))
    block(console, fault.title)
    killers = _killers(fault, messages=messages)
    if killers:
        block(console, Text.assemble("by ", killers))


def _required(fault: FaultLine) -> str:
    return "required" if fault.required else ""


def _killers(fault: FaultLine, *, messages: bool) -> Text:
    lines = [safe(killer) for killer in fault.killed_by]
    if fault.message and (messages or not fault.killed_by):
        lines.append(safe(message(fault.message, lines=3)))
    return Text("\n", style="dim").join(lines)


def alive(mutation: Mutation, console: Console) -> None:
    """What is known of each fault that is not killed, required ones first."""
    told = [fault for fault in survivors(mutation) if fault.hint or fault.witness]
    for fault in told:
        required = " (required)" if fault.required else ""
        state = fault.status.replace("_", " ")
        console.print(Text.assemble((f"{fault.id} {fault.title}", "bold"), required, ": ", (state, "red")))
        for label, text in (("How it shows", fault.symptom), ("Blind spot", fault.hint)):
            if text:
                block(console, f"{label}: {text}.")
        if fault.witness:
            block(console, "For example:")
            block(console, fault.witness, 8)
    if told:
        console.print()
