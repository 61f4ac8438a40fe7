"""What a run finds around it: a place of its own, nothing of the grader's, no configuration of anybody's."""

from __future__ import annotations

import ast
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.programs import library_of
from grader.submission import read_submission
from grader.workers import wire
from grader.workers.conversation import Job
from grader.workers.pool import Server, Suite
from grader.workers.wire import Order

if TYPE_CHECKING:
    from grader.lesson import Lesson
    from tests.engine.conftest import Bench

GOOD = """
from words.shout import shout
def test_mark(): assert shout("a")[-1] == "!"
def test_loud(): assert "AB" in shout("ab")
"""


def said(bench: Bench, expression: str, setup: str = "import os, sys") -> Any:
    """The value of an expression in a run, by way of a failure's message."""
    source = f"{setup}\ndef test(tmp_path, tmp_path_factory): raise ValueError(repr({expression}))\n"
    (result,) = bench.run(source).results.values()
    return ast.literal_eval(result.message.removeprefix("ValueError: "))


# A place of its own -------------------------------------------------------------------------------------------

PLACE = """
import os, pathlib
HOME = pathlib.Path(os.environ["HOME"])
FOUND = sorted(os.listdir())

def test_a():
    assert FOUND == []
    assert HOME == pathlib.Path.cwd() == pathlib.Path(os.environ["TMPDIR"])
    (HOME / "left.txt").write_text("left")
    pathlib.Path("also-left").mkdir()

def test_b(tmp_path):
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "x").write_text("x")

def test_c(tmp_path, tmp_path_factory, tmpdir):
    assert list(tmp_path.iterdir()) == []
    assert tmp_path.is_relative_to(HOME)
    assert tmp_path_factory.mktemp("more").is_relative_to(HOME)
"""


def test_cwd_home_and_tmp_path_are_writable_and_empty_at_the_start_of_every_run(bench: Bench) -> None:
    host = bench.host(PLACE)
    for order in (Order.COLLECTION, Order.COLLECTION, Order.REVERSED):
        run = bench.run(host, order=order)
        assert len(run.passed()) == 3, run.results


def test_no_file_of_a_run_is_left_when_it_has_ended(bench: Bench) -> None:
    host = bench.host(PLACE)
    before = everything_below(Path(bench.server.temp))
    bench.run(host)
    assert everything_below(Path(bench.server.temp)) == before


