"""The report for a person at a terminal: state in words, survivors last, one line on what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.writers.terminal import ending, faults, problems, results

if TYPE_CHECKING:
    from rich.console import Console

    from grader.report import Report

__all__ = ["View", "write"]


@dataclass(frozen=True)
class View:
    """How much of a report to show.

    Attributes:
        verbose: every test, and whole messages.
        messages: what the killing tests said.
        first: say what a mutation grade is.
        course_only: the report of the course tests alone, each of them shown.
        folder: where the course tests stand; empty: not known.
    """

    verbose: bool = False
    messages: bool = False
    first: bool = False
    course_only: bool = False
    folder: str = ""


def write(report: Report, console: Console, view: View | None = None) -> None:
    """Print the report: course tests, own module, validity, faults, what it comes to, what to do next."""
    view = view or View()
    if report.course is not None:
        every = view.verbose or view.course_only
        results.course(report.course, console, every=every, verbose=view.verbose)
        if view.folder and report.course.failed:
            ending.place(view.folder, console)
    if report.own is not None:
        results.own(report.own, console, verbose=view.verbose)
    if report.validity is not None:
        if view.first:
            ending.explain(report.mutation, console)
        problems.validity(report.validity, console, verbose=view.verbose)
    if report.mutation is not None:
        faults.table(report.mutation, console, messages=view.messages or view.verbose)
        faults.alive(report.mutation, console)
    ending.notices(report, console)
    ending.verdict(report, console)
