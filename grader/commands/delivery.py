"""Where a report goes: a file, standard output, the terminal."""

from __future__ import annotations

import errno
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.errors import UnreadableError
from grader.writers import FORMATS, SCREEN, deliver, written

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from grader.commands.options import Common
    from grader.report import Report

STANDARD_OUTPUT = "-"


@dataclass(frozen=True)
class Delivery:
    """The places a report goes to.

    Attributes:
        targets: (format, path); the path `-` is standard output.
        screen: whether it goes to the terminal too, as it does unless standard output is taken.
    """

    targets: tuple[tuple[str, str], ...]
    screen: bool

    def deliver(self, report: Report, folder: str = "", *, messages: bool = False) -> None:
        """Write the report to every place but the terminal.

        Args:
            report: the report.
            folder: the suite's, as seen from here, for formats that name files; empty: not known.
            messages: tell what the killing tests said, too.

        Raises:
            UnreadableError: a place cannot be written to; the others have been.
        """
        failed: UnreadableError | None = None
        for name, path in self.targets:
            text = written(name, report, root=folder, messages=messages)
            try:
                put_at(path, text)
                if path == STANDARD_OUTPUT:
                    deliver(name, report)
            except UnreadableError as error:
                failed = failed or error
        if failed is not None:
            raise failed


def delivery(common: Common, formats: Sequence[str] = (), known: Collection[str] = FORMATS) -> Delivery:
    """The places that the options name: `--json FILE`, and `--format NAME[=PATH]` any number of times.

    Args:
        common: what every command may be told.
        formats: as on the command line.
        known: names of the formats that this command can write.

    Raises:
        click.UsageError: there is no such format, or two of them want standard output.
        UnreadableError: a file could not be written. Better now than when there is something to write.
    """
    targets = [("json", common.json_path)] if common.json_path else []
    screen = False
    for each in formats:
        name, equals, path = each.partition("=")
        if name not in known:
            raise click.UsageError(f"there is no format {name!r} here; there are: {', '.join(known)}")
        if name == SCREEN and not equals:
            screen = True
        else:
            targets.append((name, path or STANDARD_OUTPUT))
    taken = sum(path == STANDARD_OUTPUT for _name, path in targets) + screen
    if taken > 1:
        raise click.UsageError("only one format can go to standard output; give the others a path: NAME=PATH")
    for _name, path in targets:
        _check_writable(path)
    return Delivery(tuple(targets), screen=screen or not taken)


def _check_writable(path: str) -> None:
    place = Path(path)
    if path == STANDARD_OUTPUT or (place.exists() and not place.is_dir() and os.access(place, os.W_OK)):
        return
    if place.is_dir():
        raise UnreadableError(place, os.strerror(errno.EISDIR))
    if not place.parent.is_dir():
        raise UnreadableError(place, os.strerror(errno.ENOENT))
    if place.exists() or not os.access(place.parent, os.W_OK):
        raise UnreadableError(place, os.strerror(errno.EACCES))


def put_at(path: str, text: str) -> None:
    """Write to a file, or to standard output where the path is `-`.

    Raises:
        UnreadableError: the file cannot be written.
    """
    put_out(text) if path == STANDARD_OUTPUT else put_into(Path(path), text)


def put_out(text: str) -> None:
    """Write to standard output, always in UTF-8, as JSON and its like have to be."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()


def put_into(path: Path, text: str) -> None:
    """Write a file.

    Raises:
        UnreadableError: it cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UnreadableError(path, error.strerror or str(error)) from error


def put_json(document: object, common: Common) -> None:
    """Write a document where `--json` says, if it was given.

    Raises:
        UnreadableError: the file cannot be written.
    """
    if not common.json_path:
        return
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    if common.json_only:
        put_out(text)
    else:
        put_into(Path(common.json_path), text)
