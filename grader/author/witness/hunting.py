"""The search itself, beside the programs: template by template, each input that shows the fault made smaller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.author.witness.drawing import Draws, draw
from grader.author.witness.journal import UNKNOWN, Journal
from grader.author.witness.records import Kind, Tried, Trying

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.author.witness.records import Hunt, Judged
    from grader.author.witness.templates import Template

LEAST_SHARE = 20  # inputs of each template, however many templates there are
MOST_ENDLESS = 5  # each costs its whole time: after so many, no more are looked for


class Hunting:
    """One search.

    Args:
        hunt: what is searched for, and what is known already.
        judge: tries an input.
        tell: hears of each input before and after it is tried.
    """

    def __init__(
        self, hunt: Hunt, judge: Callable[[str], Judged], tell: Callable[[Trying | Tried], None]
    ) -> None:
        self._search = hunt.search
        self._templates = hunt.templates
        self._judge = judge
        self._tell = tell
        # Inputs that are known are met again in the same order, since the seed is the same.
        self._known = {tried.call: tried.judged for tried in hunt.known}
        self._journal = Journal()

    def run(self) -> None:
        """Give each template its share; if the fault shows in no way to be preferred, shrink by those that there are."""
        spent, shown_by = 0, []
        for index, template in enumerate(self._templates):
            share = (self._search.inputs - spent) // (len(self._templates) - index)
            before = len(self._journal.judged)
            self._draw(template, max(LEAST_SHARE, share), Kind.PLAIN)
            new = list(self._journal.judged)[before:]
            spent += min(len(new), share)
            shown_by.append({self._journal.judged[call].kind for call in new})
            if self._journal.best and not self._search.shrink:
                return
        best = self._journal.best
        if best is not None and (kind := self._journal.judged[best].kind) is not Kind.PLAIN:
            for template, kinds in zip(self._templates, shown_by, strict=True):
                if kind in kinds:
                    self._draw(template, self._search.inputs, kind)

    def _draw(self, template: Template, inputs: int, kind: Kind) -> None:
        """Draw until an input shows the fault in this way or a better one; then shrink it."""

        def shows(drawn: tuple[str, int]) -> bool:
            judged = self._judged(*drawn)
            return judged.holds and judged.kind <= kind

        draw(template, shows, Draws(inputs, self._search.seed, self._search.shrink))

    def _judged(self, call: str, picked: int) -> Judged:
        journal = self._journal
        if call not in journal.judged:
            if call not in self._known and journal.endless >= MOST_ENDLESS:
                return UNKNOWN
            self._tell(Trying(call, picked))
            judged = self._known.get(call) or self._judge(call)
            tried = Tried(call, picked, judged)
            journal.note(tried)
            self._tell(tried)
        return journal.judged[call]
