"""`ol` without what makes it blind and contained: programs as their authors wrote them, runs without a sandbox.

For measurements only: what rewriting and the sandbox cost is the difference to the command as it is.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from grader import pipeline
from grader.cli import run
from grader.repertoire import Repertoire

if TYPE_CHECKING:
    from grader.programs import Program
    from grader.workers.wire import Module


class AsWritten(Repertoire):
    """Hands out every program as it is."""

    def draw_ahead(self) -> None:
        """Nothing has to be drawn."""

    def fresh(self, program: Program) -> list[Module]:
        """The modules of a program."""
        return list(program.modules)


def main() -> None:
    """Run the command line that follows."""
    pipeline.Repertoire = AsWritten  # type: ignore[attr-defined]  # the point of this script
    sys.exit(run([*sys.argv[1:], "--sandbox", "off"]))


if __name__ == "__main__":
    main()
