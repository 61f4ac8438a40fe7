"""A suite is parsed and compiled in memory; what is no Python is the learner's error, with file and line."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from grader.workers import suite
from grader.workers.wire import ENCODING, SYNTAX, Prepare, Rules, SuiteFile

ROOT = Path("/nowhere/suite-of-mine")


def read(*files: tuple[str, bytes], rules: Rules | None = None) -> suite.Suite:
    return suite.read(
        Prepare([SuiteFile(*file) for file in files], "suite-of-mine", "/nowhere", rules),
        ROOT,
        lambda _file: None,
    )


def constant_of(data: bytes) -> object:
    """What `X` is in a file with these bytes."""
    found = read(("test_a.py", data))
    assert found.findings == []
    namespace: dict[str, object] = {"__name__": "suite.test_a"}
    exec(found.code["suite.test_a"], namespace)  # noqa: S102 - our own text
    return namespace["X"]


# Encodings ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        pytest.param("X = 'é'\n".encode(), id="utf-8"),
        pytest.param(codecs.BOM_UTF8 + "X = 'é'\n".encode(), id="utf-8 with a mark"),
        pytest.param("# line\r\nX = 'é'\r\n".encode(), id="crlf"),
        pytest.param("# line\rX = 'é'\r".encode(), id="cr"),
        pytest.param("# -*- coding: latin-1 -*-\nX = 'é'\n".encode("latin-1"), id="declared latin-1"),
        pytest.param("X = 'é'".encode(), id="no last line end"),
    ],
)
def test_an_encoding_that_python_reads_works(data: bytes) -> None:
    assert constant_of(data) == "é"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param("X = 1\n".encode("utf-16"), "UTF-16", id="utf-16"),
        pytest.param(codecs.BOM_UTF16_LE + "X = 1\n".encode("utf-16-le"), "UTF-16", id="little endian"),
        pytest.param(codecs.BOM_UTF16_BE + "X = 1\n".encode("utf-16-be"), "UTF-16", id="big endian"),
        pytest.param("X = 1\n".encode("utf-16-le"), "UTF-16", id="without a mark"),
        pytest.param(b"X = 1\n\0", "NUL", id="nul"),
    ],
)
def test_a_wide_encoding_is_named_with_what_to_do(data: bytes, words: str) -> None:
    (finding,) = read(("test_a.py", data)).findings
    assert (finding.file, finding.line, finding.rule) == ("test_a.py", 1, ENCODING)
    assert words in finding.message
    assert "save it as UTF-8" in finding.message


@pytest.mark.parametrize(
    "data", [b"X = '\xe9'\n", b"# coding: nonsense\nX = 1\n", b"# coding: utf-16\nX = 1\n"]
)
def test_bytes_that_are_not_what_the_file_says_do_not_load(data: bytes) -> None:
    (finding,) = read(("test_a.py", data)).findings
    assert finding.rule in {SYNTAX, ENCODING}


# Syntax -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("x = 1\ndef broken(:\n", 2),
        ("x = 1\n\n  indented = 2\n", 3),
        ("return 1\n", 1),
        ("def f():\n    nonlocal x\n", 2),
        ("x = 1\nawait y\n", 2),
        ("from __future__ import braces\n", 1),
        ("break\n", 1),
    ],
)
def test_a_syntax_error_is_shown_with_its_line(source: str, line: int) -> None:
    (finding,) = read(("test_a.py", source.encode())).findings
    assert (finding.file, finding.line, finding.rule) == ("test_a.py", line, SYNTAX)
    assert "Error" in finding.message


def test_a_text_that_is_too_deep_for_python_does_not_load() -> None:
    (finding,) = read(("test_a.py", b"x = " + b"(" * 5000 + b")" * 5000)).findings
    assert finding.rule == SYNTAX


def test_a_syntax_error_in_a_conftest_names_the_conftest() -> None:
    (finding,) = read(("conftest.py", b"("), ("test_a.py", b"x = 1")).findings
    assert finding.file == "conftest.py"


def test_every_broken_file_is_named() -> None:
    found = read(("test_a.py", b"("), ("test_b.py", b")"), ("test_c.py", b"x = 1")).findings
    assert [finding.file for finding in found] == ["test_a.py", "test_b.py"]


def test_nothing_is_compiled_when_something_is_refused() -> None:
    assert read(("test_a.py", b"x = 1"), ("test_b.py", b"(")).code == {}


@pytest.mark.parametrize("source", [b"x = 1 is 1\n", b"x = '\\d'\n", b"assert (x, 'always true')\n"])
def test_what_python_only_warns_of_loads(source: bytes) -> None:
    assert read(("test_a.py", source)).findings == []


# What is compiled ---------------------------------------------------------------------------------------------


def test_reading_executes_nothing() -> None:
    assert read(("test_a.py", b"raise SystemExit('executed')\n")).findings == []


def test_asserts_explain_themselves_as_in_pytest() -> None:
    found = read(("test_a.py", b"def f(x): assert x == 2\n"))
    namespace: dict[str, object] = {"__name__": "suite.test_a"}
    exec(found.code["suite.test_a"], namespace)  # noqa: S102 - our own text
    function = namespace["f"]
    assert callable(function)
    with pytest.raises(AssertionError, match="1 == 2"):
        function(1)


def test_test_files_come_in_the_order_in_which_pytest_collects() -> None:
    names = ["test_b.py", "b/test_x.py", "a/test_x.py", "a.py", "test_a.py", "a/conftest.py"]
    found = read(*((name, b"") for name in names))
    assert found.test_files == ["a/test_x.py", "b/test_x.py", "test_a.py", "test_b.py"]


@pytest.mark.parametrize(
    "source",
    [
        b"import hypothesis",
        b"def test():\n    from hypothesis import given",
        b"import hypothesis.strategies as s",
    ],
)
def test_a_suite_that_imports_hypothesis_is_known_to(source: bytes) -> None:
    assert "hypothesis" in {name.partition(".")[0] for name in read(("test_a.py", source)).packages}
    assert read(("test_a.py", b"import math  # hypothesis")).packages == ["math"]


def test_rules_apply_only_where_they_are_given() -> None:
    assert read(("test_a.py", b"import os")).findings == []
    (finding,) = read(("test_a.py", b"import os"), rules=Rules([], hypothesis_installed=True)).findings
    assert finding.rule == "import"


def test_only_files_of_the_suite_have_a_path_in_it() -> None:
    found = read(("a/test_x.py", b""))
    assert found.path_of(f"{ROOT}/a/test_x.py") == "a/test_x.py"
    assert found.path_of(f"{ROOT}/elsewhere.py") is None
    assert found.path_of("/usr/lib/python3/random.py") is None
