"""All programs of a lesson, ready to be handed out: each time written afresh, so that its form tells nothing.

What a program is rewritten into follows from the operating system's randomness and not from the seed of the grading:
behaviour is the same to the last bit, so the report is too, and who knows the seed still knows no program's form.
"""

from __future__ import annotations

import random
import secrets
from typing import TYPE_CHECKING

from grader.programs import programs_of
from grader.rewriting import Contract, Rewriter, names_used

if TYPE_CHECKING:
    from grader.lesson import Lesson
    from grader.programs import Program
    from grader.workers.wire import Module

SEED_BITS = 128


class Repertoire:
    """The programs of one lesson.

    Attributes:
        programs: as their authors wrote them.
    """

    def __init__(self, lesson: Lesson) -> None:
        self.programs = programs_of(lesson)
        everything = (*self.programs.correct, self.programs.canary, *self.programs.faults)
        contract = Contract(names_used(module.source for module in lesson.reference_modules.values()))
        self._rewriter = Rewriter([program.modules for program in everything], contract)
        self._ahead: dict[Program, list[Module]] = {}

    def draw_ahead(self) -> None:
        """Draw each program once, while there is nothing else to do; `fresh` hands these out first."""
        for program in (*self.programs.correct, self.programs.canary, *self.programs.faults):
            self._ahead[program] = self._draw(program)

    def fresh(self, program: Program) -> list[Module]:
        """The modules of a program as no run has seen them before; callable from several threads."""
        return self._ahead.pop(program, None) or self._draw(program)

    def _draw(self, program: Program) -> list[Module]:
        draw = random.Random(secrets.randbits(SEED_BITS))  # noqa: S311 - seeded by the operating system
        return list(self._rewriter.fresh(program.modules, draw))
