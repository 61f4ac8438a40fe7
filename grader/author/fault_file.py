"""The text of a fault's TOML file: a new one with what is still to fill in as comments, an old one with its comments kept."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

from grader.author.toml_values import WIDTH, code, names, prose, tomlkit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tomlkit import TOMLDocument
    from tomlkit.items import AoT, Item, Table

    from grader.author.draft import Draft
    from grader.lesson import Edit

_TO_FILL = {
    "title": '# title   = "what is wrong, in a few words"',
    "symptom": '# symptom = "what somebody sees who runs this, before they know why"',
    "hint": '# hint    = "one sentence that points at the blind spot of a suite, not at the answer"',
    "caught_by": '# caught_by = ["…"]   # the course tests that kill it: `ol mutants edit {name} --yes --run` names them',
    "witness": """\
# [witness]   # an input on which it differs from the reference: `ol mutants witness {name}` looks for one
# call    = '''
# return …
# '''""",
}
_FIRST_TABLE = re.compile(r"^\s*\[|\Z", re.MULTILINE)


def new_text(draft: Draft, name: str) -> str:
    """The file of a new fault; a comment stands where something is still to be filled in.

    Args:
        draft: what is known of the fault; edits at least.
        name: its name in full, for the comments.

    Raises:
        MissingExtraError: tomlkit is not installed.
    """
    to_fill = {key: text.format(name=name) for key, text in _TO_FILL.items() if key in draft.missing}
    lines = [
        to_fill.get("title") or f"title     = {prose(draft.title or '').as_string()}",
        f"pitfall   = {draft.pitfall}" if draft.pitfall else "",
        f"required  = {str(draft.required).lower()}",
        to_fill.get("symptom") or f"symptom   = {prose(draft.symptom or '').as_string()}",
        to_fill.get("hint") or f"hint      = {prose(draft.hint or '').as_string()}",
        to_fill.get("caught_by") or f"caught_by = {names(draft.caught_by).as_string()}",
        "timeout_is_kill = true" if draft.timeout_is_kill else "",
    ]
    call = f"[witness]\ncall    = {code(draft.witness.call).as_string()}" if draft.witness else ""
    parts = ["\n".join(filter(None, lines)), *map(_edit_text, draft.edits), call or to_fill["witness"]]
    return "\n\n".join(parts) + "\n"


def asks_for(key: str) -> re.Pattern[str]:
    """The comment of a new file that asks for a key; an author's own comment about it is another one."""
    head, _mark, rest = _TO_FILL[key].partition("   # ")
    _remark, line_end, below = rest.partition("\n")
    return re.compile(f"^{re.escape(head)}.*{re.escape(line_end + below)}$", re.MULTILINE)


def with_caught_by(text: str, tests: Sequence[str]) -> str:
    """A fault's file with these course tests as those that kill it; comments and all else stay as they are.

    Raises:
        MissingExtraError: tomlkit is not installed.
    """
    document: TOMLDocument = tomlkit().parse(text)
    if "caught_by" in document:
        _change_names(document, tests)
        return document.as_string()
    line = f"caught_by = {names(tests).as_string()}"
    asking = asks_for("caught_by")
    if asking.search(text):
        return asking.sub(lambda _: line, text, count=1)
    return _FIRST_TABLE.sub(lambda found: f"{line}\n{found[0]}", text, count=1)


