"""`ol lesson verify`: whether all parts of a lesson fit together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from grader.commands.options import common, jobs_option, sandbox_option
from grader.commands.verifying import verify

if TYPE_CHECKING:
    from grader.commands.options import Common
    from grader.workers.sandbox import Mode


@click.command(short_help="Prove that all parts of lessons fit together.")
@click.argument("names", nargs=-1, metavar="[ID]...")
@jobs_option("Runs at a time; else one for each core.")
@sandbox_option
@common
def command(common: Common, *, names: tuple[str, ...], jobs: int | None, sandbox: Mode) -> int:
    """Verify lessons with all that belongs to them; without an ID, all of the course.

    Reference and variants pass the course tests, the variants in their own rounding; the module has the
    signatures of its contract; the learner's stub is complete and their first test right; golden values load
    and say where they come from; and each fault is what it says it is, as for `ol mutants verify`.

    \b
    Examples:
      ol lesson verify
      ol lesson verify L7.1 -v       with everything that holds

    Exit codes: 0 everything holds, 4 something does not.
    """
    from grader.author.catalogue import lessons_of  # noqa: PLC0415 - help needs no course
    from grader.lesson import find_course  # noqa: PLC0415 - as above

    wanted = dict.fromkeys(names or lessons_of(find_course(common.course)))
    return verify(common, wanted, sandbox=sandbox, jobs=jobs)
