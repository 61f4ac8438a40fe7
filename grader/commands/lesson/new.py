"""`ol lesson new`: a lesson that works, to be filled in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.delivery import put_json
from grader.commands.options import common

if TYPE_CHECKING:
    from grader.author.new_lesson import NewLesson
    from grader.commands.options import Common


@click.command(short_help="Lay down a lesson that works, to be filled in.")
@click.argument("lesson", metavar="ID")
@click.option("--title", metavar="TEXT", help="One line; without it, the ID.")
@click.option(
    "--module", metavar="DOTTED", help="What learners build, as in shop.prices; else made from the ID."
)
@click.option(
    "--rung", metavar="TEXT", default="R1", show_default=True, help="How far up the course's ladder."
)
@common
def command(common: Common, *, lesson: str, title: str | None, module: str | None, rung: str) -> int:
    """Lay down the lesson ID with everything that a lesson has: a small example, complete and sound.

    It goes into the course of --course, else into this folder if it is a course, else into a new one in the
    folder `course`. Nothing that is there is touched. `Fill in:` stands in each file where your own goes.

    \b
    Examples:
      ol lesson new M1 --title "Prices" --module shop.prices --course my-course
      ol lesson verify M1 --course my-course
    """
    from grader.author.new_lesson import (  # noqa: PLC0415 - help needs none of it
        NewLesson,
        course_for,
        lay_down,
        module_for,
    )
    from grader.author.toml_values import one_line  # noqa: PLC0415 - as above

    course = course_for(common.course)
    name = one_line(title or "") or lesson
    new = NewLesson(lesson, name, one_line(rung), module or module_for(course, lesson))
    files = lay_down(course, new)
    put_json({"lesson": new.id, "course": str(course), "module": new.module, "files": files}, common)
    if not common.json_only:
        _tell(new, course, files)
    return 0


def _tell(new: NewLesson, course: Path, files: list[str]) -> None:
    from grader.console import put  # noqa: PLC0415 - not needed for JSON
    from grader.lesson import find_course  # noqa: PLC0415 - as above

    put(f"{new.id} {new.title} (rung {new.rung}): learners build {new.module}")
    put(f"Course: {course}")
    for file in files:
        put(f"  {file}")
    flag = "" if course == find_course(None) else f" --course {_relative(course)}"
    put("")
    put(f"Next: `ol lesson verify {new.id}{flag}`; then fill in, and verify again.")


def _relative(course: Path) -> str:
    here = Path.cwd()
    return course.relative_to(here).as_posix() if course.is_relative_to(here) else str(course)
