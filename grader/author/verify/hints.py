"""Whether a hint gives the answer away: a hint points at what a suite does not look at, never at the mistake."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.lesson import Edit, Fault

SHORTEST = 3  # characters; less stands in prose by chance


def given_away(fault: Fault) -> Iterator[tuple[str, str]]:
    """Key (`hint` or `symptom`) and the code of a replacement that stands in that text."""
    codes = {code for edit in fault.edits for code in _codes(edit)}
    for key, text in (("hint", fault.hint), ("symptom", fault.symptom)):
        shown = _spaced(text)
        for code in sorted(codes, key=len, reverse=True):
            if _stands_in(code, shown):
                yield key, code
                break


def _codes(edit: Edit) -> Iterator[str]:
    """The whole replacement, each of its lines that the reference does not have, and what a changed line ends in."""
    yield from filter(_telling, [_spaced(edit.replace)])
    before = {_spaced(line) for line in edit.find.splitlines()}
    for line in map(_spaced, edit.replace.splitlines()):
        if line not in before:
            yield from filter(_telling, [line, line.removeprefix("return "), line.partition(" = ")[2]])


def _telling(code: str) -> bool:
    return len(code) >= SHORTEST


def _stands_in(code: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(code)}(?!\w)", text) is not None


def _spaced(text: str) -> str:
    return " ".join(text.split())
