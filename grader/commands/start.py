"""`ol start`: a stub of the module, a first test, and where to go from there."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from grader import texts
from grader.commands.delivery import put_json
from grader.commands.options import common

if TYPE_CHECKING:
    from grader.commands.options import Common
    from grader.lesson import Lesson
    from grader.start import Started

FATES = {"made": "made", "kept": "there already, kept", "replaced": "replaced"}


@click.command(short_help="Lay down a stub of the module and a first test.")
@click.argument("lesson")
@click.option("--force", is_flag=True, help="Replace files of yours; they are saved in .ol/replaced first.")
@common
def command(common: Common, *, lesson: str, force: bool) -> int:
    """Begin LESSON: lay down a stub of the module that you will build, and a first test of your own.

    They go into your workspace, the nearest folder upward that holds python/tinyllm. Where there is none, this
    folder becomes one. A file that is there already is yours and stays as it is, unless you say --force.

    \b
    Example:
      mkdir course; cd course
      ol start L7.1
    """
    from grader.lesson import find_course, load_lesson  # noqa: PLC0415 - help needs no lesson
    from grader.start import start  # noqa: PLC0415 - as above

    found = load_lesson(find_course(common.course), lesson)
    started = start(found, common.workspace, force=force)
    put_json(_document(found, started), common)
    if not common.json_only:
        _tell(common, found, started)
    return 0


def _document(lesson: Lesson, started: Started) -> dict[str, object]:
    return {
        "lesson": lesson.id,
        "rung": lesson.rung,
        "workspace": str(started.workspace.root),
        "source": lesson.source,
        "tests": lesson.tests,
        "files": [{"path": file.path.as_posix(), "state": file.fate.value} for file in started.files],
        "missing": list(started.missing),
    }


def _tell(common: Common, lesson: Lesson, started: Started) -> None:
    from grader.console import put  # noqa: PLC0415 - not needed for JSON

    put(f"{lesson.id} {lesson.title} (rung {lesson.rung})")
    put(f"Workspace: {started.workspace.root}")
    for file in started.files:
        saved = f"; yours is now {file.saved.as_posix()}" if file.saved else ""
        put(f"  {file.path.as_posix()}: {FATES[file.fate]}{saved}")
    put("")
    for line in (*_what_to_build(lesson), *_what_to_test(lesson), *_what_is_missing(lesson, started)):
        put(line)
    flags = " --ref-deps" if started.missing else ""
    flags += f" --course {shlex.quote(str(common.course))}" if common.course else ""
    put("")
    put(f"Next: fill in the stub, then run `ol tests {lesson.id}{flags}`.")
    put(f"Then: write your tests, and run `ol check {lesson.id}{flags}`.")


def _what_to_build(lesson: Lesson) -> list[str]:
    return [f"Build:        {lesson.source}", f"Course tests: {lesson.course_tests}"]


def _what_to_test(lesson: Lesson) -> list[str]:
    faults = texts.count(len(lesson.faults), "fault")
    required = ", ".join(fault.id for fault in lesson.faults if fault.required)
    return [
        f"Your tests:   {lesson.tests}/",
        "",
        f"They pass (rung {lesson.rung}) when they kill {lesson.needed} of {faults}, {required} among them.",
        "They may import numpy, pytest, hypothesis, and of the course:",
        *(f"  {name}" for name in lesson.imports),
    ]


def _what_is_missing(lesson: Lesson, started: Started) -> list[str]:
    if not started.missing:
        return []
    return [
        "",
        "This workspace lacks what earlier lessons build:",
        *(f"  {name}" for name in started.missing),
        "Until you have built it, --ref-deps takes it from the course. What it offers is written in",
        f"  {lesson.root / 'reference' / 'contracts' / lesson.package}",
    ]
