"""The screen as a text of 80 columns without any escape code, for files, mails and logs."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from grader.console import make_console
from grader.writers import terminal

if TYPE_CHECKING:
    from grader.report import Report

WIDTH = 80


def write(report: Report) -> str:
    """The whole screen."""
    page = io.StringIO()
    terminal.write(report, make_console(no_color=True, stream=page, width=WIDTH))
    return page.getvalue()
