"""Every command in `docs/writing-faults.md` runs as it stands there, and what the page shows is what is printed."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from grader.author.draft import Draft
from grader.commands.mutants import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/writing-faults.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXIT = re.compile(r"# exit code (\d+)\s*$")
SECONDS = 600  # for all of the page
KEYS = re.compile(r"^\| `\[*(\w+)\]*` \|", re.MULTILINE)


def shown(language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(PAGE) if kind == language]


def commands() -> list[str]:
    """The page's commands, those that go over several lines as one."""
    return "".join(shown("sh")).replace("\\\n", " ").splitlines()


def script() -> str:
    """The page's commands in one shell; each has to end with the code that the page says."""
    lines = ["set -u", 'ol() { "$PYTHON" -m grader "$@"; }', 'python() { "$PYTHON" "$@"; }']
    for command in commands():
        found = EXIT.search(command)
        wanted = found[1] if found else "0"
        lines += [command, f"code=$?; [ $code = {wanted} ] || {{ echo 'ended with' $code; exit 99; }}"]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("page")


@pytest.fixture(scope="module")
def printed(folder: Path) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHON": sys.executable,
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "COLUMNS": "80",
    }
    done = subprocess.run(
        ["bash", "-c", script()],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_page_runs_from_its_first_command_to_its_last(printed: str) -> None:
    assert "Everything holds" in printed


def test_what_the_page_shows_is_what_is_printed_or_written(printed: str, folder: Path) -> None:
    [fault] = (folder / "my-course/mutants/L7.1").glob("s10-*.toml")
    everything = printed + fault.read_text(encoding="utf-8")
    assert [text for text in shown("text") if text not in everything] == []


def test_the_fault_of_the_page_survives_the_change_of_the_reference(printed: str, folder: Path) -> None:
    assert printed
    [fault] = (folder / "my-course/mutants/L7.1").glob("s10-*.toml")
    data = tomllib.loads(fault.read_text(encoding="utf-8"))
    assert [edit["find"] for edit in data["edit"]] == ["scale = (mean_square + self.eps) ** -0.5"]


def test_every_key_of_a_fault_is_explained() -> None:
    fields = {field.encode_name for field in msgspec.structs.fields(Draft)}
    assert set(KEYS.findall(PAGE)) == fields


def test_every_command_about_faults_is_on_the_page() -> None:
    used = {found[1] for command in commands() if (found := re.match(r"ol mutants (\w+)", command))}
    assert used == set(COMMANDS)
