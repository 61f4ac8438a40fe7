"""What was verified about lessons: a line for each subject, then what does not hold, then what is worth knowing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from grader import texts
from grader.writers.terminal.layout import block, safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from grader.author.verify import Finding, Verification

INDENT = 2
DEEP = 6


def write(verifications: Sequence[Verification], console: Console, *, verbose: bool = False) -> None:
    """Everything about some lessons; `verbose`: what holds, too."""
    from grader.author.verify import Level  # noqa: PLC0415 - the writers are there without the author's tools

    for each in verifications:
        console.print(Text(f"{each.lesson} {each.title}".rstrip(), style="bold"))
        _subjects(each, console)
        if verbose:
            _details("What holds", each.of(Level.OK), "green", console)
        _details("Worth knowing", each.of(Level.NOTE), "yellow", console)
        _details("Does not hold", each.of(Level.ERROR), "bold red", console)
        console.print()
    block(console, _sum(verifications), 0)


def _subjects(verification: Verification, console: Console) -> None:
    grid = Table.grid(padding=(0, 2, 0, 0))
    for subject in dict.fromkeys(finding.subject for finding in verification.findings):
        found = [finding for finding in verification.findings if finding.subject == subject]
        grid.add_row(Text(" " * INDENT + subject), _state(found))
    console.print(grid)


def _state(findings: Sequence[Finding]) -> Text:
    wrong = sum(finding.level == "error" for finding in findings)
    checks = sum(finding.level != "note" for finding in findings)
    if wrong:
        verb = "does not hold" if wrong == 1 else "do not hold"
        return Text(f"{wrong} of {texts.count(checks, 'check')} {verb}", style="red")
    return Text(f"{texts.count(checks, 'check')} {'holds' if checks == 1 else 'hold'}", style="green")


def _details(heading: str, findings: Sequence[Finding], style: str, console: Console) -> None:
    if not findings:
        return
    block(console, Text(heading, style=style), INDENT)
    for finding in findings:
        block(console, Text.assemble((finding.subject, "bold"), f" {finding.check}"), 2 * INDENT)
        block(console, safe(finding.message), DEEP)


def _sum(verifications: Sequence[Verification]) -> Text:
    findings = [finding for each in verifications for finding in each.findings]
    wrong = sum(finding.level == "error" for finding in findings)
    checks = sum(finding.level != "note" for finding in findings)
    where = texts.count(len(verifications), "lesson")
    if wrong:
        return Text(f"{texts.count(wrong, 'problem')} in {where}.", style="bold red")
    return Text(f"Everything holds: {texts.count(checks, 'check')} in {where}.", style="bold green")
