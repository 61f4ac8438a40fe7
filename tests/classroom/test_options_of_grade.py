"""Options of `ol grade` that mean nothing by themselves are mistakes in the command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.testing import CliRunner

from grader.cli import main

if TYPE_CHECKING:
    from pathlib import Path


def test_only_changed_without_a_regrade_is_a_mistake_in_the_command(tmp_path: Path) -> None:
    arguments = ["grade", "W1", str(tmp_path), "--out", str(tmp_path / "out"), "--only-changed"]
    done = CliRunner().invoke(main, arguments, prog_name="ol")
    assert done.exit_code == 2
    assert "--regrade: give both" in done.stderr
    assert not (tmp_path / "out").exists()
