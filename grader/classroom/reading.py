"""From a child of a folder of submissions to the suite in it."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import GraderError, HarnessError
from grader.submission import Submission, read_submission
from grader.submission.archive import is_archive, names_in, read_archive
from grader.submission.model import MAX_FILE, Collector
from grader.submission.names import is_passed_over, problem_with
from grader.workers.layout import is_test_file
from grader.workspace import SOURCES, Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.classroom.entries import Entry
    from grader.lesson import Lesson

SUITE = "suite"  # the name of a root folder that has none, or none that can be shown
BESIDE = "an archive lies beside other files; hand in one archive, or the files themselves"
WRAPPERS = 3  # folders with nothing else in them that a workspace may be packed into


# What a file system or a system without room answers: nothing that a learner can bring about.
OF_THE_MACHINE = frozenset(
    {errno.EIO, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ESTALE, errno.ETIMEDOUT, errno.EREMOTEIO}
)
TRY_AGAIN = "Look after the machine or its file system, and run the command again."


def read_entry(entry: Entry, lesson: Lesson) -> Submission:
    """The suite of an entry: a workspace's tests, a bare folder, one file, an archive of any of these.

    Never raises for what a learner handed in: whatever cannot be read is a finding, which makes the submission invalid.

    Raises:
        HarnessError: the machine fails, whatever was handed in.
    """
    try:
        return _named(_refused(entry.path, entry.problem) if entry.problem else _read(entry, lesson))
    except OSError as error:
        blame_the_machine(error, entry.path)
        return _refused(entry.path, f"it cannot be read: {error.strerror or error}")
    except GraderError as error:
        return _refused(entry.path, f"it cannot be read: {error.message}")
    except RecursionError:  # what walks through folders calls itself for each that lies in another
        return _refused(entry.path, "it cannot be read: its folders lie too deep in one another")


def workspace_of(entry: Entry, lesson: Lesson) -> Workspace | None:
    """The workspace that an entry is or holds, for the course tests; None: it holds none, or only packed in an archive.

    Raises:
        HarnessError: as `read_entry`.
    """
    if entry.problem:
        return None
    try:
        return _workspace(entry.path, lesson)
    except OSError as error:
        blame_the_machine(error, entry.path)
        return None


def blame_the_machine(error: OSError, path: Path) -> None:
    """Nothing, where what was handed in may be why it cannot be read.

    Raises:
        HarnessError: it cannot: the machine fails.
    """
    if error.errno in OF_THE_MACHINE:
        raise HarnessError(f"{path} cannot be read: {error.strerror}", TRY_AGAIN) from error


def _read(entry: Entry, lesson: Lesson) -> Submission:
    if entry.parts:
        return _read_parts(entry.parts, lesson)
    path = entry.path
    path.stat()  # it may have gone
    if not path.is_dir():
        return _read_parts([(path.name, path)], lesson)
    tests = _tests(path, lesson)
    if tests is not None:
        return _read_tests(tests, path)
    archive = _only_archive(path)
    return read_submission(path) if archive is None else _read_parts([(archive.name, archive)], lesson)


def _read_tests(tests: Path, child: Path) -> Submission:
    if not tests.exists():
        return Collector().submission(tests.name)  # a suite without any test
    if not tests.resolve().is_relative_to(child.resolve()):
        return _refused(
            tests, "it is a link that leads out of the submission; put the files themselves there"
        )
    return read_submission(tests)


def _read_parts(parts: Sequence[tuple[str, Path]], lesson: Lesson) -> Submission:
    """Files that lie beside those of others: nothing but themselves is taken."""
    archives = [file for _, file in parts if is_archive(file)]
    if archives and len(parts) > 1:
        return _refused(archives[0], BESIDE)
    collector = Collector()
    if archives:
        read_archive(archives[0], collector, _root_in(archives[0], lesson))
    else:
        _take_files([part for part in parts if part[0].endswith(".py")], collector)
    return collector.submission(SUITE)


def _take_files(files: Sequence[tuple[str, Path]], collector: Collector) -> None:
    for name, file in files:
        shown = _as_test(name) if len(files) == 1 else name
        problem = problem_with(shown)
        if problem:
            collector.refuse(shown, "name", problem)
            continue
        with file.open("rb") as stream:
            collector.add(shown, stream.read(MAX_FILE + 1))


def _as_test(name: str) -> str:
    """The name of a suite's only file: its own where pytest takes that for tests, else one that it does."""
    if problem_with(name):
        return "test_submission.py"
    return name if is_test_file(name) else f"test_{name}"


