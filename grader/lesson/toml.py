"""TOML text to a checked type; whatever is wrong becomes a `LessonError` with the key."""

import re
import tomllib
from decimal import Decimal
from typing import Any, TypeVar

import msgspec

from grader.errors import LessonError

T = TypeVar("T", bound=msgspec.Struct)

_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`")
_MISSING = re.compile(r"Object missing required field `(.*)`")


def decode(text: str, kind: type[T], file: str) -> T:
    """The text of a TOML file as `kind`; numbers with a point keep the author's digits, as `Decimal`.

    Raises:
        LessonError: it is not TOML, or a key is unknown, missing or of the wrong type.
    """
    raw = _whole_as_decimal(_parse(text, file), kind)
    try:
        # As a builtin type, a Decimal is taken as it is and no text is taken for one.
        return msgspec.convert(raw, kind, builtin_types=(Decimal,))
    except msgspec.ValidationError as error:
        raise LessonError(file, *_key_and_reason(str(error))) from error


def _parse(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise LessonError(file, "toml", str(error)) from error


def _whole_as_decimal(raw: dict[str, Any], kind: type[T]) -> dict[str, Any]:
    """Lets an author write `1` where a number with a point is expected."""
    wanted = {key for key, annotation in kind.__annotations__.items() if annotation is Decimal}
    return raw | {key: Decimal(raw[key]) for key in wanted & raw.keys() if type(raw[key]) is int}


def _key_and_reason(message: str) -> tuple[str, str]:
    what, _, where = message.partition(" - at `$")
    path = where.removesuffix("`").lstrip(".")
    if match := _UNKNOWN.fullmatch(what):
        return _joined(path, match[1]), "is not a key that this file may have"
    if match := _MISSING.fullmatch(what):
        return _joined(path, match[1]), "is missing"
    return path or "toml", what[:1].lower() + what[1:]


def _joined(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
