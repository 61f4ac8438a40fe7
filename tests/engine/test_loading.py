"""How the files of a suite are loaded, in a real process: what does not load, helpers, packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from grader.workers.wire import LoadEnding
from tests.engine.conftest import outcomes

if TYPE_CHECKING:
    from tests.engine.conftest import Bench


# Loading ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "ending"),
    [
        ("raise ValueError('no')", LoadEnding.RAISED),
        ("assert 0", LoadEnding.RAISED),
        ("import nowhere", LoadEnding.RAISED),
        ("from words.shout import nothing", LoadEnding.RAISED),
        ("class Odd(BaseException): pass\nraise Odd", LoadEnding.RAISED),
        ("import sys\nsys.exit(0)", LoadEnding.EXITED),
        ("raise SystemExit(1)", LoadEnding.EXITED),
        ("raise KeyboardInterrupt", LoadEnding.EXITED),
        ("import pytest\npytest.exit('enough', returncode=0)", LoadEnding.EXITED),
        ("import pytest\npytest.skip('later', allow_module_level=True)", LoadEnding.SKIPPED),
        ("import pytest\npytest.importorskip('nowhere')", LoadEnding.SKIPPED),
        ("import unittest\nraise unittest.SkipTest('later')", LoadEnding.SKIPPED),
        ("raise MemoryError", LoadEnding.OUT_OF_MEMORY),
    ],
)
def test_a_file_that_gives_no_tests_says_why_and_the_others_run(
    bench: Bench, source: str, ending: LoadEnding
) -> None:
    run = bench.run({"test_a.py": f"x = 1\n{source}\n", "test_b.py": "def test(): pass\n"})
    assert {file: failure.ending for file, failure in run.load_failures.items()} == {"test_a.py": ending}
    assert run.passed() == {"test_b.py::test"}
    if ending is not LoadEnding.SKIPPED:
        assert run.load_failures["test_a.py"].where.startswith("test_a.py:")


@pytest.mark.parametrize(
    ("conftest", "failing"),
    [
        ("conftest.py", {"test_a.py", "b/test_b.py", "c/test_c.py"}),
        ("b/conftest.py", {"b/test_b.py"}),
    ],
)
def test_a_conftest_that_does_not_load_counts_as_its_test_files(
    bench: Bench, conftest: str, failing: set[str]
) -> None:
    files = dict.fromkeys(("test_a.py", "b/test_b.py", "c/test_c.py"), "def test(): pass\n")
    run = bench.run(files | {conftest: "x = 1\nraise ValueError('no')\n"})
    assert set(run.load_failures) == failing
    assert {failure.ending for failure in run.load_failures.values()} == {LoadEnding.RAISED}
    assert {failure.where for failure in run.load_failures.values()} == {f"{conftest}:2"}
    assert {test.partition("::")[0] for test in run.passed()} == set(files) - failing


def test_a_helper_that_does_not_load_counts_as_the_file_that_imports_it(bench: Bench) -> None:
    run = bench.run(
        {
            "test_a.py": "import oracle\ndef test(): pass\n",
            "test_b.py": "def test(): pass\n",
            "oracle.py": "raise ValueError('no')\n",
        }
    )
    assert set(run.load_failures) == {"test_a.py"}
    assert run.load_failures["test_a.py"].where == "oracle.py:1"


# Files, helpers, packages -------------------------------------------------------------------------------------


def test_two_files_of_one_name_in_two_folders_both_run_with_their_own_helpers(bench: Bench) -> None:
    run = bench.run(
        {
            "a/test_x.py": "from inputs import X\ndef test(): assert X == 'a'\n",
            "a/inputs.py": "X = 'a'\n",
            "b/test_x.py": "from inputs import X\nimport shared\ndef test(): assert (X, shared.X) == ('b', 'root')\n",
            "b/inputs.py": "X = 'b'\n",
            "shared.py": "X = 'root'\n",
        }
    )
    assert run.passed() == {"a/test_x.py::test", "b/test_x.py::test"}


def test_relative_imports_work_in_tests_and_conftests_with_and_without_init_files(bench: Bench) -> None:
    files = {
        "a/test_x.py": "from . import inputs\nfrom ..shared import X\ndef test(f): assert (inputs.X, X, f) == (1, 2, 3)\n",
        "a/inputs.py": "X = 1\n",
        "a/conftest.py": "import pytest\nfrom ..shared import Y\n@pytest.fixture\ndef f(): return Y\n",
        "shared.py": "X = 2\nY = 3\n",
    }
    inits = {"__init__.py": "", "a/__init__.py": ""}
    for layout in (files, files | inits):
        run = bench.run(layout)
        assert run.passed() == {"a/test_x.py::test"}, run


def test_fixtures_of_a_conftest_reach_the_folders_below_and_the_nearest_wins(bench: Bench) -> None:
    fixture = "import pytest\n@pytest.fixture\ndef where(): return '{}'\n"
    run = bench.run(
        {
            "conftest.py": fixture.format("root"),
            "test_a.py": "def test(where): assert where == 'root'\n",
            "a/conftest.py": fixture.format("a"),
            "a/test_a.py": "def test(where): assert where == 'a'\n",
            "b/test_a.py": "def test(where): assert where == 'root'\n",
        }
    )
    assert len(run.passed()) == 3


@pytest.mark.parametrize(
    "patch",
    [
        "monkeypatch.setattr('words.shout.MARK', '?')",
        "monkeypatch.setattr(words.shout, 'MARK', '?')",
        "__import__('unittest.mock').mock.patch('words.shout.MARK', '?').start()",
    ],
)
def test_a_suite_may_patch_the_module_by_name(bench: Bench, patch: str) -> None:
    source = f"import words.shout\ndef test(monkeypatch):\n    {patch}\n    assert words.shout.shout('a') == 'A?'\n"
    assert outcomes(bench, source) == {"test": "passed"}


def test_a_helper_may_be_patched_by_its_bare_name(bench: Bench) -> None:
    files = {
        "oracle.py": "def f(): return 1\n",
        "test_a.py": "import oracle\ndef test(monkeypatch):\n    monkeypatch.setattr('oracle.f', lambda: 2)\n    assert oracle.f() == 2\n",
    }
    assert outcomes(bench, files) == {"test": "passed"}
