"""Options of `ol grade` that mean nothing by themselves are mistakes in the command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from grader.cli import main
from grader.commands.options import MOST_SEED

if TYPE_CHECKING:
    from pathlib import Path


def test_only_changed_without_a_regrade_is_a_mistake_in_the_command(tmp_path: Path) -> None:
    arguments = ["grade", "W1", str(tmp_path), "--out", str(tmp_path / "out"), "--only-changed"]
    done = CliRunner().invoke(main, arguments, prog_name="ol")
    assert done.exit_code == 2
    assert "--regrade: give both" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "words", [["grade", "W1", ".", "--out", "out"], ["check", "W1"]], ids=["grade", "check"]
)
@pytest.mark.parametrize("seed", [2**63, 2**64, -1])
def test_a_seed_that_not_every_reader_of_a_report_can_hold_is_a_mistake_in_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], seed: int
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, [*words, "--seed", str(seed)], prog_name="ol")
    assert done.exit_code == 2
    assert f"{seed} is not in the range 0<=x<={MOST_SEED}" in done.stderr
    assert not list(tmp_path.iterdir())
