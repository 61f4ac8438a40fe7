"""`ol mutants edit`: an existing fault, edited again or carried over to a changed reference."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.delivery import put_json
from grader.commands.mutants.asking import Questions
from grader.commands.mutants.naming import fault_argument, lesson_option, named_fault
from grader.commands.options import common

if TYPE_CHECKING:
    from grader.commands.options import Common


@click.command(short_help="An existing fault, edited again.")
@fault_argument
@lesson_option
@click.option(
    "--edited",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The faulty file as it is to be: no editor is opened.",
)
@click.option(
    "--file", metavar="FILE", help="The reference's file to edit, if not those that the fault edits."
)
@click.option(
    "--yes", is_flag=True, help="Ask nothing, open no editor; carry a stale edit over if its place is sure."
)
@click.option("--run", is_flag=True, help="Run the course tests on it, and write down which of them kill it.")
@common
def command(
    common: Common,
    *,
    fault: str,
    in_lesson: str | None,
    edited: Path | None,
    file: str | None,
    yes: bool,
    run: bool,
) -> int:
    """Edit the fault ID: the faulty file as it is now opens in VISUAL or EDITOR, and the edits are derived anew.

    An edit that has gone stale, because the reference changed, is shown with the closest place in the reference of
    today and with what it becomes there; it is written when you agree. Comments and other keys stay as they are.

    \b
    Examples:
      ol mutants edit L7.1/s01
      ol mutants edit s01 --yes --run

    Exit codes: 0 written or unchanged, 2 a mistake in the command line or the editor failed, 4 the edit makes no
    fault, or a stale edit was not carried over.
    """
    from grader.author.toml_values import tomlkit  # noqa: PLC0415 - help needs nothing of all this
    from grader.commands.mutants.changing import Changing, How  # noqa: PLC0415 - as above
    from grader.commands.mutants.reanchoring import Reanchoring  # noqa: PLC0415 - as above
    from grader.console import make_console, put  # noqa: PLC0415 - as above

    tomlkit()  # found missing before any work is done
    course, place = named_fault(common, fault, in_lesson)
    console = make_console(no_color=common.no_color, stream=sys.stderr if common.json_only else sys.stdout)
    questions = Questions(allowed=not yes, on_stderr=common.json_only)
    reanchoring = Reanchoring(place.file, console, questions, yes)
    written, changed = Changing(course, place, How(file, edited, yes, run), reanchoring).change()
    put_json(written.document() | {"changed": changed}, common)
    if not common.json_only:
        unchanged = not changed and not written.escaped
        for line in [f"{place.name}: nothing is changed"] if unchanged else written.lines():
            put(line)
    return 0
