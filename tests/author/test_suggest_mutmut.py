"""What is relied on of mutmut, which documents no interface: exactly the pinned version is held to it."""

import ast
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import libcst
import pytest
from mutmut import configuration
from mutmut.mutation.file_mutation import create_mutations

from grader.author.candidates import mutmut_adapter
from grader.author.candidates.mutmut_adapter import changes, whole
from grader.author.candidates.source import Source

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = (ROOT / "reference/tinyllm/modern/norm.py").read_text(encoding="utf-8")
SAMPLE = '''\
"""A module with what mutations come in."""

from copy import deepcopy

LIMIT = 10


class Counter:
    def __init__(self, start: int = 0, name="größe"):
        self.start = start
        self.name = name; self.items = {}

    def next(self, *steps, by=1.5):
        total = (self.start + sum(steps)) * by
        if not (total is None) and total not in self.items:
            total += 1
        elif total >= LIMIT or (total < 0):
            total = -total
        else:
            for step in steps:
                if step == 3:
                    break
                if step: continue
        key = lambda value: value % 2
        self.items = dict(total=total, name=self.name.upper())
        return (
            total if key(total)
            else deepcopy(self.items)
        )


def kind(value):
    match value:
        case 1: return "one"
        case str(): return "text".split(",", 1)
        case _:
            return ~value if value else None
'''
TEXTS = {"sample": SAMPLE, "reference": REFERENCE}


@pytest.fixture(autouse=True)
def _outside_of_any_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def by_mutmut(text: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each mutant's whole text, as mutmut itself writes it."""
    monkeypatch.setattr(configuration, "_config", type("Empty", (), {"do_not_mutate_patterns": []})())
    module, mutations, _classes, _functions = create_mutations("module.py", text)
    assert isinstance(module, libcst.Module)
    return [whole(module, each.original_node, each.mutated_node) for each in mutations]


def test_the_version_is_the_one_that_this_was_written_for() -> None:
    assert metadata.version("mutmut") == mutmut_adapter.VERSION


@pytest.mark.parametrize("name", TEXTS)
def test_replacements_make_the_programs_that_mutmut_makes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = TEXTS[name]
    made = [text[: c.start] + c.replacement + text[c.end :] for c in changes(Source(text), "module.py")]
    assert [ast.unparse(ast.parse(each)) for each in made] == [
        ast.unparse(ast.parse(each)) for each in by_mutmut(text, monkeypatch)
    ]


def test_every_kind_of_mutation_is_named() -> None:
    named = {change.operator for change in changes(Source(SAMPLE), "module.py")}
    assert named == {f"{mutmut_adapter.PREFIX}{name}" for name in {*mutmut_adapter.NAMES.values(), "other"}}


def test_mutations_come_in_the_same_order_each_time() -> None:
    assert changes(Source(SAMPLE), "module.py") == changes(Source(SAMPLE), "module.py")


def test_its_configuration_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    before = object()
    monkeypatch.setattr(configuration, "_config", before)
    changes(Source("x = 1\n"), "module.py")
    assert configuration._config is before


def test_mutmut_is_imported_only_when_it_is_used_and_never_its_command() -> None:
    code = """
import sys
from grader.author.candidates import generate, suggest, find, adopt
from grader.commands.mutants import suggest, adopt
assert not {"mutmut", "libcst"} & sys.modules.keys()
from grader.author.candidates.mutmut_adapter import changes
from grader.author.candidates.source import Source
assert changes(Source("def f(x):\\n    return x + 1\\n"), "f.py")
assert "mutmut" in sys.modules and "mutmut.__main__" not in sys.modules
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_one_module_alone_knows_mutmut() -> None:
    knowing = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "grader").rglob("*.py")
        if {"mutmut", "libcst"} & _imported(path)
    ]
    assert knowing == ["grader/author/candidates/mutmut_adapter.py"]


def _imported(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return {
        name.partition(".")[0]
        for name in plain | {n.module or "" for n in nodes if isinstance(n, ast.ImportFrom)}
    }
