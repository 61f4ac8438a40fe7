"""`ol kit gradescope`: the autograder that is uploaded to Gradescope."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.kit.options import kit_options, lesson_for, put, tell
from grader.commands.options import common
from grader.commands.report import points_option

if TYPE_CHECKING:
    from fractions import Fraction

    from grader.commands.options import Common


@click.command(short_help="The autograder for Gradescope.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("autograder.zip"),
    show_default=True,
    metavar="FILE",
    help="Where to write it.",
)
@points_option("What a full score is worth; else the assignment's points.")
@kit_options
@common
def command(
    common: Common,
    *,
    out: Path,
    points: Fraction | None,
    lesson_id: str | None,
    feedback: str,
    sandbox: str,
    force: bool,
) -> int:
    """Write the archive that Gradescope asks for as an autograder.

    It holds ol as it is installed here, the versions that it needs, and with --course the course. Points are given
    for killed faults; tests that cannot be graded get 0 and say why. Where the machine or the course is at fault,
    Gradescope shows that the autograder failed, and nobody gets a score.

    \b
    Example:
      ol kit gradescope --lesson L7.1 --out autograder.zip
    """
    from grader.kits.gradescope import Settings, archive  # noqa: PLC0415 - help makes none

    lesson = lesson_for(common.course, lesson_id)
    settings = Settings(feedback, sandbox, points, own_course=common.course is not None)
    put(out, archive(lesson, settings), force=force)
    then = "upload it under Configure Autograder, and test it there with a submission of your own."
    tell(common, "gradescope", lesson, out, then)
    return 0
