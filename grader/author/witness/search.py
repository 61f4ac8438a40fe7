"""The search for a witness: has a bench try inputs, goes on where one broke it, and settles what was found.

Hypothesis draws and shrinks; it prefers inputs for which less is drawn, and earlier choices. Of the inputs that it ends
with, and of all that it came upon, the one with the fewest lines and characters is the witness.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from grader.author.witness.catching import catching_text
from grader.author.witness.journal import Journal
from grader.author.witness.records import Hunt, Kind, Search, Tried
from grader.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from grader.author.witness.laboratory import Bench, Laboratory
    from grader.author.witness.templates import Template


DEFAULT = Search()


@dataclass(frozen=True)
class Found:
    """What a search came to.

    Attributes:
        call: the body of a witness that holds in both dtypes; None if there is none.
        inputs: different inputs that were tried, those of the shrinking too.
        known: those of them for which the reference gives a value.
        right: what the reference does on the witness, as a verb and its object; empty without one.
        wrong: what the faulty program does.
        first: which of the inputs was the first that held, counted from 1; 0 without one.
        partial: where there is no witness, an input that differs in one dtype alone; else None.
    """

    call: str | None
    inputs: int
    known: int
    right: str = ""
    wrong: str = ""
    first: int = 0
    partial: str | None = None

    @property
    def probably_equivalent(self) -> bool:
        """Whether no input showed any difference, of those that there were."""
        return self.call is None and self.partial is None and self.known > 0


def find(
    laboratory: Laboratory,
    sources: Mapping[str, str],
    search: Search = DEFAULT,
    *,
    templates: Sequence[Template] | None = None,
    on_input: Callable[[int], None] = lambda _tried: None,
) -> Found:
    """Search for an input on which a faulty program and the reference differ.

    Args:
        laboratory: of the lesson.
        sources: by a file's name relative to the course's `reference` folder, its faulty text.
        search: how many inputs, and which.
        templates: what to draw from; None: the laboratory's.
        on_input: called with the number of inputs tried so far.

    Raises:
        LessonError: the lesson's file of inputs is wrong.
        MissingExtraError: hypothesis is not installed.
        HarnessError: the laboratory is gone.
    """
    if importlib.util.find_spec("hypothesis") is None:
        raise MissingExtraError("hypothesis", "author")
    drawn_from = laboratory.templates if templates is None else templates
    with laboratory.bench(sources) as bench:
        journal = _journal(bench, list(drawn_from), search, on_input)
        return _settled(bench, journal)


def _journal(
    bench: Bench, templates: list[Template], search: Search, on_input: Callable[[int], None]
) -> Journal:
    """All that was tried; a hunt that an input put an end to is begun anew, with what is known by then."""
    known: list[Tried] = []
    while True:
        journal = Journal()
        broken = bench.hunt(Hunt(templates, search, known), partial(_note, journal, on_input))
        if broken is None:
            return journal
        known = [Tried(call, journal.picked[call], judged) for call, judged in journal.judged.items()]
        known.append(broken)


def _note(journal: Journal, on_input: Callable[[int], None], tried: Tried) -> None:
    journal.note(tried)
    on_input(len(journal.judged))


def _settled(bench: Bench, journal: Journal) -> Found:
    """The outcome; a witness is tried once more, on a bench of its own."""
    inputs, known = len(journal.judged), journal.known
    while (call := journal.best) is not None:
        final = _as_value(bench, call, journal.judged[call].kind)
        with bench.another() as fresh:
            if (judged := fresh.judge(final)).holds:
                return Found(final, inputs, known, judged.right, judged.wrong, journal.first)
        journal.dismiss(call)  # it depended on the inputs before it
    return Found(None, inputs, known, partial=journal.partial)


def _as_value(bench: Bench, call: str, kind: Kind) -> str:
    """A witness returns a value: so one that shows an exception catches it, where it can be written so."""
    if kind is not Kind.RAISED:
        return call
    catching = catching_text(call)
    return catching if catching is not None and bench.judge(catching).holds else call
