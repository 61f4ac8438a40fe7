"""What `docs/formats.md` says is so."""

import re
from pathlib import Path

import click
import pytest

from grader.cli import main
from grader.report_checks import LARGEST
from grader.writers import FORMATS, github, markdown
from grader.writers.csv import HEADER
from grader.writers.said import MESSAGE_LINES

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")


def test_every_format_has_a_section_and_a_row_and_no_other_has() -> None:
    sections = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
    assert sections[-2:] == ["A class", "Kits"]
    assert {name for section in sections[:-2] for name in section.split(", ")} == set(FORMATS)
    rows = re.findall(r"^\| (`.*?`) \| ", PAGE.partition("## json")[0], re.MULTILINE)
    assert {name.strip("`") for row in rows for name in row.split(", ")} == set(FORMATS)


@pytest.mark.parametrize(
    "limit",
    [
        f"{LARGEST >> 20} MiB",
        f"{markdown.LIMIT:,} characters",
        f"{MESSAGE_LINES} lines and {markdown.MESSAGE:,} characters",
        f"{github.SUMMARY_LIMIT >> 10:,} KiB",
        ",".join(HEADER),
    ],
)
def test_the_limits_on_the_page_are_those_in_force(limit: str) -> None:
    assert limit in PAGE


def test_every_command_on_the_page_parses() -> None:
    calls = re.findall(r"^ol (.*)$", PAGE, re.MULTILINE)
    assert len(calls) >= 2
    # With the settings of `ol` itself: a command keeps the help option that it is first asked for with.
    parent = click.Context(main, **main.context_settings)
    for call in calls:
        _name, found, rest = main.resolve_command(parent, call.split())
        assert isinstance(found, click.Group)
        _kind, command, options = found.resolve_command(click.Context(found, parent=parent), rest)
        assert command is not None
        command.make_context("kit", options, parent=parent)
