"""A learner's text is shown and never obeyed: by a terminal, a reader's eye or a CI service."""

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader import texts

anything = st.text(st.characters(codec="utf-16", exclude_categories=()), max_size=60)


@pytest.mark.parametrize(
    "hostile",
    [
        "::error::no",
        "  ::set-output name=x::y",
        "fine\n::stop-commands::z",
        "##[error]no",
        "text ##[group]x",
        "##vso[task.complete result=Succeeded;]",
        "##teamcity[testFailed]",
        "\x1b]0;title\x07",
        "\x1b[2J",
        "a\rb",
        "a\r::error::b",
        "\u202egnp.exe",
        "zero\u200bwidth",
        "\u2028::error::x",
        "\x85::error::x",
        "\x00",
        "\ud800",
    ],
)
def test_what_is_hostile_comes_out_harmless(hostile: str) -> None:
    assert_harmless(texts.plain(hostile))
    assert_harmless(texts.one_line(hostile))


def assert_harmless(text: str) -> None:
    assert not [c for c in text if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and c != "\n"]
    assert not re.search(r"^\s*::", text, re.MULTILINE)
    assert not re.search(r"##\w*\[", text)


def test_nothing_is_lost_of_a_node_id() -> None:
    assert texts.plain("test_norm.py::TestIt::test_x[1e-3]") == "test_norm.py::TestIt::test_x[1e-3]"


def test_other_scripts_and_signs_stay_as_they_are() -> None:
    assert texts.plain("größe — 大きさ × √σ²") == "größe — 大きさ × √σ²"


@given(anything)
@example("\r\n::error::")
@example("#" * 5 + "[x]")
def test_no_text_whatever_comes_out_hostile(text: str) -> None:
    assert_harmless(texts.plain(text))


@given(anything)
def test_what_is_plain_already_does_not_change(text: str) -> None:
    once = texts.plain(text)
    assert texts.plain(once) == once


@given(anything)
def test_one_line_is_one_line(text: str) -> None:
    assert "\n" not in texts.one_line(text)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "utf-8"])
@given(text=st.text(max_size=40))
def test_every_text_can_be_written_in_every_encoding(encoding: str, text: str) -> None:
    texts.encodable(texts.plain(text), encoding).encode(encoding)


def test_signs_that_an_encoding_lacks_are_spelled_out() -> None:
    assert texts.encodable("x − √2 ≤ 3…", "ascii") == "x - sqrt2 <= 3..."


def test_a_long_message_says_how_much_of_it_is_left_out() -> None:
    assert texts.head("a\n\nb\nc\nd", 2) == "a\nb\n[2 more lines]"
    assert texts.head("a\n\nb", 2) == "a\nb"
