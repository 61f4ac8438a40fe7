"""`ol list`: the lessons, and where this workspace stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.delivery import put_into, put_out
from grader.commands.options import common

if TYPE_CHECKING:
    from grader.commands.options import Common


@click.command(short_help="The lessons, and where you stand.")
@common
def command(common: Common) -> int:
    """List the lessons of the course, and where your workspace stands in each.

    A lesson is not started, started, tried (with the best grade of your tests so far) or passed.

    \b
    Example:
      ol list
    """
    from grader.lesson import find_course  # noqa: PLC0415 - help needs no lesson
    from grader.standing import standings  # noqa: PLC0415 - as above

    found = standings(find_course(common.course), common.workspace)
    if common.json_path:
        text = json.dumps([vars(each) for each in found], indent=2) + "\n"
        put_out(text) if common.json_only else put_into(Path(common.json_path), text)
    if not common.json_only:
        from grader.console import make_console  # noqa: PLC0415 - not needed for JSON
        from grader.writers.terminal import lessons  # noqa: PLC0415 - as above

        lessons.table(found, make_console(no_color=common.no_color))
    return 0
