"""A witness as it stands in a fault's file, and in the text of one with its comments kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.author.fault_file import asks_for
from grader.author.toml_values import code, tomlkit

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


def witness_table(call: str) -> str:
    """The table of a witness, ready to paste.

    Raises:
        MissingExtraError: tomlkit is not installed.
    """
    return f"[witness]\ncall    = {_literal(call)}\n"


def with_witness(text: str, call: str) -> str:
    """A fault's file with this witness; comments and all else stay as they are.

    Raises:
        MissingExtraError: tomlkit is not installed.
    """
    document: TOMLDocument = tomlkit().parse(text)
    if "witness" in document:
        document["witness"]["call"] = tomlkit().parse(witness_table(call))["witness"]["call"]
        return document.as_string()
    table = witness_table(call)
    asking = asks_for("witness")
    if asking.search(text):
        return asking.sub(lambda _found: table.rstrip("\n"), text, count=1)
    return f"{text.rstrip()}\n\n{table}"


def _literal(call: str) -> str:
    string = code(f"{call}\n").as_string()
    # TOML drops a line feed that follows the opening quotes.
    return f"{string[:3]}\n{string[3:]}" if string[:3] in {"'''", '"""'} else string
