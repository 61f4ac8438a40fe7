"""Each rule of the static policy: what it finds, at which line, and what it lets through."""

from __future__ import annotations

import ast

import pytest

from grader.workers import policy
from grader.workers.layout import Layout
from grader.workers.wire import Finding, Rules

IMPORTS = ["tinyllm.modern.norm", "tinyllm.nn.layers"]
RULES = Rules(IMPORTS, hypothesis_installed=True)
PATHS = ("test_a.py", "oracle.py", "conftest.py", "norm/test_b.py", "norm/inputs.py")


def findings(source: str, path: str = "test_a.py", rules: Rules = RULES) -> list[Finding]:
    layout = Layout(tuple({*PATHS, path}), "suite-of-mine")
    return policy.check(path, ast.parse(source), rules, layout)


def rules_found(source: str) -> list[tuple[int, str]]:
    return [(finding.line, finding.rule) for finding in findings(source)]


# Imports ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "import tinyllm.modern.norm",
        "import tinyllm.modern.norm as norm",
        "from tinyllm.modern import norm",
        "from tinyllm.modern import norm as under_test",
        "from tinyllm.modern.norm import RMSNorm, pre_norm_residual",
        "from tinyllm.nn.layers import Linear",
        "import numpy as np",
        "import numpy.testing as npt",
        "from numpy.testing import assert_allclose",
        "from numpy import random",
        "import pytest",
        "from unittest import mock",
        "import unittest.mock",
        "import hypothesis.strategies as st",
        "from hypothesis import given",
        "import oracle",
        "from oracle import rms",
        "from . import oracle",
        "from .oracle import rms",
        "from conftest import make",
        "from norm import inputs",
        "from norm.inputs import X",
        "import collections.abc",
        "from __future__ import annotations",
        *(f"import {name}" for name in sorted(policy.STANDARD_LIBRARY - {"__future__"})),
    ],
)
def test_what_a_suite_may_import(source: str) -> None:
    assert findings(source) == []


def test_the_standard_library_that_is_allowed_is_the_contracts() -> None:
    allowed = (
        "math cmath itertools functools operator collections dataclasses typing enum abc numbers fractions decimal "
        "random statistics copy contextlib string re textwrap warnings unittest __future__"
    )
    assert set(allowed.split()) == policy.STANDARD_LIBRARY


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("import os", "os"),
        ("import os.path as p", "os.path"),
        ("from os import path", "os"),
        ("import sys, math", "sys"),
        ("import subprocess", "subprocess"),
        ("import inspect", "inspect"),
        ("import threading", "threading"),
        ("import ctypes", "ctypes"),
        ("import importlib", "importlib"),
        ("import builtins", "builtins"),
        ("import torch", "torch"),
        ("import _pytest", "_pytest"),
        ("from _pytest.monkeypatch import MonkeyPatch", "_pytest.monkeypatch"),
        ("import grader", "grader"),
        ("import tinyllm", "tinyllm"),
        ("import tinyllm.modern", "tinyllm.modern"),
        ("import tinyllm.modern.attention", "tinyllm.modern.attention"),
        ("from tinyllm.modern import attention", "tinyllm.modern"),
        ("from tinyllm.modern import *", "tinyllm.modern"),
        ("from tinyllm import modern", "tinyllm"),
        ("from tinyllm.modern.normal import x", "tinyllm.modern.normal"),
        ("import numpy.ctypeslib", "numpy.ctypeslib"),
        ("from numpy import ctypeslib", "numpy.ctypeslib"),
        ("from numpy.ctypeslib import load_library", "numpy.ctypeslib"),
        ("import numpy.f2py", "numpy.f2py"),
        ("from numpy import f2py as build", "numpy.f2py"),
        ("from numpy.f2py import crackfortran", "numpy.f2py"),
        ("import numpy as np\nlib = np.ctypeslib", "numpy.ctypeslib"),
        ("import numpy as np\nlib = np.f2py", "numpy.f2py"),
        ("import helpers", "helpers"),
        ("import inputs", "inputs"),
    ],
)
def test_what_a_suite_may_not_import(source: str, named: str) -> None:
    (finding,) = findings(source)
    assert (finding.file, finding.rule) == ("test_a.py", "import")
    assert finding.line == source.count("\n") + 1
    assert f" {named}; " in finding.message
    assert policy.INSTEAD["import"] in finding.message


def test_a_helper_in_the_files_own_folder_may_be_imported_there() -> None:
    assert findings("import inputs", path="norm/test_b.py") == []


def test_an_import_inside_a_function_is_found_at_its_line() -> None:
    assert rules_found("def test_a():\n    x = 1\n    import os\n    assert x\n") == [(3, "import")]


