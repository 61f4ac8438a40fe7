"""Finds, together with the author, where edits belong that no longer fit the reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader import texts
from grader.author.anchor import fits
from grader.author.reanchor import stale_edits, with_edits
from grader.errors import FaultEditError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from grader.author.reanchor import Place, Stale
    from grader.commands.mutants.asking import Questions
    from grader.lesson import Edit

BY_HAND = "Run the command without `--yes`, or make the edit by hand and give `--edited FILE`."


@dataclass(frozen=True)
class Carried:
    """The edits of one file, made in the reference as it is now.

    Attributes:
        text: the faulty text.
        moved: whether any edit was stale.
        complete: whether all edits are made in it.
    """

    text: str
    moved: bool
    complete: bool


@dataclass(frozen=True)
class Reanchoring:
    """Carries a fault's edits over to a changed reference.

    Attributes:
        origin: the fault's file, for errors.
        console: where the edits and their new places are shown.
        questions: asks which place is the right one.
        yes: take the closest place if it is surely the right one, and ask nothing.
    """

    origin: str
    console: Console
    questions: Questions
    yes: bool

    def carried(self, edits: Sequence[Edit], file: str, source: str) -> Carried:
        """The edits of a file in its text of today, as far as author and program find where they belong.

        Raises:
            FaultEditError: with `yes`, an edit has not exactly one place that is surely the right one; or two edits
                meet in one place.
        """
        stale = stale_edits(edits, file, source)
        places = [self._place(each, source) for each in stale]
        fitting = [edit for edit in edits if edit.file == file and fits(edit, source)]
        found = [place for place in places if place is not None]
        text = with_edits(source, fitting, found)
        if text is None:
            raise FaultEditError(self.origin, f"two edits would meet in one place of {file}", BY_HAND)
        return Carried(text, moved=bool(stale), complete=len(found) == len(stale))

    def _place(self, stale: Stale, source: str) -> Place | None:
        from grader.writers.terminal import fault_anchor  # noqa: PLC0415 - most edits fit

        fault_anchor.show(stale, source, self.console)
        if any(place.text == place.replace for place in stale.places):
            reason = f"edit[{stale.number}].find: the reference has become what this edit makes of it"
            raise FaultEditError(
                self.origin, reason, "Mend the reference, or take the fault out of the course."
            )
        if self.yes:
            return self._only_place(stale)
        if stale.ambiguous:
            return self._chosen(stale)
        usable = bool(stale.places) and stale.places[0].replace is not None
        if usable and self.questions.confirm("Is this the place, and the change?"):
            return stale.places[0]
        self.questions.tell("Then make this edit again by hand: the editor opens with those that fit.")
        return None

    def _only_place(self, stale: Stale) -> Place:
        key, file = f"edit[{stale.number}].find", stale.edit.file
        if stale.ambiguous:
            raise FaultEditError(
                self.origin, f"{key} stands in several places of {file}, {_where(stale)}", BY_HAND
            )
        if not stale.places:
            raise FaultEditError(
                self.origin, f"{key} matches nothing in {file}, nor anything like it", BY_HAND
            )
        place = stale.places[0]
        if place.replace is None:
            raise FaultEditError(
                self.origin, f"{key}: the reference changed the very words that it changes", BY_HAND
            )
        if not place.sure:
            reason = f"{key} matches nothing in {file}, and line {place.line}, the closest, may be another statement"
            raise FaultEditError(self.origin, reason, BY_HAND)
        return place

    def _chosen(self, stale: Stale) -> Place | None:
        count = len(stale.places)
        if stale.more:
            self.questions.tell(
                f"It stands in {texts.count(stale.more, 'more place')}: make the edit there by hand."
            )
        while answer := self.questions.ask(f"Which of them, 1 to {count} (none: by hand)"):
            if answer.isdecimal() and 1 <= int(answer) <= count:
                return stale.places[int(answer) - 1]
            self.questions.tell(f"{answer} is none of them")
        return None


def _where(stale: Stale) -> str:
    lines = list(dict.fromkeys(str(place.line) for place in stale.places))
    more = f" and in {texts.count(stale.more, 'more place')}" if stale.more else ""
    return f"on {'lines' if len(lines) > 1 else 'line'} {', '.join(lines)}{more}"
