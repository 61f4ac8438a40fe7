"""The screen of a table of tests and faults as a text of 80 columns, without any escape code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.writers.terminal import matrix as screen
from grader.writers.text import drawn

if TYPE_CHECKING:
    from grader.author.matrix import Analysis, Matrix


def write(matrix: Matrix, analysis: Analysis) -> str:
    """The whole screen."""
    return drawn(lambda console: screen.show(matrix, analysis, console))
