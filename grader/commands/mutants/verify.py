"""`ol mutants verify`: whether each fault is what it says it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from grader.commands.options import common, jobs_option, sandbox_option
from grader.commands.verifying import verify

if TYPE_CHECKING:
    from pathlib import Path

    from grader.commands.options import Common
    from grader.workers.sandbox import Mode


@click.command(short_help="Prove that faults are what they say.")
@click.argument("names", nargs=-1, metavar="[ID]...")
@jobs_option("Runs at a time; else one for each core.")
@sandbox_option
@common
def command(common: Common, *, names: tuple[str, ...], jobs: int | None, sandbox: Mode) -> int:
    """Say for each fault what holds, and what does not.

    ID is a fault, as L7.1/s01 or s01, or a lesson for all of its faults. Without any, all lessons are verified,
    with their reference, variants, contract, template and golden values.

    A fault's edits fit once, the module still loads, its witness shows it in float32 and float64, exactly the
    course tests that it names kill it, in any order, and every test ends; it is no other fault's twin, a suite
    that only looks at shapes does not notice it, and its hint does not hold the answer.

    \b
    Examples:
      ol mutants verify
      ol mutants verify L7.1/s01
      ol mutants verify --json found.json      for CI

    Exit codes: 0 everything holds, 4 something does not.
    """
    from grader.author.catalogue import lessons_of  # noqa: PLC0415 - help needs no course
    from grader.lesson import find_course  # noqa: PLC0415 - as above

    course = find_course(common.course)
    wanted = _faults(course, names) if names else dict.fromkeys(lessons_of(course))
    return verify(common, wanted, sandbox=sandbox, jobs=jobs)


def _faults(course: Path, names: tuple[str, ...]) -> dict[str, list[str]]:
    """Lesson → the faults of it that are named."""
    from grader.author.catalogue import fault_places, files_of_fault  # noqa: PLC0415 - as above
    from grader.lesson import lesson_ids  # noqa: PLC0415 - as above

    known, wanted = lesson_ids(course), dict[str, list[str]]()
    for name in names:
        places = fault_places(course, name) if name in known else files_of_fault(course, name)
        for lesson in [name] if name in known else {place.lesson for place in places}:
            # A lesson without faults is asked about, too: nothing can be graded with it.
            wanted.setdefault(lesson, []).extend(place.id for place in places)
    return wanted
