"""One entrance for every form in which a suite is handed in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.errors import PathNotFoundError
from grader.submission.archive import is_archive, read_archive
from grader.submission.folder import read_file, read_folder
from grader.submission.model import Collector, Submission

if TYPE_CHECKING:
    from pathlib import Path


def read_submission(path: Path) -> Submission:
    """Read a folder of tests, one test file with the helpers beside it, or an archive. Nothing is written anywhere.

    Raises:
        PathNotFoundError: there is nothing at `path`.
    """
    if not path.exists():
        raise PathNotFoundError(path)
    collector = Collector()
    if path.is_dir():
        read_folder(path, collector)
        return collector.submission(path.resolve().name)
    if is_archive(path):
        read_archive(path, collector)
        return collector.submission(path.name.partition(".")[0])
    read_file(path, collector)
    return collector.submission(path.parent.resolve().name)
