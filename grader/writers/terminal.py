"""The report for a person at a terminal: state in words, survivors last, one line on what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console

    from grader.report import FaultLine, Mutation, Report

STYLES = {"killed": "green", "survived": "red", "timeout": "yellow", "crashed": "yellow", "not_run": "dim"}
STATUS_STYLES = {
    "passed": "bold green",
    "failed": "bold red",
    "invalid": "bold yellow",
    "error": "bold magenta",
}


def write(report: Report, console: Console, *, verbose: bool = False) -> None:
    """Print the report."""
    if report.validity is not None and report.mutation is None:
        _problems(report, console)
    if report.mutation is not None:
        _faults(report.mutation, console, verbose=verbose)
        _survivors(report.mutation, console)
    for notice in report.notices:
        console.print(Text(f"Note: {notice}"))
    console.print(
        Text.assemble(
            (report.status.upper(), STATUS_STYLES[report.status]), f" {report.lesson}: {report.reason}"
        )
    )
    console.print(Text(f"seed {report.seed}, {report.seconds:.1f} s", style="dim"))


def _problems(report: Report, console: Console) -> None:
    assert report.validity is not None  # noqa: S101 - the caller looked
    for problem in report.validity.problems:
        where = f"{problem.test}: " if problem.test else ""
        console.print(
            Text.assemble((problem.kind.replace("_", " "), "bold yellow"), f"  {where}{problem.message}")
        )
    console.print()


def _faults(mutation: Mutation, console: Console, *, verbose: bool) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("fault", "what is wrong", "required", "verdict", "killed by"):
        table.add_column(heading, overflow="fold")
    for fault in sorted(mutation.faults, key=lambda fault: (fault.status != "killed", fault.id)):
        table.add_row(*_row(fault, verbose=verbose))
    console.print(table)
    console.print()


def _row(fault: FaultLine, *, verbose: bool) -> list[Text]:
    killers = ", ".join(fault.killed_by)
    if verbose and fault.message:
        killers = f"{killers}: {fault.message}" if killers else fault.message
    return [
        Text(fault.id),
        Text(fault.title),
        Text("required" if fault.required else ""),
        Text(fault.status.replace("_", " "), style=STYLES[fault.status]),
        Text(killers),
    ]


def _survivors(mutation: Mutation, console: Console) -> None:
    for fault in mutation.faults:
        if fault.status != "killed" and fault.hint:
            console.print(Text.assemble((f"{fault.id} {fault.title}", "bold"), f": {fault.hint}"))
    if any(fault.hint for fault in mutation.faults):
        console.print()
