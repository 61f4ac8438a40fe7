"""The options that say what the files of a class tell, and the policy that they become."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.feedback import Policy

# As in `grader.feedback`, whose imports are too heavy for a help screen; a test holds them together.
LEVELS = ("score", "names", "hints", "full")
AUDIENCES = ("learner", "staff")
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
LONGEST = 5  # digits


def _duration(_context: click.Context, _parameter: click.Parameter, value: str | None) -> dt.timedelta | None:
    """A number and a unit, such as `24h` or `7d`."""
    if value is None:
        return None
    match = re.fullmatch(rf"([0-9]{{1,{LONGEST}}})([{''.join(UNITS)}])", value)
    if not match or not int(match[1]):
        raise click.BadParameter(f"{value!r} is no time such as 30m, 24h or 7d")
    return dt.timedelta(**{UNITS[match[2]]: int(match[1])})


def feedback_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --audience, --feedback, --attempts and --window; the command gets them as one `Policy`, named `policy`."""

    def call(**options: Any) -> Any:
        policy = _policy(*(options.pop(name) for name in ("audience", "feedback", "attempts", "window")))
        return command(policy=policy, **options)

    call.__doc__ = command.__doc__
    # What other decorators have added to the command already.
    call.__click_params__ = getattr(command, "__click_params__", [])  # type: ignore[attr-defined]  # click's own name
    wrapped: Callable[..., Any] = call
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


def _policy(audience: str, level: str, attempts: int | None, window: dt.timedelta | None) -> Policy:
    from grader.feedback import Policy  # noqa: PLC0415 - help needs none of it

    if window is not None and attempts is None:
        raise click.UsageError("--window says how far back attempts count: say how many with --attempts N")
    return Policy(audience, level, attempts, window)


_OPTIONS = (
    click.option(
        "--audience", type=click.Choice(AUDIENCES), default="learner", show_default=True,
        help="Who reads the feedback; only staff sees --extra-faults.",
    ),
    click.option(
        "--feedback", type=click.Choice(LEVELS), default="hints", show_default=True,
        help="How much of the faults to tell.",
    ),
    click.option(
        "--attempts", type=click.IntRange(min=1), metavar="N",
        help="After N different submissions, tell a learner the score alone.",
    ),
    click.option(
        "--window", callback=_duration, metavar="TIME",
        help="Count only the --attempts of the last TIME before a submission, as in 24h or 7d.",
    ),
)  # fmt: skip
