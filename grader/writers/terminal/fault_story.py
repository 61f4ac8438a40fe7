"""One fault: what it is, what it changes, and what shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from grader import texts
from grader.writers.terminal.beside import changes
from grader.writers.terminal.layout import block, safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from grader.author.story import Story
    from grader.lesson import Edit

TO_WRITE = "still to be written"


def show(story: Story, console: Console) -> None:
    """Print a fault; texts in it are made harmless first."""
    draft = story.draft
    console.print(safe(f"{story.place.name}  {draft.title or TO_WRITE}", "bold"))
    if draft.pitfall:
        block(console, f"pitfall {draft.pitfall} of the chapter: required")
    if draft.timeout_is_kill:
        block(console, "meant to hang: not to end is a kill")
    _part("Symptom", [draft.symptom or TO_WRITE], console)
    _part("Hint", [draft.hint or TO_WRITE], console)
    _part("Caught by", draft.caught_by or [TO_WRITE], console)
    _part("Witness", [draft.witness.call.strip("\n") if draft.witness else TO_WRITE], console)
    _change(story, console)
    _what_was_run(story, console)


def _change(story: Story, console: Console) -> None:
    if story.problem:
        _part("Does not fit", [story.problem], console)
        for edit in story.unfit:
            console.print()
            changes(_lines(edit), console)
        console.print()
        block(console, f"Next: `ol mutants edit {story.place.name}` finds where it belongs now.", indent=0)
        return
    console.print()
    changes(map(texts.plain, story.diff), console)


def _what_was_run(story: Story, console: Console) -> None:
    if story.killers is None:
        return
    if story.as_stated:
        _part("When run", ["exactly these tests catch it"], console)
        return
    _part("When run, it is caught by", story.killers or ["no course test"], console)
    console.print()
    block(console, f"Next: `ol mutants edit {story.place.name} --yes --run` writes that down.", indent=0)


def _part(heading: str, lines: Sequence[str], console: Console) -> None:
    console.print()
    console.print(Text(heading, style="bold"))
    for line in lines:
        block(console, line)


def _lines(edit: Edit) -> list[str]:
    before = [f"-{line}" for line in texts.plain(edit.find).split("\n")]
    return before + [f"+{line}" for line in texts.plain(edit.replace).split("\n")]
