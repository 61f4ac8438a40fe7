"""`ol report`: a report that was kept, in another format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.delivery import put_into, put_out
from grader.commands.options import common
from grader.errors import PathNotFoundError, UnreadableError
from grader.writers import FORMATS, SCREEN, writer_of

if TYPE_CHECKING:
    from grader.commands.options import Common
    from grader.report import Report


@click.command(short_help="Write a kept report in another format.")
@click.argument("form", metavar="FORMAT", type=click.Choice(list(FORMATS)))
@click.argument("path", metavar="REPORT.json", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write to a file.")
@common
def command(common: Common, *, form: str, path: Path, out: Path | None) -> int:
    """Write REPORT.json, which `ol check --json` made, in another FORMAT.

    \b
    Formats:
      terminal   the screen of `ol check`
      text       the same as plain text, 80 columns wide
      json       the report as it is

    \b
    Example:
      ol check L7.1 --json report.json
      ol report text report.json --out report.txt
    """
    report = read(path)
    if form == SCREEN and out is None:
        from grader.console import make_console  # noqa: PLC0415 - only for a screen
        from grader.writers import terminal  # noqa: PLC0415 - as above

        view = terminal.View(verbose=common.verbose)
        terminal.write(report, make_console(no_color=common.no_color), view)
        return 0
    text = writer_of(form)(report)
    put_into(out, text) if out is not None else put_out(text)
    return 0


def read(path: Path) -> Report:
    """The report that a file holds.

    Raises:
        PathNotFoundError: there is no such file.
        UnreadableError: it holds no report.
    """
    import msgspec  # noqa: PLC0415 - help needs no report

    from grader.writers import json  # noqa: PLC0415 - as above

    if not path.exists():
        raise PathNotFoundError(path)
    try:
        return json.read(path)
    except OSError as error:
        raise UnreadableError(path, error.strerror or str(error)) from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UnreadableError(path, f"it is no report ({error})") from error
