"""The texts that kits are made of: files in `templates`, with `@NAME@` where something is to be filled in."""

from __future__ import annotations

import re
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_BLANK = re.compile(r"@([A-Z][A-Z0-9_]*)@")


def filled(name: str, values: Mapping[str, str]) -> str:
    """The template of this name with its blanks filled in.

    Args:
        name: a file in the folder `templates`.
        values: text for each blank, already in the syntax of its place.

    Raises:
        KeyError: a blank has no value.
    """
    template = (resources.files("grader.kits") / "templates" / name).read_text(encoding="utf-8")
    return _BLANK.sub(lambda blank: values[blank[1]], template)
