"""How a command line names lessons and faults."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pathlib import Path

    from grader.author.catalogue import FaultPlace
    from grader.commands.options import Common
    from grader.lesson import Lesson

lesson_option = click.option("--lesson", "in_lesson", metavar="LESSON", help="The only lesson to look in.")
fault_argument = click.argument("fault", metavar="ID")


def one_lesson(argument: str | None, option: str | None) -> str | None:
    """The lesson that was named, as an argument or as an option; None: none was.

    Raises:
        click.UsageError: the two name different ones.
    """
    if argument and option and argument != option:
        raise click.UsageError(f"two lessons are named: {argument} and {option}")
    return argument or option


def named_fault(common: Common, name: str, lesson: str | None) -> tuple[Path, FaultPlace]:
    """The course, and the fault in it that a name means.

    Raises:
        GraderError: as `find_course` and `find_fault` do.
    """
    from grader.author.catalogue import find_fault  # noqa: PLC0415 - help needs no course
    from grader.lesson import find_course  # noqa: PLC0415 - as above

    course = find_course(common.course)
    return course, find_fault(course, name, lesson)


def reference_file(lesson: Lesson, named: str | None) -> str:
    """A file of the reference, relative to the course's `reference` folder; the lesson's module if none is named.

    Raises:
        click.UsageError: there is no such file.
    """
    known = {module.file for module in lesson.reference_modules.values()}
    file = (named or lesson.module_file).removeprefix("reference/")
    if file not in known:
        raise click.UsageError(f"{file} is no file of the reference; there are {', '.join(sorted(known))}")
    return file
