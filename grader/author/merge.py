"""A three-way merge of short texts, by words and marks: two changes of one text, made in both."""

from __future__ import annotations

import difflib
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_TOKEN = re.compile(r"\w+|[ \t]+|.", re.DOTALL)


class _Common(NamedTuple):
    """Tokens that all three texts share: where they start in each, and how many."""

    base: int
    ours: int
    theirs: int
    length: int


def merged(base: str, ours: str, theirs: str) -> str | None:
    """`base` with the changes of both; None where the two changed the same words in different ways.

    Between stretches that all three have in common, what only one side changed is taken from that side
    (Khanna, Kunal and Pierce 2007, "A Formal Investigation of Diff3").
    """
    names = _new_names(_tokens(base), _tokens(theirs))
    texts = (_tokens(base, names), _tokens(ours, names), _tokens(theirs))
    parts: list[str] = []
    done = (0, 0, 0)
    for common in _common(*texts):
        starts = (common.base, common.ours, common.theirs)
        gap = [text[a:b] for text, a, b in zip(texts, done, starts, strict=True)]
        chosen = _chosen(*gap)
        if chosen is None:
            return None
        parts += chosen
        parts += texts[0][common.base : common.base + common.length]
        done = (common.base + common.length, common.ours + common.length, common.theirs + common.length)
    return "".join(parts)


def counterpart(base: str, text: str) -> tuple[int, int]:
    """Where in `text`, a later version of `base` with more around it, that which stands for `base` starts and ends."""
    theirs = _tokens(text)
    old = _tokens(base, _new_names(_tokens(base), theirs))
    codes = difflib.SequenceMatcher(None, old, theirs, autojunk=False).get_opcodes()
    before = codes[0][4] if codes and codes[0][0] == "insert" else 0
    after = codes[-1][3] if codes and codes[-1][0] == "insert" else len(theirs)
    # What is cut off must be whole: a bracket that closes there was opened in what stays.
    before = before if _balanced(theirs[:before]) else 0
    after = after if _balanced(theirs[after:]) else len(theirs)
    return len("".join(theirs[:before])), len("".join(theirs[:after]))


def kept(base: str, text: str, whole: str) -> float:
    """The share of the words and marks of `base` that stand in `text` too, in the same order; 0 to 1.

    A word that has another name in `text` counts, if it stands nowhere any more in `whole`, the text around that one:
    if it does, nobody renamed it, and `text` is about something else.
    """
    theirs = _tokens(text)
    there = set(_tokens(whole))
    names = {old: new for old, new in _new_names(_tokens(base), theirs).items() if old not in there}
    ours, others = (
        [each for each in tokens if not each.isspace()] for tokens in (_tokens(base, names), theirs)
    )
    return sum(block.size for block in _blocks(ours, others)) / max(len(ours), 1)


def _balanced(tokens: Sequence[str]) -> bool:
    return all(tokens.count(left) == tokens.count(right) for left, right in ("()", "[]", "{}"))


def _tokens(text: str, names: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    """Words, blanks and marks, one by one, with other names for some words."""
    return [names.get(each, each) for each in _TOKEN.findall(text)]


def _new_names(base: list[str], theirs: list[str]) -> dict[str, str]:
    """Names in `base` that stand in `theirs` under another name, always the same one."""
    pairs: dict[str, set[str]] = {}
    for tag, a, b, c, d in difflib.SequenceMatcher(None, base, theirs, autojunk=False).get_opcodes():
        if tag == "replace" and b - a == d - c:
            for old, new in zip(base[a:b], theirs[c:d], strict=True):
                pairs.setdefault(old, set()).add(new)
    return {
        old: new
        for old, (new, *others) in pairs.items()
        if not others and old.isidentifier() and new.isidentifier() and old not in theirs and new not in base
    }


def _chosen(base: list[str], ours: list[str], theirs: list[str]) -> list[str] | None:
    if ours in (base, theirs):
        return theirs
    return ours if theirs == base else None


def _common(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> Iterator[_Common]:
    """The stretches of `base` that both others kept, in order; last an empty one at the three ends."""
    left, right = _blocks(base, ours), _blocks(base, theirs)
    i = j = 0
    while i < len(left) and j < len(right):
        start = max(left[i].a, right[j].a)
        stop = min(left[i].a + left[i].size, right[j].a + right[j].size)
        if start < stop:
            offsets = (start - left[i].a, start - right[j].a)
            yield _Common(start, left[i].b + offsets[0], right[j].b + offsets[1], stop - start)
        if left[i].a + left[i].size < right[j].a + right[j].size:
            i += 1
        else:
            j += 1
    yield _Common(len(base), len(ours), len(theirs), 0)


def _blocks(base: Sequence[str], other: Sequence[str]) -> list[difflib.Match]:
    return difflib.SequenceMatcher(None, base, other, autojunk=False).get_matching_blocks()
