"""`ol mutants adopt`: a fault file from a candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from grader.commands.delivery import put_json
from grader.commands.mutants.naming import lesson_option
from grader.commands.options import common

if TYPE_CHECKING:
    from grader.commands.options import Common
    from grader.lesson import Lesson


@click.command(short_help="Make a fault file of a candidate.")
@click.argument("candidate")
@click.option("--id", "fault_id", metavar="ID", help="The fault's id; else the next that is free.")
@lesson_option
@click.option("--title", metavar="TEXT", default="", help="What is wrong, in a few words.")
@click.option("--symptom", metavar="TEXT", default="", help="What somebody sees who runs it.")
@click.option(
    "--hint", metavar="TEXT", default="", help="What to look for in a suite that misses it; not the answer."
)
@click.option(
    "--inputs",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    metavar="N",
    help="Inputs to try in the search for a witness; 0: no search.",
)
@common
def command(
    common: Common, *, candidate: str, fault_id: str | None, in_lesson: str | None, inputs: int, **told: str
) -> int:
    """Make a fault of CANDIDATE, a name that `ol mutants suggest` lists, or its first digits.

    The course tests that kill it and an input that shows it are found out and filled in. What only a person can say, its
    title, its symptom and its hint, is left to you, and the lesson cannot be graded until it is there.

    \b
    Example:
      ol mutants adopt 1144770b0e --lesson L7.1 --id s10

    Exit codes: 0 written, 2 there is no such candidate or the id is taken, 4 the lesson is wrong.
    """
    from grader.author.candidates.adopt import Told, adopt  # noqa: PLC0415 - help needs nothing of all this
    from grader.author.candidates.find import find_candidate  # noqa: PLC0415 - as above
    from grader.author.changes import sources_of  # noqa: PLC0415 - as above
    from grader.commands.mutants.written import Written  # noqa: PLC0415 - as above
    from grader.console import progress  # noqa: PLC0415 - as above
    from grader.lesson import find_course  # noqa: PLC0415 - as above

    lesson, found = find_candidate(find_course(common.course), candidate, in_lesson)
    name = _id(lesson, fault_id)
    with progress(no_color=common.no_color) as follow:
        place, draft = adopt(lesson, found, name, Told(**told), inputs, follow)
    written = Written(place, draft, sources_of(lesson))
    put_json(written.document() | {"candidate": found.id}, common)
    if not common.json_only:
        from grader.console import put  # noqa: PLC0415 - only for a screen

        for line in written.lines():
            put(line)
    return 0


def _id(lesson: Lesson, wanted: str | None) -> str:
    from grader.author.candidates.adopt import free_id  # noqa: PLC0415 - as above
    from grader.author.naming import is_id  # noqa: PLC0415 - as above

    if wanted is not None and not is_id(wanted):
        raise click.UsageError(f"{wanted!r} is no id: letters, digits and _ make one, other than `lesson`")
    free = free_id(lesson, wanted)
    if free is None:
        raise click.UsageError(f"{lesson.id}/{wanted} is taken; the next free id is {free_id(lesson, None)}")
    return free
