"""`ol mutants show`: one fault, with what it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from grader.commands.delivery import put_json
from grader.commands.mutants.naming import fault_argument, lesson_option, named_fault
from grader.commands.options import common
from grader.errors import ExitCode

if TYPE_CHECKING:
    from grader.author.story import Story
    from grader.commands.options import Common


@click.command(short_help="One fault: its story and what it changes.")
@fault_argument
@lesson_option
@click.option("--run", is_flag=True, help="Run the course tests on it, and say which of them see it.")
@common
def command(common: Common, *, fault: str, in_lesson: str | None, run: bool) -> int:
    """Show the fault ID: its story, who catches it, its witness, and the reference beside what it makes of it.

    Nothing is run unless you ask for it.

    \b
    Examples:
      ol mutants show L7.1/s01
      ol mutants show s01 --run

    Exit codes: 0 shown, 4 its file or its edits are wrong, or --run finds other tests than its file names.
    """
    from grader.author.story import story_of  # noqa: PLC0415 - help needs no fault

    course, place = named_fault(common, fault, in_lesson)
    story = story_of(course, place, run=run)
    put_json(_document(story), common)
    if not common.json_only:
        from grader.console import make_console  # noqa: PLC0415 - not needed for JSON
        from grader.writers.terminal import fault_story  # noqa: PLC0415 - as above

        fault_story.show(story, make_console(no_color=common.no_color))
    return ExitCode.COURSE if story.problem or not story.as_stated else ExitCode.PASSED


def _document(story: Story) -> dict[str, object]:
    draft = story.draft
    return {
        "lesson": story.place.lesson,
        "id": story.place.id,
        "file": story.place.file,
        "title": draft.title,
        "pitfall": draft.pitfall,
        "required": draft.required,
        "symptom": draft.symptom,
        "hint": draft.hint,
        "caught_by": draft.caught_by,
        "timeout_is_kill": draft.timeout_is_kill,
        "witness": draft.witness.call if draft.witness else None,
        "diff": "\n".join(story.diff),
        "problem": story.problem or None,
        "missing": draft.missing,
        "killed_by": story.killers,
    }
