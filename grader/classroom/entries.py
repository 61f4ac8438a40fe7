"""One submission of a folder of submissions: whose it is, where it lies, how it is named in files of ours."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path

READABLE = 48  # characters of a name that stay readable in a place
HASH = 16  # hexadecimal digits: no second name with the hash of somebody else's can be found
# Safe on every file system. Lower case only, since `Ada` and `ada` are one file on some.
_SAFE = re.compile(r"[a-z0-9][a-z0-9_.-]{0,62}[a-z0-9_-]|[a-z0-9]")
_HASHED = re.compile(
    rf"-[0-9a-f]{{{HASH}}}$"
)  # a name of this form always gets a hash, so that it is no one else's
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")  # no names of files on Windows


@dataclass(frozen=True)
class Entry:
    """A child of the folder that is graded. Nothing of it has been read yet.

    Attributes:
        learner: whose it is, exactly as the folder or the export names them. Bytes that are no UTF-8 are surrogates
            (PEP 383), control characters stay: every writer escapes for its own place.
        path: the child; the first one, where it consists of several files.
        layout: what it was recognised as: plain, gradescope, moodle or github-classroom.
        place: a file name that is safe everywhere, unique to this learner and child and the same in every run:
            the submission's folder in `OUT/submissions`.
        submitted: when it was handed in, with a time zone, where the layout tells; else None.
        problem: why it cannot be read, as the rest of a sentence; empty: nothing is known against it.
        parts: (name that the learner gave it, file) where the submission is files beside those of others; else empty.
    """

    learner: str
    path: Path
    layout: str
    place: str
    submitted: datetime | None = None
    problem: str = ""
    parts: tuple[tuple[str, Path], ...] = ()


def only_latest(entries: Iterable[Entry]) -> list[Entry]:
    """Of each learner the entry handed in last: by time where it is known, else by the natural order of the names."""
    latest: dict[str, Entry] = {}
    for entry in entries:
        known = latest.setdefault(entry.learner, entry)
        latest[entry.learner] = max(known, entry, key=_time_and_name)
    return list(latest.values())


def natural(name: str) -> str:
    """A key that sorts names with numbers in them as people do, as plain text: 2 before 10, whatever the case."""
    return re.sub(r"[0-9]+", _sortable, name.casefold())


def place_of(learner: str, child: str) -> str:
    """`Entry.place`: the child's name where that is safe, else a readable part of the learner's and a hash of both."""
    if learner == child and _is_safe(child):
        return child
    plain = unicodedata.normalize("NFKD", learner).encode("ascii", "ignore").decode("ascii").lower()
    readable = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:READABLE].strip("-")
    # A length first, so that no pair can pass for another one.
    both = f"{len(learner)} {learner}{child}".encode("utf-8", "surrogatepass")
    return f"{readable or 'submission'}-{hashlib.sha256(both).hexdigest()[:HASH]}"


def _sortable(digits: re.Match[str]) -> str:
    number = digits[0].lstrip("0")
    return f"{len(number):05}{number}"  # by its length first, however long it is


def _is_safe(name: str) -> bool:
    return _SAFE.fullmatch(name) is not None and not _HASHED.search(name) and not _RESERVED.fullmatch(name)


def _time_and_name(entry: Entry) -> tuple[bool, float, str, str]:
    time = entry.submitted.timestamp() if entry.submitted else 0.0
    return entry.submitted is not None, time, natural(entry.path.name), entry.path.name
