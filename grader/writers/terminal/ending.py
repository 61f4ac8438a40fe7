"""What a report comes to: notices, the verdict, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from grader import texts
from grader.advice import next_step, pool_parts, private_part, tally
from grader.writers.terminal.layout import block, safe

if TYPE_CHECKING:
    from rich.console import Console

    from grader.report import Mutation, Report

STYLES = {
    "passed": "bold green",
    "failed": "bold red",
    "invalid": "bold yellow",
    "error": "bold magenta",
}


def explain(mutation: Mutation | None, console: Console) -> None:
    """What a mutation grade is, for someone who meets the first one."""
    numbers = f" This lesson has {mutation.total}; {mutation.needed} of them are enough" if mutation else ""
    required = ", if the required ones are among them." if mutation else ""
    block(
        console,
        "What the grade of your tests is: your tests are run on correct programs, written in different ways, and "
        "must pass on each of them. Then they are run on faults, copies of the correct program with one known "
        "mistake each. A fault on which a test of yours fails is killed; one that all of them pass has survived, "
        f"and shows where your tests are blind.{numbers}{required}",
        0,
        "italic",
    )
    console.print()


def place(folder: str, console: Console) -> None:
    """Where the course tests can be read."""
    block(console, f"The course tests stand in {folder}", 0, "dim")
    console.print()


def notices(report: Report, console: Console) -> None:
    """What a learner should know beside the verdict."""
    for notice in report.notices:
        block(console, f"Note: {notice}", 0)
    if report.notices:
        console.print()


def verdict(report: Report, console: Console) -> None:
    """The count, the status with its reason, the next step, and how to repeat it all."""
    grade = report.mutation
    if grade is not None:
        console.print(Text(f"{tally(grade)}{private_part(grade)}"))
        for pool in pool_parts(grade):
            console.print(Text(str(pool)))
    status = Text(report.status.upper(), style=STYLES.get(report.status, "bold"))
    block(console, Text.assemble(status, f" {report.lesson}: ", safe(texts.one_line(report.reason))), 0)
    step = next_step(report)
    if step:
        block(console, Text.assemble(("Next: ", "bold"), safe(step)), 0)
    took = f", {report.seconds:.1f} s" if report.seconds else ""
    console.print(Text(f"seed {report.seed}{took}", style="dim"))