# Where in a child the suite lies ----------------------------------------------------------------------------------


def _tests(child: Path, lesson: Lesson) -> Path | None:
    """The folder of the suite in a workspace, whether it is there or not; None: the child holds no workspace."""
    for folder in _wrapped(child):
        found = [folder / name for name in _tests_folders(lesson) if (folder / name).is_dir()]
        if found:
            return found[0]
    workspace = _workspace(child, lesson)
    return workspace.tests(lesson) if workspace is not None else None


def _tests_folders(lesson: Lesson) -> tuple[str, ...]:
    """The folder of a suite in a workspace, and in the folder in it that holds the sources, which some hand in alone."""
    return tuple(dict.fromkeys((lesson.tests, lesson.tests.removeprefix(f"{SOURCES}/"))))


def _workspace(child: Path, lesson: Lesson) -> Workspace | None:
    for folder in _wrapped(child):
        if (folder / SOURCES / lesson.package).is_dir():
            return Workspace(folder)
    return None


def _wrapped(child: Path) -> Iterator[Path]:
    """A folder, then the folder that is the only thing in it, and so on."""
    yield child
    for _ in range(WRAPPERS):
        inside = _inside(child)
        if len(inside) != 1 or inside[0].is_symlink() or not inside[0].is_dir():
            return
        child = inside[0]
        yield child


def _only_archive(child: Path) -> Path | None:
    """The archive that is the only thing in a folder."""
    inside = _inside(child)
    alone = len(inside) == 1 and not inside[0].is_symlink() and is_archive(inside[0])
    return inside[0] if alone else None


def _inside(folder: Path) -> list[Path]:
    """The first two things in a folder that count: whether there is one is all that is asked."""
    found: list[Path] = []
    if not folder.is_dir():
        return found
    with os.scandir(folder) as entries:
        for each in entries:
            if not is_passed_over(each.name):
                found.append(Path(each.path))
            if len(found) > 1:
                break
    return found


def _root_in(archive: Path, lesson: Lesson) -> str:
    """How the entries of a workspace's tests begin in an archive; empty: the archive holds no workspace."""
    # What may not be read at all does not show where the suite is.
    names = [f"/{name}" for name in names_in(archive) if not is_passed_over(name) and not problem_with(name)]
    for folder in _tests_folders(lesson):
        place = _highest(names, folder)
        if place is not None:
            return f"{place}/{folder}/"[1:]
    place = _highest(names, f"{SOURCES}/{lesson.package}")
    return "" if place is None else f"{place}/{lesson.tests}/"[1:]


def _highest(names: Sequence[str], folder: str) -> str | None:
    """What comes before a folder in these names; of several places the one that is not inside of others."""
    places = {name.partition(f"/{folder}/")[0] for name in names if f"/{folder}/" in name}
    return min(places, key=lambda place: (place.count("/"), place), default=None)


# What is wrong with it --------------------------------------------------------------------------------------------


def _refused(path: Path, reason: str) -> Submission:
    collector = Collector()
    collector.refuse(path.name, "unreadable", reason)
    return collector.submission(SUITE)


def _named(submission: Submission) -> Submission:
    """With a root folder's name that every process can be told."""
    return submission if not problem_with(submission.root_name) else replace(submission, root_name=SUITE)
