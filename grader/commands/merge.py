"""`ol report merge`: the grades of a class that was graded in parts, put together."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.delivery import put_json
from grader.commands.feedback_options import feedback_options
from grader.commands.options import common

if TYPE_CHECKING:
    from grader.classroom.store import Attempt
    from grader.commands.options import Common
    from grader.feedback import Policy


@click.command(short_help="Put the grades of several folders together.")
@click.argument("sources", metavar="OUT...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where the grades go; a folder, made if need be.",
)
@click.option("--only-latest", is_flag=True, help="Of each learner, only what they handed in last.")
@feedback_options
@common
def command(
    common: Common, *, sources: tuple[Path, ...], out: Path, only_latest: bool, policy: Policy
) -> int:
    """Add every attempt in the folders OUT, which `ol grade --out` made, to the folder that --out names.

    It gets the same files as one run of `ol grade` over the whole class, and holds every attempt once, however
    often it is merged. No grade in the folders OUT is changed. Grade all parts with the same --seed.

    \b
    Examples:
      ol grade L7.1 submissions/ --shard 1/2 --seed 7 --out part1/
      ol grade L7.1 submissions/ --shard 2/2 --seed 7 --out part2/
      ol report merge part1/ part2/ --out grades/
    """
    from grader.classroom.merge import merged  # noqa: PLC0415 - help needs none of it
    from grader.classroom.outputs import Outputs  # noqa: PLC0415 - as above
    from grader.console import say  # noqa: PLC0415 - as above

    done = merged(sources, out)
    with done.store as store:
        Outputs(store, policy, one_each=only_latest).finish()
        lines = Counter(_made_with(attempt) for attempt in store.latest(one_each=only_latest))
    if len(done.seeds) > 1:
        say(
            f"ol: the folders were graded with {len(done.seeds)} different seeds; give all parts the same --seed"
        )
    if len(lines.keys() - {""}) > 1:
        say("ol: not all grades were made with the same data of the lesson and the same versions of programs")
    _tell(common, {"added": done.added, "folders": len(sources), "lines": lines.total()}, out)
    return 0


def _made_with(attempt: Attempt) -> str:
    """What two grades must have in common to be compared; an error is none."""
    return "" if attempt.status == "error" else f"{attempt.key.lesson_sha256} {attempt.key.versions}"


def _tell(common: Common, numbers: dict[str, int], out: Path) -> None:
    from grader.console import put  # noqa: PLC0415 - help needs none of it
    from grader.texts import count  # noqa: PLC0415 - as above

    put_json(numbers, common)
    if not common.json_only:
        added = f"{count(numbers['added'], 'attempt')} added from {count(numbers['folders'], 'folder')}"
        put(f"{added}; {out / 'grades.csv'} has {count(numbers['lines'], 'line')}")
