"""`ol mutants suggest`: candidates for faults, and the holes in the course that they show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from grader.commands.delivery import put_at, put_json
from grader.commands.options import common, cores, jobs_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.author.candidates.model import Judged
    from grader.author.candidates.suggest import Suggested, Wanted
    from grader.commands.options import Common
    from grader.lesson import Lesson

CLASSES = ("missed", "killed", "twin", "unreached", "equivalent", "too-easy", "timeout", "crash")
SHOWN = 20


@click.command(short_help="Candidates for new faults, ranked.")
@click.argument("lesson")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"How many to list, best first; 0: all. On the screen {SHOWN}, elsewhere all.",
)
@click.option(
    "--class", "classes", multiple=True, type=click.Choice(CLASSES), help="List only these; repeatable."
)
@click.option(
    "--operators", metavar="NAMES", default="", help="Make only these changes; a comma between two."
)
@click.option("--within", metavar="NAME", default="", help="Only in this function or class of the module.")
@click.option("--html", "page", metavar="FILE", help="Write a page as well; - is standard output.")
@click.option(
    "--pool",
    type=click.IntRange(min=1),
    metavar="N",
    help="Write the best N that can be killed as a pool that is graded beside the faults.",
)
@click.option(
    "--inputs",
    type=click.IntRange(min=0),
    default=200,
    show_default=True,
    metavar="N",
    help="Inputs to try before one that no test kills counts as probably equivalent.",
)
@jobs_option("Programs that run at a time; else one a processor.")
@common
def command(
    common: Common,
    *,
    lesson: str,
    limit: int | None,
    classes: tuple[str, ...],
    operators: str,
    within: str,
    page: str | None,
    pool: int | None,
    inputs: int,
    jobs: int | None,
) -> int:
    """Change LESSON's reference in every small way that operators know, and see what the course tests make of it.

    A candidate that no course test kills, though an input tells it from the reference, is a hole in the course. Of the
    others, those come first that few tests notice and that are unlike the faults there are. A candidate is no fault
    yet: whether somebody would make the mistake is for you to say.

    \b
    Examples:
      ol mutants suggest L7.1
      ol mutants suggest L7.1 --class missed
      ol mutants suggest L7.1 --operators swap-axis,drop-cast,mutmut --html candidates.html

    `ol mutants adopt` makes a fault of one. Exit codes: 0 done, 2 a mistake in the command line, 4 the course tests do
    not pass on the reference, 70 something that is needed is not installed.
    """
    from grader.author.candidates.suggest import Wanted  # noqa: PLC0415 - help needs nothing of all this
    from grader.author.candidates.wording import option  # noqa: PLC0415 - as above

    if common.json_only and page == "-":
        raise click.UsageError("only one of --json and --html can go to standard output")
    data = _lesson(common, lesson)
    wanted = Wanted(_names(operators), within, jobs or cores(), inputs)
    found = _suggested(common, data, wanted)
    listed = [each for each in found.judged if not classes or option(each.kind) in classes]
    _tell(common, found, listed, limit, page)
    if pool is not None:
        _write_pool(data, found, pool)
    return 0


def _lesson(common: Common, name: str) -> Lesson:
    from grader.lesson import find_course, load_without_pools  # noqa: PLC0415 - help needs no lesson

    return load_without_pools(find_course(common.course), name)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _suggested(common: Common, lesson: Lesson, wanted: Wanted) -> Suggested:
    from grader.author.candidates.suggest import suggest  # noqa: PLC0415 - help needs nothing of all this
    from grader.console import progress  # noqa: PLC0415 - as above

    with progress(no_color=common.no_color) as follow:
        return suggest(lesson, wanted, follow)


def _write_pool(lesson: Lesson, found: Suggested, count: int) -> None:
    from grader.author.candidates.pool import NAME, write_pool  # noqa: PLC0415 - only where one is wanted
    from grader.console import say  # noqa: PLC0415 - as above

    path, written = write_pool(lesson, found.judged, count)
    say(f"{path}: {written} candidates")
    if NAME not in lesson.pools:
        say(f"To grade them, add to lesson.toml: [pools.{NAME}] with a threshold, such as threshold = 0.60")


def _tell(
    common: Common, found: Suggested, listed: Sequence[Judged], limit: int | None, page: str | None
) -> None:
    from grader.author.candidates import document, wording  # noqa: PLC0415 - as above

    written = listed[: limit or None]
    put_json(document.document(found, written), common)
    if page is not None:
        from grader.author.candidates.page import write  # noqa: PLC0415 - only for a page

        put_at(page, write(found, written))
    if not common.json_only and page != "-":
        from grader.console import make_console, say  # noqa: PLC0415 - only for a screen
        from grader.writers.terminal import candidates  # noqa: PLC0415 - as above

        shown = listed[: SHOWN if limit is None else limit or None]
        candidates.show(found, shown, make_console(no_color=common.no_color), verbose=common.verbose)
        say(wording.speed(found))
