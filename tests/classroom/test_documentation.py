"""What `docs/classroom.md` says of the store, of levels and of names is so."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from grader.classroom.entries import place_of
from grader.classroom.layouts.children import LITTER
from grader.classroom.store import Store
from grader.classroom.store.schema import VERSION
from grader.cli import main
from grader.feedback import LEVELS
from grader.writers.csv import HEADER
from tests.classroom.made import LESSON, entry, graded

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "classroom.md").read_text(encoding="utf-8")


def first_cells(text: str) -> list[str]:
    return re.findall(
        r"`([a-z_0-9]+)`", " ".join(line.split("|")[1] for line in text.splitlines() if "|" in line)
    )


def test_the_page_names_every_column_of_the_store(tmp_path: Path) -> None:
    with Store.open(tmp_path, LESSON) as store:
        columns = [row[1] for row in store._database.rows("PRAGMA table_info(attempts)")]
    told = PAGE.partition("<!-- columns -->")[2].partition("<!-- end of columns -->")[0]
    assert sorted(first_cells(told)) == sorted(columns)
    assert f"version {VERSION} (`PRAGMA user_version`)" in PAGE


def test_the_question_on_the_page_has_an_answer(tmp_path: Path) -> None:
    query = PAGE.partition("```sql\n")[2].partition("```")[0]
    with Store.open(tmp_path, LESSON) as store:
        store.add(entry("ada"), graded())
        assert list(store._database.rows(query)) == [("ada", 2, 4)]


def test_the_page_names_the_levels_in_their_order() -> None:
    told = PAGE.partition("| level | tells |")[2].partition("\n\n")[0]
    assert first_cells(told) == list(LEVELS)


def test_the_page_shows_the_header_of_the_table() -> None:
    assert f"`{','.join(HEADER)}`" in PAGE


def test_the_page_names_what_is_nobodys() -> None:
    assert all(f"`{name}`" in PAGE for name in LITTER)


def test_the_place_on_the_page_is_a_place() -> None:
    assert f"`{place_of('Zoë Müller', 'Zoë Müller')}`" in PAGE


@pytest.mark.parametrize("line", re.findall(r"^    (ol .*)$", PAGE, flags=re.MULTILINE))
def test_a_command_on_the_page_is_one(line: str) -> None:
    name, *words = shlex.split(line)[1:]
    # With the settings of `ol` itself: a command keeps the help option that it is first asked for with.
    parent = click.Context(main, **main.context_settings)
    command = main.get_command(parent, name)
    assert command is not None
    assert command.make_context(name, words, parent=parent).params["out"]
