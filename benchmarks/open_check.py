"""`ol` without what makes it blind and contained: programs as their authors wrote them, runs without a sandbox.

For measurements only: what rewriting and the sandbox cost is the difference to the command as it is.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from grader.cli import run
from grader.repertoire import Repertoire

if TYPE_CHECKING:
    from grader.programs import Program
    from grader.workers.wire import Module


def as_written(_self: Repertoire, program: Program) -> list[Module]:
    """The program as it is."""
    return list(program.modules)


def main() -> None:
    """Run the command line that follows."""
    Repertoire.fresh = as_written  # type: ignore[method-assign]  # the point of this script
    Repertoire.draw_ahead = lambda _self: None  # type: ignore[method-assign]  # as above
    sys.exit(run([*sys.argv[1:], "--sandbox", "off"]))


if __name__ == "__main__":
    main()
