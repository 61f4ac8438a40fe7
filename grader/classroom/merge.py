"""Several stores, each of a part of a class, into one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.classroom.store import Store
from grader.errors import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True)
class Merged:
    """What came of a merge.

    Attributes:
        store: open, with everything in it.
        added: attempts that it did not hold before.
        seeds: the first seeds of the folders that were merged.
    """

    store: Store
    added: int
    seeds: frozenset[int]


def merged(sources: Sequence[Path], out: Path) -> Merged:
    """The store in `out`, made if need be, with every attempt of these OUT folders.

    To merge twice adds nothing: an attempt that is there is left out.

    Raises:
        StoreBusyError: a run is writing one of them.
        StoreNewerError: a newer version of this program made one of them.
        UnreadableError: one holds no store, or grades of another lesson than the first; then nothing is merged.
        StoreError: `out` cannot be written.
    """
    if out.resolve() in {source.resolve() for source in sources}:
        raise UnreadableError(out, "it is one of the folders to merge; name another one")
    lesson, seeds = _in_common(sources)
    store = Store.open(out, lesson, seeds[0])
    try:
        added = sum(_taken(store, source) for source in sources)
    except BaseException:
        store.close()
        raise
    return Merged(store, added, frozenset(seeds))


def _in_common(sources: Sequence[Path]) -> tuple[str, list[int]]:
    """The lesson of all of them, and the seed of each."""
    seeds = []
    lesson = ""
    for source in sources:
        with Store.existing(source) as store:
            if lesson and store.lesson != lesson:
                raise UnreadableError(
                    source, f"it holds grades of {store.lesson}, and {sources[0]} of {lesson}"
                )
            lesson = store.lesson
            seeds.append(store.seed)
    return lesson, seeds


def _taken(store: Store, source: Path) -> int:
    with Store.existing(source) as other:
        return store.take_in(other)
