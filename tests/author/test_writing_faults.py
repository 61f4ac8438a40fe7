"""Every command in `docs/writing-faults.md` runs as it stands there, and what the page shows is what is printed."""

import re
import tomllib
from pathlib import Path

import msgspec
import pytest

from grader.author.draft import Draft
from grader.commands.mutants import COMMANDS
from tests.author.pages import page

PAGE = page("writing-faults.md")
KEYS = re.compile(r"^\| `\[*(\w+)\]*` \|", re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("page")


@pytest.fixture(scope="module")
def printed(folder: Path) -> str:
    return PAGE.run(folder)


def test_the_page_runs_from_its_first_command_to_its_last(printed: str) -> None:
    assert "Everything holds" in printed


def test_what_the_page_shows_is_what_is_printed_or_written(printed: str, folder: Path) -> None:
    [fault] = (folder / "my-course/mutants/L7.1").glob("s10-*.toml")
    everything = printed + fault.read_text(encoding="utf-8")
    assert [text for text in PAGE.shown("text") if text not in everything] == []


def test_the_fault_of_the_page_survives_the_change_of_the_reference(printed: str, folder: Path) -> None:
    assert printed
    [fault] = (folder / "my-course/mutants/L7.1").glob("s10-*.toml")
    data = tomllib.loads(fault.read_text(encoding="utf-8"))
    assert [edit["find"] for edit in data["edit"]] == ["scale = (mean_square + self.eps) ** -0.5"]


def test_every_key_of_a_fault_is_explained() -> None:
    fields = {field.encode_name for field in msgspec.structs.fields(Draft)}
    assert set(KEYS.findall(PAGE.text)) == fields


def test_every_command_about_faults_is_on_the_page() -> None:
    used = {found[1] for command in PAGE.commands() if (found := re.match(r"ol mutants (\w+)", command))}
    assert used == set(COMMANDS)
