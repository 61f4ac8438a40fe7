"""`ol mutants witness`: an input that shows a fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from grader.commands.delivery import put_json
from grader.commands.mutants.naming import fault_argument, lesson_option, named_fault
from grader.commands.options import common, seed_option
from grader.errors import ExitCode, GraderError

if TYPE_CHECKING:
    from pathlib import Path

    from grader.author.witness.seeking import Sought
    from grader.commands.options import Common

EVERY = 10  # inputs between two signs of life


@click.command(short_help="Find an input that shows a fault.")
@fault_argument
@lesson_option
@click.option(
    "--inputs",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    metavar="N",
    help="How many to try before the fault counts as probably equivalent.",
)
@seed_option("The same seed tries the same inputs.", default=0)
@click.option("--write", is_flag=True, help="Put the witness into the fault's file; comments are kept.")
@common
def command(common: Common, *, fault: str, in_lesson: str | None, write: bool, **asked: int) -> int:
    """Search for the smallest input on which fault ID and the reference differ, in float32 and in float64.

    Inputs are drawn from templates: those of the file `reference/inputs/LESSON.toml`, where there is one; the
    witnesses that the lesson has, with other numbers in them; calls with the types that the module's signatures
    name. What is found is ready to paste, or to be put into the fault's file with --write.

    If no input shows a difference, the fault is probably the reference in other words, and no test can kill it.

    \b
    Examples:
      ol mutants witness L7.1/s01
      ol mutants witness s01 --inputs 5000 --write

    Exit codes: 0 found, 1 not found, 4 the lesson or the fault is wrong.
    """
    from grader.author.saving import check_writable  # noqa: PLC0415 - help needs nothing of all this
    from grader.author.toml_values import tomlkit  # noqa: PLC0415 - as above

    tomlkit()  # found missing before any work is done
    course, place = named_fault(common, fault, in_lesson)
    if write:
        check_writable(place.path.parent, course)
    sought = _sought(common, course, place, **asked)
    try:
        if write:
            _write(course, sought)
    except GraderError:
        # What took so long to be found can still be pasted.
        _tell(common, sought, asked, written=False)
        raise
    _tell(common, sought, asked, written=write)
    return ExitCode.PASSED if sought.found.call is not None else ExitCode.FAILED


def _sought(common: Common, course: Path, place: Any, *, inputs: int, seed: int) -> Sought:
    from grader.author.witness import Search  # noqa: PLC0415 - help needs no search
    from grader.author.witness.seeking import seek  # noqa: PLC0415 - as above
    from grader.console import progress  # noqa: PLC0415 - as above

    with progress(no_color=common.no_color) as shown:
        shown.stage(f"trying inputs on {place.name}")

        def on_input(tried: int) -> None:
            if tried % EVERY == 0:
                shown.stage(f"{tried} inputs tried on {place.name}")

        return seek(course, place, Search(inputs, seed), on_input)


def _tell(common: Common, sought: Sought, asked: dict[str, int], *, written: bool) -> None:
    put_json(_document(sought, **asked), common)
    if not common.json_only:
        from grader.console import make_console  # noqa: PLC0415 - not needed for JSON
        from grader.writers.terminal import found_witness  # noqa: PLC0415 - as above

        found_witness.tell(sought, make_console(no_color=common.no_color), written=written)


def _write(course: Path, sought: Sought) -> None:
    from grader.author.draft import read_text  # noqa: PLC0415 - only to write
    from grader.author.saving import save  # noqa: PLC0415 - as above
    from grader.author.witness.saving import with_witness  # noqa: PLC0415 - as above

    if sought.found.call is not None:
        save(sought.place.path, with_witness(read_text(sought.place), sought.found.call), course)


def _document(sought: Sought, *, inputs: int, seed: int) -> dict[str, object]:
    found = sought.found
    return {
        "fault": sought.place.name,
        "witness": found.call,
        "reference": found.right or None,
        "faulty": found.wrong or None,
        "only_in_one_dtype": found.partial,
        "probably_equivalent": found.probably_equivalent,
        "inputs": found.inputs,
        "inputs_with_a_value": found.known,
        "first_difference": found.first or None,
        "budget": inputs,
        "seed": seed,
    }
