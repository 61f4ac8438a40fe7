"""TOML text to a checked type; whatever is wrong becomes a `LessonError` with the key."""

import re
import tomllib
from decimal import Decimal
from typing import Any, TypeVar

import msgspec

from grader.errors import LessonError

T = TypeVar("T", bound=msgspec.Struct)

WHOLE = "toml"  # in place of a key, where something is wrong with the file as a whole

_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`")
_MISSING = re.compile(r"Object missing required field `(.*)`")


def decode(text: str, kind: type[T], file: str) -> T:
    """The text of a TOML file as `kind`; numbers with a point keep the author's digits, as `Decimal`.

    Raises:
        LessonError: it is not TOML, or a key is unknown, missing or of the wrong type.
    """
    return convert(_whole_as_decimal(_parse(text, file), kind), kind, file)


def convert(raw: dict[str, Any], kind: type[T], file: str, within: str = "") -> T:
    """What a TOML file holds at one place, as `kind`.

    Args:
        raw: as it was parsed.
        kind: what it should be.
        file: where it stands, for errors.
        within: the key of that place; empty: the whole file.

    Raises:
        LessonError: a key is unknown, missing or of the wrong type.
    """
    try:
        # As a builtin type, a Decimal is taken as it is and no text is taken for one.
        return msgspec.convert(raw, kind, builtin_types=(Decimal,))
    except msgspec.ValidationError as error:
        key, reason = _key_and_reason(str(error), within or WHOLE)
        raise LessonError(file, _joined(within, key) if key != within else key, reason) from error


def _parse(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise LessonError(file, WHOLE, str(error)) from error


def _whole_as_decimal(raw: dict[str, Any], kind: type[T]) -> dict[str, Any]:
    """Lets an author write `1` where a number with a point is expected."""
    wanted = {key for key, annotation in kind.__annotations__.items() if annotation is Decimal}
    return raw | {key: Decimal(raw[key]) for key in wanted & raw.keys() if type(raw[key]) is int}


def _key_and_reason(message: str, whole: str) -> tuple[str, str]:
    what, _, where = message.partition(" - at `$")
    path = where.removesuffix("`").lstrip(".")
    if match := _UNKNOWN.fullmatch(what):
        return _joined(path, match[1]), "is not a key that this file may have"
    if match := _MISSING.fullmatch(what):
        return _joined(path, match[1]), "is missing"
    return path or whole, what[:1].lower() + what[1:]


def _joined(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
