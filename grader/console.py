"""The one place that makes a terminal's console and prints errors."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
from rich.console import Console

if TYPE_CHECKING:
    from grader.errors import GraderError


def make_console(*, no_color: bool = False) -> Console:
    """A console for standard output: no colour where none is wanted, no control codes where there is no terminal."""
    return Console(file=sys.stdout, no_color=no_color or None, highlight=False, markup=False, emoji=False)


def print_error(error: GraderError) -> None:
    """One sentence, a hint, and the name under which `docs/errors.md` explains it."""
    click.echo(f"ol: {error.message}", err=True)
    if error.hint:
        click.echo(f"    {error.hint}", err=True)
    click.echo(f"    [{error.slug}]", err=True)
