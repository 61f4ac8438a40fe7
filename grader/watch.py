"""Notices that a file was saved: by size and time of change, asked for a few times a second."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

PAUSE = 0.3  # seconds between two looks
Seen = dict[str, tuple[int, int]]


def look(places: Iterable[Path]) -> Seen:
    """Path → (time of change, size) of every Python file below these folders, or of the files themselves."""
    return {path: stamp for place in places for path in _files(place) if (stamp := _stamp(path)) is not None}


def wait_for_change(places: Iterable[Path], seen: Seen, sleep: Callable[[float], None] = time.sleep) -> Seen:
    """Wait until something is not as it was `seen`, and then until saving has come to its end."""
    places = list(places)
    while (now := look(places)) == seen:
        sleep(PAUSE)
    while True:
        # An editor may write a file in several steps, and several files one after the other.
        sleep(PAUSE)
        settled = look(places)
        if settled == now:
            return settled
        now = settled


def _files(place: Path) -> Iterator[str]:
    if place.is_file():
        yield str(place)
    for folder, folders, names in os.walk(place):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        yield from (os.path.join(folder, name) for name in names if name.endswith(".py"))  # noqa: PTH118 - many


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116 - as above
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
