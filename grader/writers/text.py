"""The screen as a text of 80 columns without any escape code, for files, mails and logs."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from grader.console import make_console
from grader.writers import terminal

if TYPE_CHECKING:
    from grader.report import Report

WIDTH = 80


def write(report: Report, *, messages: bool = False) -> str:
    """The whole screen; with `messages`, what the killing tests said, too."""
    page = io.StringIO()
    console = make_console(no_color=True, stream=page, width=WIDTH)
    terminal.write(report, console, terminal.View(messages=messages))
    return page.getvalue()
