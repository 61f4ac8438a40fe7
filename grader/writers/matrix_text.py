"""The screen of a table of tests and faults as a text of 80 columns, without any escape code."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from grader.console import make_console
from grader.writers.terminal import matrix as screen

if TYPE_CHECKING:
    from grader.author.matrix import Analysis, Matrix

WIDTH = 80


def write(matrix: Matrix, analysis: Analysis) -> str:
    """The whole screen."""
    page = io.StringIO()
    screen.show(matrix, analysis, make_console(no_color=True, stream=page, width=WIDTH))
    return page.getvalue()
