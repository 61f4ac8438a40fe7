"""The one place that makes consoles, shows progress and prints errors: it knows terminals, encodings and rich."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO, cast

import click

from grader import texts
from grader.progress import Silent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from grader.classroom.tally import Follower, Tally
    from grader.errors import GraderError
    from grader.progress import Progress

SECONDS_BETWEEN_LINES = 30.0
UNKNOWN_TERMINALS = frozenset({"", "dumb", "unknown"})


class _Plainly:
    """A stream that cannot fail on a character, and on which no line is a command to a CI service."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.encoding = stream.encoding or "utf-8"

    def write(self, text: str) -> int:
        """Write `text`, made safe as a whole: rich wraps lines, so that a mark may have come to a line's start."""
        if not self.isatty():
            text = texts.without_trailing_blanks(text)
        return self._stream.write(texts.encodable(texts.guarded(text), self.encoding))

    def flush(self) -> None:
        """Flush the stream itself."""
        self._stream.flush()

    def isatty(self) -> bool:
        """Whether the stream itself is a terminal."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """The stream's own descriptor."""
        return self._stream.fileno()


def make_console(
    *, no_color: bool = False, stream: TextIO | None = None, width: int | None = None
) -> Console:
    """A console: no escape code at all where no colour is wanted or there is no terminal.

    Args:
        no_color: no colour is wanted, whatever the terminal can do.
        stream: standard output, if None.
        width: columns; the terminal's, if None, or those that the variable COLUMNS names.
    """
    from rich.console import Console  # noqa: PLC0415 - takes time that JSON and errors need not spend

    plain = no_color or bool(os.environ.get("NO_COLOR"))
    return Console(
        file=cast("TextIO", _Plainly(stream or sys.stdout)),
        width=width,
        color_system=None if plain else "auto",
        highlight=False,
        markup=False,
        emoji=False,
    )


def print_error(error: GraderError) -> None:
    """One sentence, a hint, and the name under which `docs/errors.md` explains it."""
    say(f"ol: {error.message}")
    if error.hint:
        say(f"    {error.hint}")
    say(f"    [{error.slug}]")


def put(text: str) -> None:
    """A line on standard output."""
    click.echo(texts.encodable(texts.plain(text), sys.stdout.encoding or "utf-8"))


def say(text: str) -> None:
    """A line on standard error."""
    click.echo(texts.encodable(texts.plain(text), sys.stderr.encoding or "utf-8"), err=True)


def leave_the_line() -> None:
    """Go to a line of our own, after the `^C` that a terminal shows."""
    if sys.stderr.isatty():
        say("")


@contextmanager
def progress(*, no_color: bool = False) -> Iterator[Progress]:
    """Live progress on standard error while a check goes on; nothing where that is no terminal."""
    if not sys.stderr.isatty() or os.environ.get("TERM", "") in UNKNOWN_TERMINALS:
        yield Silent()
        return
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415 - for terminals alone
    from rich.progress import Progress as Bars  # noqa: PLC0415 - as above

    columns = (TextColumn("{task.description}"), BarColumn(bar_width=24), TimeElapsedColumn())
    with Bars(
        *columns,
        console=make_console(no_color=no_color, stream=sys.stderr),
        transient=True,
        refresh_per_second=5,
    ) as bars:
        yield _Live(bars, bars.add_task("starting", total=None))


@contextmanager
def batch_progress(*, no_color: bool = False) -> Iterator[Follower]:
    """Progress of a batch on standard error: live on a terminal, elsewhere a line now and then."""
    if not sys.stderr.isatty() or os.environ.get("TERM", "") in UNKNOWN_TERMINALS:
        yield _Lines()
        return
    from rich.progress import BarColumn, TextColumn  # noqa: PLC0415 - for terminals alone
    from rich.progress import Progress as Bars  # noqa: PLC0415 - as above
    from rich.table import Column  # noqa: PLC0415 - as above

    # A column as it comes, which wraps: what a narrow terminal has no room for goes to a second line.
    columns = (BarColumn(bar_width=16), TextColumn("{task.description}", table_column=Column()))
    with Bars(
        *columns,
        console=make_console(no_color=no_color, stream=sys.stderr),
        transient=True,
        refresh_per_second=5,
    ) as bars:
        yield _LiveBatch(bars, bars.add_task("starting", total=None))


class _LiveBatch:
    """A bar that follows a batch."""

    def __init__(self, bars: Bars, task: TaskID) -> None:
        self._bars = bars
        self._task = task

    def update(self, tally: Tally) -> None:
        self._bars.update(self._task, description=tally.line(), completed=tally.done, total=tally.total)


class _Lines:
    """A line now and then that follows a batch."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def update(self, tally: Tally) -> None:
        if time.monotonic() >= self._last + SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            say(tally.line())


class _Live:
    """A bar that follows a check."""

    def __init__(self, bars: Bars, task: TaskID) -> None:
        self._bars = bars
        self._task = task

    def stage(self, name: str) -> None:
        self._bars.update(self._task, description=name, total=None)

    def runs(self, done: int, needed: int) -> None:
        self._bars.update(self._task, description=f"run {done} of {needed}", completed=done, total=needed)
