"""Values of a TOML file as a person would write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    from tomlkit.items import Array, String

WIDTH = 100  # columns; a longer list has a line for each of its items


def tomlkit() -> ModuleType:
    """The library that keeps comments.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        import tomlkit as library  # noqa: PLC0415 - comes with an extra
    except ImportError as error:
        raise MissingExtraError("tomlkit", "author") from error
    return library


def code(text: str) -> String:
    """Code as it is, between triple quotes; with escapes only where it holds what cannot stand there for itself."""
    if "\r" in text:  # lost by readers before a line feed, unless it is escaped on one line
        return _string(text)
    plain = all(character.isprintable() or character in "\t\n" for character in text)
    literal = plain and "'''" not in text and not text.endswith("'")
    return _string(text, literal=literal, multiline=True)


def prose(text: str) -> String:
    """A sentence, on one line."""
    return _string(one_line(text))


def one_line(text: str) -> str:
    """A text with every run of blanks and line ends as one blank."""
    return " ".join(text.split())


def names(each: Iterable[str]) -> Array:
    """A list on one line where it fits, else one line an item."""
    array: Array = tomlkit().array()
    array.extend(each)
    if len(array.as_string()) > WIDTH:
        array.multiline(multiline=True)
    return array


def _string(text: str, *, literal: bool = False, multiline: bool = False) -> String:
    made: String = tomlkit().string(text, literal=literal, multiline=multiline)
    return made
