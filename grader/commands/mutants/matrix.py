"""`ol mutants matrix`: every test on every fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from grader.commands.delivery import STANDARD_OUTPUT, put_at, put_json
from grader.commands.options import (
    FOLDER,
    common,
    cores,
    jobs_option,
    sandbox_option,
    seed_option,
    timeout_option,
)
from grader.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from grader.author.matrix import Analysis, Matrix
    from grader.commands.options import Common
    from grader.suite_grader import Settings
    from grader.workers.sandbox import Mode

FORMATS = ("text", "csv", "html")


@click.command(short_help="Every test on every fault.")
@click.argument("lesson")
@click.option("--suites", type=FOLDER, metavar="DIR", help="The suites in a folder, not the course tests.")
@seed_option("Of the grading of suites.", default=0)
@jobs_option("Runs at a time; else one for each core.")
@timeout_option("For one run on a correct program.")
@sandbox_option
@click.option(
    "--format",
    "formats",
    multiple=True,
    metavar="NAME[=PATH]",
    help="text, csv or html, into a file or to standard output.",
)
@common
def command(
    common: Common,
    *,
    lesson: str,
    suites: Path | None,
    seed: int,
    jobs: int | None,
    timeout: float,
    sandbox: Mode,
    formats: tuple[str, ...],
) -> int:
    """Run every course test of LESSON on every fault, or every suite in DIR, and say what the table shows.

    Which faults are subsumed by others, so that they ask nothing more of a suite; which tests are redundant; and
    the fewest tests that kill all that any kills.

    \b
    Examples:
      ol mutants matrix L7.1
      ol mutants matrix L7.1 --suites submissions/ --format html=matrix.html

    Exit codes: 0 done, 4 the lesson is wrong, 70 the grader or the machine failed.
    """
    targets = _targets(common, formats)
    screen = not common.json_only and STANDARD_OUTPUT not in targets.values()
    from grader.author.matrix import analysed  # noqa: PLC0415 - help needs no table
    from grader.suite_grader import Settings  # noqa: PLC0415 - as above

    settings = Settings(timeout, jobs or cores(), every_killer=True, sandbox=sandbox)
    matrix = _filled(common, lesson, suites, seed, settings)
    analysis = analysed(matrix)
    put_json(_document(matrix, analysis), common)
    for name, path in targets.items():
        put_at(path, _writer(name)(matrix, analysis))
    if screen:
        from grader.console import make_console  # noqa: PLC0415 - only for a screen
        from grader.writers.terminal import matrix as screen_of  # noqa: PLC0415 - as above

        screen_of.show(matrix, analysis, make_console(no_color=common.no_color))
    return ExitCode.PASSED


def _filled(common: Common, name: str, suites: Path | None, seed: int, settings: Settings) -> Matrix:
    from grader.author.matrix.filling import course_matrix, suites_matrix  # noqa: PLC0415 - help needs no table
    from grader.console import progress  # noqa: PLC0415 - as above
    from grader.lesson import find_course, load_lesson  # noqa: PLC0415 - as above

    lesson = load_lesson(find_course(common.course), name)
    with progress(no_color=common.no_color) as shown:
        if suites is not None:
            return suites_matrix(lesson, suites, seed, settings, shown)
        return course_matrix(lesson, settings, shown)


def _targets(common: Common, formats: tuple[str, ...]) -> dict[str, str]:
    """Format → path; `-` is standard output.

    Raises:
        click.UsageError: there is no such format, or two of them want standard output.
    """
    targets = {}
    for each in formats:
        name, _equals, path = each.partition("=")
        if name not in FORMATS:
            raise click.UsageError(f"there is no format {name!r}; there are: {', '.join(FORMATS)}")
        targets[name] = path or STANDARD_OUTPUT
    if list(targets.values()).count(STANDARD_OUTPUT) + common.json_only > 1:
        raise click.UsageError("only one format can go to standard output; give the others a path: NAME=PATH")
    return targets


def _writer(name: str) -> Callable[[Matrix, Analysis], str]:
    from grader.author.matrix import table_csv, table_html  # noqa: PLC0415 - help writes nothing
    from grader.writers import matrix_text  # noqa: PLC0415 - as above

    writers = {"text": matrix_text.write, "csv": table_csv.write, "html": table_html.write}
    return writers[name]


def _document(matrix: Matrix, analysis: Analysis) -> dict[str, object]:
    ids = [fault.id for fault in matrix.faults]
    return {
        "lesson": matrix.lesson,
        "faults": [vars(fault) for fault in matrix.faults],
        "suites": [
            {
                "suite": row.suite,
                "problem": row.problem or None,
                "cells": dict(zip(ids, row.cells, strict=False)),
            }
            for row in matrix.suites
        ],
        "tests": [
            {"suite": row.suite or None, "test": row.test, "cells": dict(zip(ids, row.cells, strict=True))}
            for row in matrix.tests
        ],
        "analysis": vars(analysis),
    }