def with_edits(text: str, edits: Sequence[Edit]) -> str:
    """A fault's file with other edits, in whatever order; comments, and edits that stay, are as they were.

    Raises:
        MissingExtraError: tomlkit is not installed.
    """
    document: TOMLDocument = tomlkit().parse(f"{text.rstrip()}\n")
    tables = document.get("edit")
    if not isinstance(tables, tomlkit().items.AoT):
        document.pop("edit", None)
        document.append("edit", tomlkit().aot())
        tables = document["edit"]
    # What stands above each table, and below the last: it belongs to no edit, though the parser has it so.
    between = [[], *map(_cut_below, tables)]
    kept = _kept(tables, edits)
    new = [edit for edit in edits if edit not in kept.values()]
    free = [index for index in range(len(tables)) if index not in kept]
    for index, edit in zip(free, new, strict=False):
        _update(tables[index], edit)
    for edit in new[len(free) :]:
        tables.append(_table(edit))
        between.insert(-1, [tomlkit().ws("\n")])
    for index in reversed(free[len(new) :]):
        _remove(tables, between, index)
    for table, below in zip(tables, between[1:], strict=True):
        table.value.body.extend((None, item) for item in below)
    return document.as_string().rstrip("\n") + "\n"


def _change_names(document: TOMLDocument, tests: Sequence[str]) -> None:
    """Add what is missing and take out what is too much: the rest stays in its author's form and order."""
    array = document["caught_by"]
    there = [str(name) for name in array]
    gone = [place for place, name in enumerate(there) if name not in tests or name in there[:place]]
    added = [name for name in tests if name not in there]
    wanted = [name for place, name in enumerate(there) if place not in gone] + added
    if wanted == there:
        return
    for name in added:
        array.append(name)
    for place in reversed(gone):
        del array[place]
    line = array.as_string()
    # The library has lost items of a list whose commas begin the lines.
    if ("\n" not in line and len(line) > WIDTH) or not _holds(document, wanted):
        document["caught_by"] = names(wanted)


def _holds(document: TOMLDocument, wanted: Sequence[str]) -> bool:
    try:
        return bool(tomllib.loads(document.as_string())["caught_by"] == wanted)
    except ValueError:
        return False


def _edit_text(edit: Edit) -> str:
    return (
        "[[edit]]\n"
        f"file    = {prose(edit.file).as_string()}\n"
        f"find    = {code(edit.find).as_string()}\n"
        f"replace = {code(edit.replace).as_string()}"
    )


def _table(edit: Edit) -> Table:
    table: Table = tomlkit().parse(f"{_edit_text(edit)}\n")["edit"][0]
    return table


def _values(edit: Edit) -> dict[str, Any]:
    return {"file": prose(edit.file), "find": code(edit.find), "replace": code(edit.replace)}


def _kept(tables: AoT, edits: Sequence[Edit]) -> dict[int, Edit]:
    """The edits that the file has already, by their places in it."""
    there = [dict(table) for table in tables]
    return {there.index(same): edit for edit in edits if (same := _plain(edit)) in there}


def _plain(edit: Edit) -> dict[str, str]:
    return {"file": edit.file, "find": edit.find, "replace": edit.replace}


def _update(table: Table, edit: Edit) -> None:
    for key, value in _values(edit).items():
        if table.get(key) != value:
            table[key] = value


def _cut_below(table: Table) -> list[Item]:
    """Take away what stands below a table from the first blank line on: it is about what comes next."""
    body = table.value.body
    keys = [place for place, (key, _item) in enumerate(body) if key is not None]
    below = range(keys[-1] + 1 if keys else 0, len(body))
    start = next((place for place in below if _is_blank(body[place][1])), len(body))
    cut = [item for _key, item in body[start:]]
    del body[start:]
    return cut


def _remove(tables: AoT, between: list[list[Item]], index: int) -> None:
    """Take an edit out; its comments go to the edit before it, or after it if it is the first."""
    heir = tables[index - 1 if index else 1]
    # What stands above the first table is not among these, and is now above the next.
    above = between.pop(index or 1)
    own = [tables[index], *(item for _key, item in tables[index].value.body)]
    items = [*above, *own] if index else [*own, *above]
    for comment in [item.trivia.comment for item in items if not _is_blank(item)]:
        if comment:
            heir.add(tomlkit().comment(comment.removeprefix("#").strip()))
    del tables[index]


def _is_blank(item: Item) -> bool:
    return isinstance(item, tomlkit().items.Whitespace)
