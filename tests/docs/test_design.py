"""`docs/design.md` is held to the tree."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

import pytest

from grader import pipeline

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NUMBERED = re.compile(r"^ *\d+\. .*(?:\n(?! *\d+\.).+)*", re.MULTILINE)


def between(text: str, name: str) -> str:
    return text.partition(f"<!-- {name} -->\n")[2].partition(f"<!-- end of {name} -->")[0].strip()


def steps(text: str) -> list[str]:
    return [" ".join(step.split()) for step in NUMBERED.findall(text)]


def test_the_module_map_is_the_tree(root: Path, module_map: Callable[[], str]) -> None:
    written = between((root / "docs" / "design.md").read_text(encoding="utf-8"), "map")
    assert written.splitlines() == module_map().splitlines(), (
        "python tests/docs/module_map.py prints the new one"
    )


def test_the_stages_are_those_of_the_code(root: Path) -> None:
    written = steps(between((root / "docs" / "design.md").read_text(encoding="utf-8"), "stages"))
    assert written == steps((inspect.getdoc(pipeline.check) or "").partition("Raises:")[0])
    assert len(written) > 3


@pytest.mark.parametrize("page", ["docs/design.md", "docs/blind-grading.md", "README.md"])
def test_every_path_that_a_page_names_exists(page: str, root: Path) -> None:
    text = (root / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:grader|tests|docs|benchmarks|mutants|reference|fixtures)/[\w./-]*)`", text))
    assert named
    assert [path for path in sorted(named) if not (root / path).exists()] == []


def test_the_table_of_chances_is_what_the_formula_gives(root: Path) -> None:
    text = (root / "docs" / "blind-grading.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (0\.\d+) \| ([\d.]+) % \|$", text, re.MULTILINE)
    assert len(rows) == 4
    for chance, percent in rows:
        digits = len(percent.partition(".")[2])
        assert f"{100 * (1 - (1 - float(chance)) ** 12):.{digits}f}" == percent
