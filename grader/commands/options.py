"""The options that commands share, and the settings that they become."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

TIMEOUT = 20.0  # seconds
MOST_SEED = 2**63 - 1  # what a signed integer of 64 bits holds, as whatever reads a report may have it
SANDBOX_MODES = ("auto", "require", "off")
FOLDER = click.Path(path_type=Path)


@dataclass(frozen=True)
class Common:
    """What every command may be told."""

    workspace: Path | None
    course: Path | None
    ref_deps: bool
    json_path: str | None
    no_color: bool
    verbose: bool
    debug: bool

    @property
    def json_only(self) -> bool:
        """Whether JSON goes to standard output, and so nothing else does."""
        return self.json_path == "-"


def common(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the common options; the command gets them as one `Common`, named `common`."""

    def call(**options: Any) -> Any:
        names = Common.__dataclass_fields__
        common = Common(**{name: options.pop(name) for name in names})
        if common.debug:
            os.environ["OL_DEBUG"] = "1"  # the server's processes print to standard error
        return command(common=common, **options)

    call.__doc__ = command.__doc__
    wrapped: Callable[..., Any] = call
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


_OPTIONS = (
    click.option("--workspace", type=FOLDER, metavar="DIR", help="Your workspace; else found upward from here."),
    click.option("--ref-deps", is_flag=True, help="Take the lessons before this one from the course, not from you."),
    click.option("--course", type=FOLDER, metavar="DIR", envvar="OL_COURSE", help="Another course (or OL_COURSE)."),
    click.option("--json", "json_path", metavar="FILE", help="Write the result as JSON; - is standard output."),
    click.option("--no-color", is_flag=True, help="No colour; so does the variable NO_COLOR."),
    click.option("-v", "--verbose", is_flag=True, help="Tell more: every test, and whole messages."),
    click.option("--debug", is_flag=True, help="Show what the grader's own processes print."),
)  # fmt: skip


def _hash(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str:
    """The hash, or an empty text where none was asked for; an empty one that was given is a mistake in a script."""
    if value is None:
        return ""
    if not re.fullmatch("[0-9a-f]{64}", value.lower()):
        raise click.BadParameter("a hash has 64 hexadecimal digits")
    return value.lower()


pin_option = click.option(
    "--lesson-sha256",
    metavar="HASH",
    callback=_hash,
    help="Refuse other data of the lesson than those with this hash.",
)

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def timeout_option(what: str) -> Decorator:
    """`--timeout`, with what it is for."""
    return click.option(
        "--timeout",
        type=click.FloatRange(min=0.1),
        metavar="SECONDS",
        default=TIMEOUT,
        show_default=True,
        help=what,
    )


def cores() -> int:
    """How many cores this process may use: what `--jobs` is if nobody says."""
    return len(os.sched_getaffinity(0))


def jobs_option(what: str) -> Decorator:
    """`--jobs`, with what there are so many of; None where it is not given."""
    return click.option("--jobs", type=click.IntRange(min=1), metavar="N", help=what)


def seed_option(what: str, default: int | None = None) -> Decorator:
    """`--seed`, with what it is good for; `default` where it is not given."""
    return click.option(
        "--seed",
        type=click.IntRange(min=0, max=MOST_SEED),
        metavar="N",
        default=default,
        show_default=default is not None,
        help=what,
    )


sandbox_option = click.option(
    "--sandbox",
    type=click.Choice(SANDBOX_MODES),
    default="auto",
    show_default=True,
    help="What runs may not do: what works here, everything or nothing at all, or the limits alone.",
)
