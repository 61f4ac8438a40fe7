"""The screen as a text of 80 columns without any escape code, for files, mails and logs."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from grader import texts
from grader.writers import terminal

if TYPE_CHECKING:
    from grader.report import Report

WIDTH = 80


def write(report: Report) -> str:
    """The whole screen."""
    from rich.console import Console  # noqa: PLC0415 - takes time that JSON need not spend

    page = io.StringIO()
    terminal.write(
        report, Console(file=page, width=WIDTH, color_system=None, highlight=False, markup=False, emoji=False)
    )
    return texts.guarded(texts.without_trailing_blanks(page.getvalue()))
