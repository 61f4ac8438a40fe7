"""`ol` without what makes it blind and contained: programs as their authors wrote them, runs without a sandbox.

For measurements only: what rewriting and the sandbox cost is the difference to the command as it is.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from grader.cli import run
from grader.programs import programs_of
from grader.repertoire import Repertoire

if TYPE_CHECKING:
    from grader.lesson import Lesson
    from grader.programs import Program
    from grader.workers.wire import Module


def prepare(repertoire: Repertoire, lesson: Lesson, *, shared: bool = False) -> None:
    """Prepare no rewriting."""
    del shared  # nothing is made that could be
    repertoire.programs = programs_of(lesson)


def draw_nothing(_repertoire: Repertoire) -> None:
    """Nothing has to be drawn."""


def as_written(_repertoire: Repertoire, program: Program) -> list[Module]:
    """The modules of a program."""
    return list(program.modules)


def main() -> None:
    """Run the command line that follows."""
    # In the class itself, so that it holds whoever makes one.
    Repertoire.__init__ = prepare  # type: ignore[method-assign,assignment]  # the point of this script
    Repertoire.draw_ahead = draw_nothing  # type: ignore[method-assign,assignment]  # as above
    Repertoire.fresh = as_written  # type: ignore[method-assign,assignment]  # as above
    sys.exit(run([*sys.argv[1:], "--sandbox", "off"]))


if __name__ == "__main__":
    main()
