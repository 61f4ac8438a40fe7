"""From the report to one place each: a file, a terminal, a service.

A format is a module here whose `write(report)` returns the whole text; a line in `FORMATS` makes it known.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.report import Report

SCREEN = "terminal"
FORMATS = {
    "json": "grader.writers.json",
    SCREEN: "grader.writers.text",
    "text": "grader.writers.text",
}


def writer_of(name: str) -> Callable[[Report], str]:
    """The function that makes a report's text in this format."""
    return cast("Callable[[Report], str]", importlib.import_module(FORMATS[name]).write)
