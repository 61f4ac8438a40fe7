"""From an edited copy of the reference to `find` and `replace`, with the smallest context that is unique.

The change is taken line by line. A `find` is the changed lines themselves; where their text stands more than once,
lines around them are added, as few as it takes. A line that alone is changed into one line loses its indentation
and the comment at its end, if they are not part of the change.
"""

from __future__ import annotations

import difflib
import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from grader.errors import FaultEditError
from grader.lesson.edits import edited
from grader.lesson.model import Edit
from grader.lesson.replacement import starts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_TAIL = re.compile(r"\s*(?:#[^\n]*)?\n\Z")
_INDENT = re.compile(r"[ \t]*")


class Span(NamedTuple):
    """A part of a text, in characters."""

    start: int
    end: int


class _Hunk(NamedTuple):
    """Lines of the reference, and the lines that stand in their place."""

    old: range
    new: range


@dataclass(frozen=True)
class _Window:
    """A hunk with the lines around it that its `find` needs."""

    old: range
    find: str
    replace: str


def edits_between(file: str, reference: str, changed: str, known: Sequence[Edit] = ()) -> tuple[Edit, ...]:
    """The edits that make `changed` of `reference`; none where the two are equal.

    Args:
        file: the reference's file, as edits name it.
        reference: its text.
        changed: what it is to become.
        known: edits of an earlier version; one that still does its part is kept as its author wrote it.

    Raises:
        FaultEditError: the reference is empty, so that nothing can be found in it.
    """
    if changed == reference:
        return ()
    if not reference:
        raise FaultEditError(file, "is empty in the reference, and an edit needs text to be found by")
    own = tuple(edit for edit in known if edit.file == file and fits(edit, reference))
    if own and _apart(own, reference) and edited(own, {file: reference}, "") == {file: changed}:
        return own
    windows = _windows(lines_of(reference), lines_of(changed), reference)
    made = [Edit(file=file, find=each.find, replace=each.replace) for each in windows]
    for edit in own:
        made = _with_known(made, edit, reference)
    return tuple(made)


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends; a line ends at a line feed and nowhere else."""
    return _LINE.findall(text)


def fits(edit: Edit, source: str) -> bool:
    """Whether an edit's `find` stands exactly once in the reference's file."""
    return len(starts_of(source, edit.find)) == 1


def span_of(edit: Edit, source: str) -> Span:
    """Where an edit that fits is made."""
    start = source.index(edit.find)
    return Span(start, start + len(edit.find))


def _windows(old: list[str], new: list[str], source: str) -> list[_Window]:
    """One window a hunk; hunks whose windows would overlap are taken as one."""
    hunks = _hunks(old, new)
    while True:
        windows = [_window(hunk, old, new, source) for hunk in hunks]
        pairs = itertools.pairwise(windows)
        clash = next((i for i, (one, other) in enumerate(pairs) if one.old.stop > other.old.start), None)
        if clash is None:
            return windows
        hunks[clash : clash + 2] = [_joined(*hunks[clash : clash + 2])]


def _hunks(old: list[str], new: list[str]) -> list[_Hunk]:
    codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [_Hunk(range(a, b), range(c, d)) for tag, a, b, c, d in codes if tag != "equal"]


def _joined(one: _Hunk, other: _Hunk) -> _Hunk:
    return _Hunk(range(one.old.start, other.old.stop), range(one.new.start, other.new.stop))


def _window(hunk: _Hunk, old: list[str], new: list[str], source: str) -> _Window:
    """The window with the fewest lines around the hunk; of those with as few, the shortest."""
    for around in range(len(old) + 1):
        fitting = list(_fitting(hunk, around, old, new, source))
        if fitting:
            return min(fitting, key=lambda window: len(window.find))
    raise AssertionError("the whole text stands in itself once")


def _fitting(hunk: _Hunk, around: int, old: list[str], new: list[str], source: str) -> Iterator[_Window]:
    for above in range(around + 1):
        below = around - above
        first, last = hunk.old.start - above, hunk.old.stop + below
        if first < 0 or last > len(old):
            continue
        find = "".join(old[first:last])
        replace = "".join(new[hunk.new.start - above : hunk.new.stop + below])
        for part, instead in _forms(find, replace):
            # Blank lines tell a reader nothing about the place, even where they are unique.
            if (part.strip() or find == source) and len(starts_of(source, part)) == 1:
                yield _Window(range(first, last), part, instead)
                break


def _forms(find: str, replace: str) -> Iterator[tuple[str, str]]:
    """The same change with less and with more of its lines, the shortest first; some may have an empty `find`."""
    if find.endswith("\n") and replace.endswith("\n"):
        if find.count("\n") == replace.count("\n") == 1:
            yield _statement(find, replace)
        yield find[:-1], replace[:-1]
    yield find, replace


def _statement(find: str, replace: str) -> tuple[str, str]:
    """One line without indentation and trailing comment, as far as the change leaves them as they are."""
    indents = [_INDENT.match(line) for line in (find, replace)]
    indent = len({match[0] if match else "" for match in indents}) == 1
    start = indents[0].end() if indent and indents[0] else 0
    tail = _TAIL.search(find)
    cut = len(tail[0]) if tail and replace.endswith(tail[0]) and len(tail[0]) < len(find) - start else 1
    return find[start : len(find) - cut], replace[start : len(replace) - cut]


def _with_known(made: list[Edit], known: Edit, reference: str) -> list[Edit]:
    """`made` with `known` in the place of those that together do what it does, if there are such."""
    sources = {known.file: reference}
    alone, all_together = edited((known,), sources, ""), edited(tuple(made), sources, "")
    for first, last in itertools.combinations(range(len(made) + 1), 2):
        if edited(tuple(made[first:last]), sources, "") != alone:
            continue
        instead = [*made[:first], known, *made[last:]]
        if _apart(instead, reference) and edited(tuple(instead), sources, "") == all_together:
            return instead
    return made


def _apart(edits: Sequence[Edit], source: str) -> bool:
    spans = sorted(span_of(edit, source) for edit in edits)
    return all(one.end <= other.start for one, other in itertools.pairwise(spans))
