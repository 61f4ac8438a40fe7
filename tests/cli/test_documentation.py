"""What `docs/learner.md` says is so."""

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from grader.cli import COMMANDS, main
from grader.errors import ExitCode
from grader.writers.said import WORDS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "learner.md").read_text(encoding="utf-8")

INSTRUCTORS = {"grade", "mutants", "lesson", "kit"}  # whose commands have pages of their own


def calls() -> list[list[str]]:
    """Every `ol …` of the page, without comments."""
    fenced = re.findall(r"^(ol .*?)(?: +#.*)?$", PAGE, re.MULTILINE)
    inline = re.findall(r"`(ol [a-z].*?)`", PAGE)
    return [call.split()[1:] for call in [*fenced, *inline]]


@pytest.mark.parametrize("call", calls(), ids=" ".join)
def test_every_command_on_the_page_parses(call: list[str]) -> None:
    name, *rest = call
    # With the settings of `ol` itself: a command keeps the help option that it is first asked for with.
    parent = click.Context(main, **main.context_settings)
    command = main.get_command(parent, name)
    assert command is not None
    if rest:
        command.make_context(name, rest, parent=parent)


def test_every_command_of_a_learner_is_on_the_page() -> None:
    assert {call[0] for call in calls()} >= set(COMMANDS) - {"doctor"} - INSTRUCTORS


def test_the_exit_codes_on_the_page_are_all_there_are() -> None:
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)} == set(ExitCode)


def test_every_problem_that_the_screen_names_is_explained() -> None:
    rows = " ".join(re.findall(r"^ +\| (.*?) \|", PAGE, re.MULTILINE))
    assert [words for words in WORDS.values() if words not in rows] == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_lines_for_each_shell_give_a_script(shell: str) -> None:
    assert f"_OL_COMPLETE={shell}_source ol" in PAGE
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from grader.cli import run; sys.exit(run([]))"],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "_OL_COMPLETE": f"{shell}_source"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "_OL_COMPLETE" in done.stdout


def test_completion_offers_commands_and_options() -> None:
    def offered(words: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", "import sys; from grader.cli import run; sys.exit(run([]))"],
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(ROOT),
                "_OL_COMPLETE": "zsh_complete",
                "COMP_WORDS": words,
                "COMP_CWORD": str(words.count(" ")),
            },
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.split("\n")[1::3]

    assert offered("ol ch") == ["check"]
    assert "--feedback" in offered("ol check --fe")
    assert "hints" in offered("ol check --feedback ")