def test_a_missing_hypothesis_is_named_with_the_command_that_installs_it() -> None:
    without = Rules(IMPORTS, hypothesis_installed=False)
    for source in ("import hypothesis", "from hypothesis import given", "import hypothesis.strategies as st"):
        (finding,) = findings(source, rules=without)
        assert finding.rule == "missing_package"
        assert "pip install 'ol-grader[hypothesis]'" in finding.message


# importorskip imports too -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["numpy", "tinyllm.modern.norm", "oracle", "hypothesis"])
def test_importorskip_may_name_what_may_be_imported(name: str) -> None:
    assert findings(f"import pytest\nm = pytest.importorskip({name!r})\n") == []


@pytest.mark.parametrize(
    "call",
    [
        "pytest.importorskip('torch')",
        "pytest.importorskip('os')",
        "pytest.importorskip(name)",
        "pytest.importorskip('o' + 's')",
        "pytest.importorskip(modname='os')",
        "pytest.importorskip()",
    ],
)
def test_importorskip_may_name_nothing_else(call: str) -> None:
    assert rules_found(f"import pytest\n\nm = {call}\n") == [(3, "import")]


@pytest.mark.parametrize(
    "call",
    [
        "from pytest import importorskip\n\nm = importorskip('os')",
        "import pytest\n\nm = pytest.importorskip(modname='numpy')",
    ],
)
def test_importorskip_is_judged_under_every_form_of_its_call(call: str) -> None:
    expected = [] if "numpy" in call else [(3, "import")]
    assert rules_found(call) == expected


# Hooks --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "def pytest_runtest_makereport(item, call): pass",
        "async def pytest_configure(config): pass",
        "pytest_plugins = ['fixtures']",
        "pytest_plugins: list[str] = []",
        "pytest_collection_modifyitems = print",
        "(pytest_plugins := [])",
        "class Plugin:\n    def pytest_configure(self): pass",
        "from oracle import hook as pytest_runtest_call",
        "from oracle import pytest_configure",
        "import oracle as pytest_plugins",
        "for pytest_plugins in [[]]: pass",
    ],
)
def test_a_hook_is_found_however_its_name_is_bound(source: str) -> None:
    (finding,) = findings(source, path="conftest.py")
    assert finding.rule == "hook"
    assert "fixtures" in finding.message


@pytest.mark.parametrize(
    "source",
    [
        "import pytest\n\n@pytest.fixture\ndef pytest_like(): return 1\n".replace("pytest_like", "like"),
        "x = 'pytest_plugins'",
    ],
)
def test_what_only_looks_like_a_hook_is_let_through(source: str) -> None:
    assert findings(source, path="conftest.py") == []


# Builtins -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["exec", "eval", "compile", "__import__"])
@pytest.mark.parametrize("form", ["{}('1')", "run = {}", "list(map({}, ['1']))"])
def test_builtins_that_turn_text_into_code_are_found_however_they_are_used(name: str, form: str) -> None:
    source = "x = 1\n" + form.format(name) + "\n"
    assert rules_found(source) == [(2, "builtin")]


@pytest.mark.parametrize(
    "source", ["import re\nre.compile('a')", "model.eval()", "x = 'eval'", "def f(exec): pass"]
)
def test_attributes_and_texts_of_these_names_are_let_through(source: str) -> None:
    assert findings(source) == []


# Names of files -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "random.py",
        "numpy.py",
        "pytest.py",
        "tinyllm.py",
        "hypothesis.py",
        "sitecustomize.py",
        "norm/os.py",
        "norm/numpy.py",
    ],
)
def test_a_file_that_would_stand_in_front_of_a_real_module_is_refused(path: str) -> None:
    (finding,) = findings("x = 1\n", path=path)
    assert (finding.file, finding.line, finding.rule) == (path, 1, "reserved_name")
    assert path.rpartition("/")[2] in finding.message


@pytest.mark.parametrize("path", ["numpy/helpers.py", "tinyllm/modern/norm.py", "a/unittest/test_x.py"])
def test_a_folder_that_would_stand_in_front_of_a_real_package_is_refused(path: str) -> None:
    (finding,) = findings("x = 1\n", path=path)
    assert (finding.rule, finding.line) == ("reserved_name", 1)
    assert "folder" in finding.message


@pytest.mark.parametrize(
    "path", ["test_random.py", "oracle.py", "norm/__init__.py", "tests/test_x.py", "helpers/random_inputs.py"]
)
def test_other_names_are_let_through(path: str) -> None:
    assert findings("x = 1\n", path=path) == []


# All together -------------------------------------------------------------------------------------------------


def test_findings_come_in_the_order_of_their_lines() -> None:
    source = "eval('1')\nimport os\n\n\ndef pytest_configure(): pass\n\nimport sys\n"
    assert rules_found(source) == [(1, "builtin"), (2, "import"), (5, "hook"), (7, "import")]


def test_every_rule_says_what_to_do_instead() -> None:
    assert all(
        policy.INSTEAD[rule] for rule in ("import", "hook", "builtin", "reserved_name", "missing_package")
    )
