"""Text as inert Markdown: what GitHub and its like show as text and nothing else, whatever it holds.

Learners' text stands in code, where nothing is a mention, a link or a mark. Text of ours and of the course stands
among other words; there marks are escaped, and an empty comment breaks what a service would make a link of after
it has read all escapes. See the GitHub Flavored Markdown specification, 6.1 (escapes), 6.9 (autolinks).
"""

from __future__ import annotations

import re

from grader import texts
from grader.writers.said import shortened

LONGEST = 2_000  # characters of a text on one line

# An underscore between letters is none, nor are brackets of other kinds than these.
_MARKS = re.compile(r"[\\`*\[\]<>#&~$|]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
# Mentions, issues, addresses with and without a scheme, emoji: each is broken behind its first part.
_LINKS = re.compile(
    r"(?P<at>@)(?=\S)|(?P<number>#)(?=\d)|(?P<issue>\bgh)(?=-\d)|(?P<scheme>:)(?=//)|(?P<www>www)(?=\.)"
    r"|(?P<mail>(?:mailto|xmpp):)|(?P<emoji>:)(?=[\w+-]+:)",
    re.IGNORECASE,
)
_BREAK = "<!-- -->"
_TICKS = re.compile("`+")


def inline(text: str) -> str:
    """`text` on one line, as words after others: at the start of a line it could still be a heading or an item."""
    pieces = []
    done = 0
    shown = one_line(text)
    for found in _LINKS.finditer(shown):
        pieces += [_escaped(shown[done : found.end()]), _BREAK]
        done = found.end()
    return "".join([*pieces, _escaped(shown[done:])])


def code(text: str) -> str:
    """`text` on one line, as code among words."""
    shown = one_line(text)
    if not shown:
        return ""
    ticks = "`" * (_longest(shown) + 1)
    # One blank on each side is taken off again, where both sides have one.
    pad = " " if "`" in (shown[0], shown[-1]) else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def one_line(text: str) -> str:
    """`text` as it is shown by all of these: plain, on one line, and not endless."""
    return shortened(texts.one_line(text), LONGEST)


def cell(text: str) -> str:
    """`text` on one line, as code in a cell of a table."""
    # A table is split at its bars before anything in it is read, and backslashes before a bar count twice.
    return f"<code>{inline(text)}</code>" if "|" in text else code(text)


def block(text: str, language: str = "text") -> str:
    """`text`, which is plain already, as a block of code."""
    fence = "`" * max(3, _longest(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _escaped(text: str) -> str:
    return _MARKS.sub(_escape, text)


def _escape(mark: re.Match[str]) -> str:
    return f"&#{ord(mark[0])};" if mark[0] in "|\\" else f"\\{mark[0]}"


def _longest(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0)
