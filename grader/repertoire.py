"""All programs of a lesson, ready to be handed out: each time written afresh, so that its form tells nothing.

What a program is rewritten into follows from the operating system's randomness and not from the seed of the grading:
behaviour is the same to the last bit, so the report is too, and who knows the seed still knows no program's form.

Where one repertoire serves many submissions, a form is compiled once and handed out several times: no run knows what
another one saw, and the forms are gone, never to come again, before anyone reads a report.
"""

from __future__ import annotations

import marshal
import random
import secrets
import threading
from typing import TYPE_CHECKING

from grader.programs import programs_of
from grader.rewriting import Contract, Rewriter, names_used
from grader.workers.library import compiled
from grader.workers.wire import Module

if TYPE_CHECKING:
    from grader.lesson import Lesson
    from grader.programs import Program

SEED_BITS = 128
FORMS = 4  # of each program, to choose from
USES = 40  # of one form


class Repertoire:
    """The programs of one lesson.

    Args:
        lesson: the lesson.
        shared: whether many submissions are graded with it.

    Attributes:
        programs: as their authors wrote them.
    """

    def __init__(self, lesson: Lesson, *, shared: bool = False) -> None:
        self.programs = programs_of(lesson)
        everything = (*self.programs.correct, self.programs.canary, *self.programs.faults)
        contract = Contract(names_used(module.source for module in lesson.reference_modules.values()))
        self._rewriter = Rewriter([program.modules for program in everything], contract)
        self._ahead: dict[Program, list[Module]] = {}
        self._stock: dict[Program, list[_Form]] | None = {} if shared else None
        self._lock = threading.Lock()

    @property
    def exposed(self) -> dict[str, tuple[str, ...]]:
        """See `Rewriter.exposed`: what of a program's form rewriting cannot change, by module."""
        return self._rewriter.exposed

    def draw_ahead(self) -> None:
        """Draw each program once, while there is nothing else to do; `fresh` hands these out first."""
        for program in (*self.programs.correct, self.programs.canary, *self.programs.faults):
            self._ahead[program] = self._draw(program)

    def fresh(self, program: Program) -> list[Module]:
        """The modules of a program in a form of its own; callable from several threads."""
        if self._stock is not None:
            with self._lock:
                return self._from_stock(program, self._stock)
        return self._next(program)

    def _from_stock(self, program: Program, stock: dict[Program, list[_Form]]) -> list[Module]:
        forms = stock.setdefault(program, [])
        chosen = secrets.randbelow(FORMS)
        if chosen >= len(forms):
            forms.append(_Form(self._next(program)))
            chosen = -1
        form = forms[chosen]
        form.uses += 1
        if form.uses == USES:
            forms.remove(form)
        return form.modules

    def _next(self, program: Program) -> list[Module]:
        return self._ahead.pop(program, None) or self._draw(program)

    def _draw(self, program: Program) -> list[Module]:
        draw = random.Random(secrets.randbits(SEED_BITS))  # noqa: S311 - seeded by the operating system
        return list(self._rewriter.fresh(program.modules, draw))


class _Form:
    """A program in one form, compiled, and how often it was handed out."""

    def __init__(self, modules: list[Module]) -> None:
        self.modules = [
            Module(module.name, "", module.is_package, marshal.dumps(compiled(module))) for module in modules
        ]
        self.uses = 0
