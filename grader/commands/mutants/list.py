"""`ol mutants list`: the faults of a lesson, or of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from grader.commands.delivery import put_json
from grader.commands.mutants.naming import lesson_option, one_lesson
from grader.commands.options import common
from grader.errors import ExitCode

if TYPE_CHECKING:
    from grader.author.listing import Listed
    from grader.commands.options import Common


@click.command(short_help="The faults, a row each.")
@click.argument("lesson", required=False)
@lesson_option
@common
def command(common: Common, *, lesson: str | None, in_lesson: str | None) -> int:
    """List the faults of LESSON, or of all lessons, and what keeps any of them from being graded with.

    Nothing is run: `ol mutants verify` does that.

    \b
    Example:
      ol mutants list L7.1

    Exit codes: 0 all can be graded with, 4 some cannot, or nothing can be graded with a lesson.
    """
    from grader.author.catalogue import lessons_of  # noqa: PLC0415 - help needs no fault
    from grader.author.listing import listed, ungradable  # noqa: PLC0415 - as above
    from grader.console import print_error  # noqa: PLC0415 - as above
    from grader.lesson import find_course  # noqa: PLC0415 - as above

    course, named = find_course(common.course), one_lesson(lesson, in_lesson)
    faults = listed(course, named)
    broken = {each.place.lesson for each in faults if each.problem}
    lessons = [name for name in ([named] if named else lessons_of(course)) if name not in broken]
    errors = list(ungradable(course, lessons))
    put_json([_document(each) for each in faults], common)
    if not common.json_only:
        from grader.console import make_console  # noqa: PLC0415 - not needed for JSON
        from grader.writers.terminal import fault_list  # noqa: PLC0415 - as above

        fault_list.table(faults, make_console(no_color=common.no_color))
    for error in errors:
        print_error(error)
    return ExitCode.COURSE if broken or errors else ExitCode.PASSED


def _document(each: Listed) -> dict[str, object]:
    draft = each.draft
    return {
        "lesson": each.place.lesson,
        "id": each.place.id,
        "file": each.place.file,
        "title": draft.title,
        "pitfall": draft.pitfall,
        "required": draft.required,
        "caught_by": draft.caught_by,
        "problem": each.problem or None,
    }
