"""Reads `submission_metadata.yml` as a stream of events: no tag builds anything, no alias multiplies, no depth recurses.

The file also holds every submission's results, which are a hundred times of what is wanted here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from grader.errors import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_BYTES = 512 << 20
LONGEST = 1_000  # characters of a name
DEPTH = 4  # :submitters: is a list of mappings in a mapping in the document's mapping
PERSON = (":name", ":sid", ":email")
# Some exports write a time as a Ruby object, whose `utc` is the time.
TIMES = ((":created_at",), (":created_at", "utc"))

Place = tuple[str, ...]  # the keys that lead to a value; an item of a list is its number


@dataclass
class Metadata:
    """What is told of one submission.

    Attributes:
        submitters: name, sid and email of each person; empty where it is not told.
        created_at: as it is written; empty where it is not told.
    """

    submitters: list[tuple[str, str, str]] = field(default_factory=list)
    created_at: str = ""


def read_metadata(file: Path) -> dict[str, Metadata]:
    """What the file tells, by the name of a submission's folder.

    Raises:
        UnreadableError: it cannot be read, is no YAML, or is larger than `MAX_BYTES`.
    """
    import yaml  # noqa: PLC0415 - only exports of this kind need it

    try:
        if file.stat().st_size > MAX_BYTES:
            raise UnreadableError(file, f"it is larger than {MAX_BYTES >> 20} MiB")
        with file.open("rb") as stream:
            return _told(_scalars(yaml.parse(stream, Loader=_loader(yaml))))
    except OSError as error:
        raise UnreadableError(file, error.strerror or str(error)) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UnreadableError(file, f"it is no YAML ({' '.join(str(error).split())})") from error


def _loader(yaml: Any) -> Any:
    """The parser of libyaml where the package was built with it: it is some ten times as fast."""
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _told(scalars: Iterator[tuple[Place, str]]) -> dict[str, Metadata]:
    found: dict[str, Metadata] = {}
    people: dict[Place, dict[str, str]] = {}
    for (folder, *place), value in scalars:
        metadata = found.setdefault(folder, Metadata())
        match place:
            case [":submitters", number, key] if key in PERSON and len(value) <= LONGEST:
                people.setdefault((folder, number), {})[key] = value
            case _ if tuple(place) in TIMES:
                metadata.created_at = value
    for (folder, _), person in people.items():
        name, sid, email = (person.get(key, "") for key in PERSON)
        found[folder].submitters.append((name, sid, email))
    return found


def _scalars(events: Iterator[Any]) -> Iterator[tuple[Place, str]]:
    """Every scalar that is a value, with the place at which it stands; an alias of anything but a scalar is empty."""
    levels: list[_Level] = []
    anchors: dict[str, str] = {}
    for event in events:
        kind = type(event).__name__
        if kind in {"MappingStartEvent", "SequenceStartEvent"}:
            place = levels[-1].place_of_next("") if levels else ()
            levels.append(_Level(place or (), mapping=kind == "MappingStartEvent"))
        elif kind in {"MappingEndEvent", "SequenceEndEvent"}:
            levels.pop()
        elif kind in {"ScalarEvent", "AliasEvent"} and levels:
            value = event.value if kind == "ScalarEvent" else anchors.get(event.anchor, "")
            if event.anchor:
                anchors[event.anchor] = value
            place = levels[-1].place_of_next(value)
            if place:
                yield place, value


class _Level:
    """A mapping or a list that is being read."""

    def __init__(self, place: Place, *, mapping: bool) -> None:
        self._place = place[
            : DEPTH + 1
        ]  # what is deeper is not wanted, and must not cost more the deeper it is
        self._mapping = mapping
        self._count = 0
        self._key: str | None = None

    def place_of_next(self, text: str) -> Place | None:
        """Where the node that comes now stands; None: it is a key, and `text` is what it says."""
        if not self._mapping:
            self._count += 1
            return (*self._place, str(self._count))
        if self._key is None:
            self._key = text
            return None
        key, self._key = self._key, None
        return (*self._place, key)
