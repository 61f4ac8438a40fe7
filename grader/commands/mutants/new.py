"""`ol mutants new`: a fault from an edit of the reference."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.commands.delivery import put_json
from grader.commands.mutants.asking import Questions
from grader.commands.mutants.naming import one_lesson
from grader.commands.options import common

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.commands.mutants.making import Given
    from grader.commands.options import Common


def _given(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of `Given`; the command gets them as one, named `given`."""

    @functools.wraps(command)  # which carries over the options that the command has already
    def call(**options: Any) -> Any:
        from grader.commands.mutants.making import Given  # noqa: PLC0415 - help needs nothing of it

        given = Given(**{name: options.pop(name) for name in Given.__dataclass_fields__})
        return command(given=given, **options)

    wrapped: Callable[..., Any] = call
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


_OPTIONS = (
    click.option("--id", "fault_id", metavar="ID", help="The fault's id; else the next that is free."),
    click.option("--title", metavar="TEXT", help="What is wrong, in a few words."),
    click.option("--symptom", metavar="TEXT", help="What somebody sees who runs it."),
    click.option("--hint", metavar="TEXT", help="What to look for in a suite that misses it; not the answer."),
    click.option("--pitfall", type=click.IntRange(min=1), metavar="N", help="Its number in the chapter's table."),
    click.option("--caught-by", multiple=True, metavar="TEST", help="A course test that kills it; repeatable."),
)  # fmt: skip


@click.command(short_help="A new fault, from an edit of the reference.")
@click.argument("lesson", required=False)
@click.option("--lesson", "in_lesson", metavar="LESSON", help="The same as the argument.")
@_given
@click.option(
    "--edited",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A copy of the reference that is edited already: nothing is asked, no editor opened.",
)
@click.option(
    "--file", "file", metavar="FILE", help="The reference's file to edit, if it is not the lesson's own."
)
@click.option("--run", is_flag=True, help="Run the course tests on it, and write down which of them kill it.")
@common
def command(
    common: Common,
    *,
    lesson: str | None,
    in_lesson: str | None,
    given: Given,
    edited: Path | None,
    file: str | None,
    run: bool,
) -> int:
    """Make a fault for LESSON: edit a copy of the reference, in VISUAL or EDITOR, and say what is wrong with it.

    The edit becomes `find` and `replace` with the smallest context that is unique. What you do not say now stays in
    the fault's file as a comment for you to fill in.

    \b
    Examples:
      ol mutants new L7.1
      ol mutants new L7.1 --title "eps outside the root" --edited norm.py --run

    Exit codes: 0 written, 2 a mistake in the command line or the editor failed, 4 the edit makes no fault.
    """
    from grader.author.toml_values import tomlkit  # noqa: PLC0415 - help needs nothing of all this
    from grader.commands.mutants.making import Making  # noqa: PLC0415 - help needs nothing of all this
    from grader.lesson import find_course, load_without_faults  # noqa: PLC0415 - as above

    tomlkit()  # found missing before any work is done
    if run and given.caught_by:
        raise click.UsageError("--run finds out what --caught-by says: give one of them")
    course = find_course(common.course)
    questions = Questions(allowed=edited is None, on_stderr=common.json_only)
    name = _lesson_name(course, one_lesson(lesson, in_lesson), questions)
    making = Making(load_without_faults(course, name), given, questions)
    written = making.make(file, edited, run=run)
    put_json(written.document(), common)
    if not common.json_only:
        from grader.console import put  # noqa: PLC0415 - not needed for JSON

        for line in written.lines():
            put(line)
    return 0


def _lesson_name(course: Path, named: str | None, questions: Questions) -> str:
    from grader.author.catalogue import lessons_of  # noqa: PLC0415 - help needs no lesson

    if named:
        return named
    known = lessons_of(course)
    if len(known) == 1:
        return known[0]
    named = questions.ask(f"Lesson ({', '.join(known)})")
    if not named:
        raise click.UsageError(f"name the lesson, one of {', '.join(known)}")
    return named
