"""How much a run has written, where no file system of its own bounds it."""

from __future__ import annotations

import os

DEEPEST = 60  # folders in one another


def exceeds(folder: str, size: int, files: int) -> bool:
    """Whether what lies below a folder takes more than `size` bytes or is more than `files` entries.

    Nesting deeper than 60 folders counts as too much: its paths may be longer than any call takes. What vanishes or
    cannot be read meanwhile counts as nothing.
    """
    todo = [(folder, 0)]
    while todo:
        path, depth = todo.pop()
        for entry_size, subfolder in _entries(path):
            size -= entry_size
            files -= 1
            if size < 0 or files < 0 or depth > DEEPEST:
                return True
            if subfolder:
                todo.append((subfolder, depth + 1))
    return False


def _entries(path: str) -> list[tuple[int, str]]:
    """Of each entry of a folder, the bytes that it takes on disk, and its path if it is a folder."""
    try:
        with os.scandir(path) as entries:
            return [
                (entry.stat(follow_symlinks=False).st_blocks * 512, entry.path if _is_folder(entry) else "")
                for entry in entries
            ]
    except OSError:
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False)
