"""The screen as a text of 80 columns without any escape code, for files, mails and logs."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from grader.console import make_console
from grader.writers import terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from grader.report import Report

WIDTH = 80


def write(report: Report, *, messages: bool = False) -> str:
    """The whole screen; with `messages`, what the killing tests said, too."""
    return drawn(lambda console: terminal.write(report, console, terminal.View(messages=messages)))


def drawn(draw: Callable[[Console], None]) -> str:
    """What `draw` prints."""
    page = io.StringIO()
    draw(make_console(no_color=True, stream=page, width=WIDTH))
    return page.getvalue()
