"""From the report to one place each: a file, a terminal, a service.

A format is a module here whose `write(report)` returns the whole text; a line in `FORMATS` makes it known. Where a
place takes more than a text, its module has a `deliver(report)` that sees to it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.report import Report

SCREEN = "terminal"
FORMATS = {
    "json": "grader.writers.json",
    SCREEN: "grader.writers.text",
    "text": "grader.writers.text",
    "markdown": "grader.writers.markdown",
    "csv": "grader.writers.csv",
    "junit": "grader.writers.junit",
    "gradescope": "grader.writers.gradescope",
    "github": "grader.writers.github",
}
# What a format can be told that no report knows: keywords of its `write`.
SETTINGS = {
    SCREEN: frozenset({"messages"}),
    "text": frozenset({"messages"}),
    "markdown": frozenset({"messages"}),
    "gradescope": frozenset({"points", "messages"}),
    "github": frozenset({"root", "messages"}),
}


def writer_of(name: str) -> Callable[..., str]:
    """The function that makes a report's text in this format: `write(report)`, with its settings as keywords."""
    return cast("Callable[..., str]", importlib.import_module(FORMATS[name]).write)


def written(name: str, report: Report, **settings: Any) -> str:
    """The text of a report in this format; it takes of the settings those that it knows."""
    known = SETTINGS.get(name, frozenset())
    return writer_of(name)(report, **{key: value for key, value in settings.items() if key in known})


def deliver(name: str, report: Report) -> None:
    """Do what this format's place takes beside a text on standard output; nothing for most.

    Raises:
        UnreadableError: a file of it cannot be written.
    """
    module = importlib.import_module(FORMATS[name])
    if hasattr(module, "deliver"):
        module.deliver(report)
