"""Helpers are found as the contract says, and rewritten imports bind the names that Python's own would."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from grader.workers.layout import ImportRewriter, Layout, is_test_file, module_name

if TYPE_CHECKING:
    from pathlib import Path

PATHS = (
    "test_top.py",
    "helpers.py",
    "shared.py",
    "a/test_x.py",
    "a/helpers.py",
    "a/pack/__init__.py",
    "a/pack/deep.py",
    "b/test_x.py",
    "b/helpers.py",
)
LAYOUT = Layout(PATHS, "mine")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("helpers.py", "suite.helpers"),
        ("a/helpers.py", "suite.a.helpers"),
        ("a/pack/__init__.py", "suite.a.pack"),
        ("__init__.py", "suite"),
    ],
)
def test_the_module_name_of_a_file(path: str, name: str) -> None:
    assert module_name(path) == name


def test_a_dot_in_a_file_name_does_not_make_a_package() -> None:
    assert module_name("test_v1.2.py").count(".") == 1
    assert module_name("v1.2/test_x.py").count(".") == 2


@pytest.mark.parametrize("path", ["test_a.py", "x/a_test.py", "x/test_.py"])
def test_files_that_pytest_takes_for_tests(path: str) -> None:
    assert is_test_file(path)


@pytest.mark.parametrize(
    "path", ["a.py", "tests.py", "mytest.py", "conftest.py", "test_a.txt", "test_x/a.py"]
)
def test_files_that_pytest_does_not_take_for_tests(path: str) -> None:
    assert not is_test_file(path)


@pytest.mark.parametrize(
    ("name", "importer", "target"),
    [
        pytest.param("helpers", "a/test_x.py", "suite.a.helpers", id="own folder first"),
        pytest.param("helpers", "b/test_x.py", "suite.b.helpers", id="another folder's own"),
        pytest.param("helpers", "test_top.py", "suite.helpers", id="at the root"),
        pytest.param("shared", "a/test_x.py", "suite.shared", id="then the root"),
        pytest.param("pack", "a/test_x.py", "suite.a.pack", id="a package"),
        pytest.param("pack.deep", "a/test_x.py", "suite.a.pack.deep", id="a module in a package"),
        pytest.param("a.helpers", "test_top.py", "suite.a.helpers", id="by path from the root"),
        pytest.param("deep", "a/pack/__init__.py", "suite.a.pack.deep", id="beside an __init__"),
        pytest.param("numpy", "a/test_x.py", None, id="not the suite's"),
        pytest.param("pack", "test_top.py", None, id="in a folder below"),
        pytest.param("mine.helpers", "test_top.py", None, id="a root that is no package"),
    ],
)
def test_what_an_import_means(name: str, importer: str, target: str | None) -> None:
    assert LAYOUT.resolve(name, importer) == target


def test_a_root_that_is_a_package_may_be_imported_by_its_name() -> None:
    layout = Layout((*PATHS, "__init__.py"), "mine")
    assert layout.resolve("mine.helpers", "a/test_x.py") == "suite.helpers"
    assert layout.resolve("mine", "a/test_x.py") == "suite"


def test_every_folder_with_python_files_is_a_package() -> None:
    assert LAYOUT.packages == {"suite", "suite.a", "suite.a.pack", "suite.b"}


# Rewritten imports bind what Python binds ---------------------------------------------------------------------

IMPORTS = [
    "import helpers",
    "import helpers as h",
    "import pack",
    "import pack.deep",
    "import pack.deep as d",
    "import pack, helpers as h, shared",
    "import pack.deep, math",
    "from helpers import NAME",
    "from helpers import NAME as n",
    "from helpers import *",
    "from pack import deep",
    "from pack.deep import NAME",
    "from shared import NAME as s, OTHER",
    "import math",
    "from math import pi as p",
]
SOURCES = {path: f"NAME = {path!r}\nOTHER = 1\n" for path in PATHS}
HIDDEN = "_hidden"  # in place of a name that no program can write
# Shows each name that an import bound: for a module what it says of itself, for anything else its value.
SHOW = """
print(sorted(
    (key, getattr(value, "NAME", None) if type(value).__name__ == "module" else str(value))
    for key, value in list(globals().items()) if not key.startswith("__")
))
"""


def lay_down(root: Path, sources: dict[str, str]) -> None:
    for path, source in sources.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source, encoding="utf-8")


def output_of(command: list[str], cwd: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-S", *command], cwd=cwd, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.splitlines()


# Each statement in a namespace of its own.
RUNNER = """
import sys
sys.path[:0] = {folders!r}
for code in {codes!r}:
    exec(compile(code, 'x', 'exec'), {{'__name__': 'x'}})
"""


def test_rewritten_imports_bind_the_same_names_as_pythons_own(tmp_path: Path) -> None:
    plain, packaged = tmp_path / "plain", tmp_path / "packaged"
    lay_down(plain, SOURCES)
    lay_down(packaged / "suite", SOURCES)
    codes = [f"{statement}\n{SHOW}" for statement in IMPORTS]
    rewritten = [re.sub(r"@[\w.]+", HIDDEN, ast.unparse(rewrite(code))) for code in codes]
    expected = output_of(["-c", RUNNER.format(folders=[str(plain / "a"), str(plain)], codes=codes)], tmp_path)
    found = output_of(["-c", RUNNER.format(folders=[str(packaged)], codes=rewritten)], tmp_path)
    assert len(expected) == len(IMPORTS)
    for statement, ours, pythons in zip(IMPORTS, found, expected, strict=True):
        assert public(ours) == public(pythons), statement


def public(line: str) -> list[tuple[str, str]]:
    """The bindings that a program can name."""
    return [(key, value) for key, value in ast.literal_eval(line) if key != HIDDEN]


def rewrite(code: str, path: str = "a/test_x.py") -> ast.Module:
    tree = ImportRewriter(LAYOUT, path).visit(ast.parse(code))
    assert isinstance(tree, ast.Module)
    return ast.fix_missing_locations(tree)


@pytest.mark.parametrize(
    "source", ["from . import helpers", "from ..shared import NAME", "import math\nimport numpy.testing as t"]
)
def test_relative_imports_and_those_of_others_stay_as_they_are(source: str) -> None:
    assert ast.unparse(rewrite(source)) == source


def test_line_numbers_stay() -> None:
    tree = rewrite("x = 1\n\nimport pack.deep\n\ndef f():\n    from helpers import NAME\n")
    lines = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert lines == [3, 6]
