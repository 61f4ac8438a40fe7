"""Text that a learner, or their code, has a say in: made harmless before it is shown anywhere.

Terminals obey control characters, readers are misled by characters that turn the direction of writing around, and
CI services take lines such as `::error::…` in a log for commands. Every writer shows learners' text through `plain`.
"""

from __future__ import annotations

import re
import unicodedata

TAB = "    "
# Cc: control characters; Cf: format characters, those for bidirectional text among them; Cs: lone surrogates;
# Zl, Zp: line and paragraph separators, which some programs break lines at.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# GitHub: `::name …::` at the start of a line, blanks before it or not, and `##[name]` anywhere.
# Azure: `##vso[…]`; TeamCity: `##teamcity[…]`. GitLab's and Travis's are control characters or follow one.
_COMMAND = re.compile(r"^(?P<before>(?:\s|\x1b\[[0-9;]*m)*)(?=::)|(?P<hashes>#(?=#\w*\[))", re.MULTILINE)
_SPACE_BEFORE_END = re.compile(r"[^\S\n]+$", re.MULTILINE)


def plain(text: str) -> str:
    r"""`text` with nothing in it that a terminal, a log or a reader's eye would take for more than text.

    Line ends stay; what cannot be seen is written as Python would write it (`\x1b`, `\u202e`).
    """
    if text.isascii() and text.isprintable():
        return guarded(text)
    lines = text.replace("\r\n", "\n").replace("\t", TAB).split("\n")
    return guarded("\n".join(_visible(line) for line in lines))


def one_line(text: str) -> str:
    """`plain(text)` as a single line, runs of blanks as one."""
    return guarded(" ".join(plain(text).split()))


def guarded(text: str) -> str:
    """`text` without a line that a CI service would take for a command: a backslash stands before the mark."""
    if "::" not in text and "##" not in text:
        return text
    return _COMMAND.sub(lambda match: f"{match['before'] or ''}{match['hashes'] or ''}\\", text)


def without_trailing_blanks(text: str) -> str:
    """`text` with no blanks at the ends of its lines."""
    return _SPACE_BEFORE_END.sub("", text)


def head(text: str, lines: int) -> str:
    """The first `lines` lines; what is left out is counted."""
    every = [line for line in text.split("\n") if line.strip()]
    left = len(every) - lines
    return "\n".join(every) if left <= 0 else "\n".join([*every[:lines], f"[{left} more lines]"])


def count(number: int, noun: str) -> str:
    """`1 fault`, `2 faults`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _visible(line: str) -> str:
    return "".join(map(_shown, line))


def _shown(character: str) -> str:
    if unicodedata.category(character) not in _HIDDEN:
        return character
    return character.encode("unicode_escape").decode("ascii")


# What stands in for a character that the output's encoding lacks; anything else is written as an escape.
_SPELLED = {
    "−": "-", "–": "-", "—": "-", "×": "x", "·": "*", "…": "...", "²": "^2", "√": "sqrt", "≤": "<=", "≥": ">=",
    "≠": "!=", "→": "->", "‘": "'", "’": "'", "“": '"', "”": '"', "\u00a0": " ", "⊙": "*", "σ": "sigma", "ε": "eps",
}  # fmt: skip


def encodable(text: str, encoding: str) -> str:
    """`text` with what `encoding` lacks spelled in ASCII, so that writing it cannot fail."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return "".join(_spelled(character, encoding) for character in text)
    return text


def _spelled(character: str, encoding: str) -> str:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return _SPELLED.get(character) or character.encode("ascii", "backslashreplace").decode("ascii")
    return character