def everything_below(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*")}


def test_nothing_is_written_to_the_learners_folder_even_when_it_can_only_be_read(bench: Bench) -> None:
    suite = bench.suite({"test_it.py": GOOD, "a/test_more.py": GOOD})
    for folder in (suite / "a", suite):
        folder.chmod(0o555)
    before = {path: (path.stat().st_mtime_ns, content(path)) for path in suite.rglob("*")}
    try:
        submission = read_submission(suite)
        host = bench.server.open(Suite(submission.root_name, submission.files), 1)
        assert len(bench.run(host).passed()) == 4
        host.close()
        assert {path: (path.stat().st_mtime_ns, content(path)) for path in suite.rglob("*")} == before
    finally:
        for folder in (suite, suite / "a"):
            folder.chmod(0o755)


def content(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


# Nothing of the grader's environment --------------------------------------------------------------------------

OWN = {
    "HOME",
    "TMPDIR",
    "PATH",
    "LC_ALL",
    "PYTHONHASHSEED",
    "PYTHONUTF8",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
}
OWN |= {"MKL_NUM_THREADS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "PYTEST_VERSION", "PYTEST_CURRENT_TEST"}
HOSTILE_ENVIRONMENT = {
    "SECRET_TOKEN": "s3cret",
    "PYTEST_ADDOPTS": "-k nothing --maxfail=1",
    "PYTEST_PLUGINS": "no_such_plugin",
    "PYTHONPATH": "/somewhere",
    "PYTHONSTARTUP": "/somewhere/startup.py",
    "PYTHONWARNINGS": "error",
    "PYTHONHASHSEED": "7",
    "PYTHONINSPECT": "1",
    "PYTHONDONTWRITEBYTECODE": "",
    "OMP_NUM_THREADS": "9",
    "LC_ALL": "POSIX",
    "TMPDIR": "",
    "COLUMNS": "20",
    "HYPOTHESIS_STORAGE_DIRECTORY": "/somewhere",
}


def test_no_variable_of_the_machine_reaches_a_run_or_changes_its_result(
    lesson: Lesson, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in HOSTILE_ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    source = GOOD + "import os\ndef test_env(): raise ValueError(repr(dict(os.environ)))\n"
    submission = read_submission(bench.suite(source))
    with Server() as server:
        server.load(library_of(lesson))
        host = server.open(Suite(submission.root_name, submission.files), 1)
        order = wire.Run(list(bench.programs.reference.modules), Order.COLLECTION, 0, "aa")
        run = host.run(Job(order, 60))
    assert run.passed() == {"test_it.py::test_mark", "test_it.py::test_loud"}
    found = ast.literal_eval(run.results["test_it.py::test_env"].message.removeprefix("ValueError: "))
    assert found.keys() <= OWN
    assert "s3cret" not in repr(found)
    assert (found["PYTHONHASHSEED"], found["OMP_NUM_THREADS"], found["LC_ALL"]) == ("0", "1", "C.UTF-8")


def test_what_the_server_was_started_with_holds_nothing_of_the_machine_either(bench: Bench) -> None:
    reading = "open('/proc/self/environ').read()"
    source = f"def test():\n    try: text = {reading}\n    except OSError: text = ''\n    raise ValueError(repr(text))\n"
    (result,) = bench.run(source).results.values()
    names = {
        part.partition("=")[0]
        for part in ast.literal_eval(result.message.removeprefix("ValueError: ")).split("\0")
    }
    assert names - {""} <= OWN | set(os.environ) & {"OPENBLAS_CORETYPE"}


def test_a_run_has_its_channel_and_the_standard_descriptors_and_no_other(bench: Bench) -> None:
    source = """
import os
OPEN = []
for number in range(256):
    try:
        os.fstat(number)
    except OSError:
        continue
    OPEN.append(number)
def test(): assert OPEN == [0, 1, 2, 3]
"""
    assert bench.run(source).passed() == {"test_it.py::test"}


def test_hashes_of_text_are_the_same_in_every_run(bench: Bench) -> None:
    assert said(bench, "hash('text')") == said(bench, "hash('text')")


def test_numpy_is_imported_once_and_the_program_is_one_however_it_is_imported(bench: Bench) -> None:
    source = """
import importlib, sys
import numpy as np
import words.shout, words
from words import shout as module

def test():
    assert sys.modules["numpy"] is np
    assert importlib.import_module("words.shout") is words.shout is module is sys.modules["words.shout"]
    importlib.reload(module)
    assert module.shout("a") in ("A", "A!")
"""
    for program in (bench.programs.reference, bench.fault("s01")):
        (result,) = bench.run(source, program).results.values()
        assert not result.failed or "reload" in result.message or "spec" in result.message


# No configuration ---------------------------------------------------------------------------------------------

IGNORING = "[pytest]\naddopts = -k nothing --strict-config\nnorecursedirs = *\npython_files = nothing_*.py\n"


@pytest.mark.parametrize("where", ["", "suite/", "suite/a/"])
def test_a_configuration_file_in_or_above_the_suite_has_no_effect(bench: Bench, where: str) -> None:
    folder = bench.suite(
        {
            "suite/test_it.py": GOOD,
            "suite/a/test_it.py": GOOD,
            f"{where}pytest.ini": IGNORING,
            f"{where}pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-k nothing'\n",
            f"{where}tox.ini": IGNORING,
            f"{where}setup.cfg": IGNORING.replace("[pytest]", "[tool:pytest]"),
        }
    )
    assert len(run_of_folder(bench, folder / "suite")) == 4


@pytest.mark.parametrize("name", ["conftest.py", "__init__.py", "words/shout.py", "sitecustomize.py"])
def test_a_file_above_the_suite_has_no_effect(bench: Bench, name: str) -> None:
    folder = bench.suite({"suite/test_it.py": GOOD, name: "raise ValueError('above')\n"})
    assert len(run_of_folder(bench, folder / "suite")) == 2


def run_of_folder(bench: Bench, folder: Path) -> set[str]:
    submission = read_submission(folder)
    host = bench.server.open(Suite(submission.root_name, submission.files), 1)
    try:
        return bench.run(host).passed()
    finally:
        host.close()


def test_installed_plugins_are_not_loaded(bench: Bench) -> None:
    source = """
def test(pytestconfig):
    names = {name for name, plugin in pytestconfig.pluginmanager.list_name_plugin() if plugin is not None}
    assert not names & {"randomly", "xdist", "pytest_cov", "timeout", "anyio", "hypothesispytest", "terminal", "cacheprovider"}
"""
    assert bench.run(source).passed() == {"test_it.py::test"}


def test_what_the_suite_warns_of_is_no_failure(bench: Bench) -> None:
    source = "import warnings\nimport pytest\n@pytest.mark.unknown\ndef test(): warnings.warn('odd')\n"
    assert bench.run(source).passed() == {"test_it.py::test"}


def test_the_files_of_a_suite_are_there_to_be_read(bench: Bench) -> None:
    source = "import pathlib\ndef test(): assert 'def test()' in pathlib.Path(__file__).read_text()\n"
    assert bench.run(source).passed() == {"test_it.py::test"}
