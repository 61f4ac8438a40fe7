"""Reads a suite from a `.zip`, `.tar` or `.tar.gz` archive, in memory: nothing is unpacked, so nothing can land outside.

What an archive says of its own sizes is not believed: bytes are counted as they are read.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import stat
import struct
import tarfile
import zipfile
import zlib
from functools import partial
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from grader.submission.model import CONFIGURATION, MAX_ENTRIES, MAX_FILE, Collector
from grader.submission.names import is_passed_over, problem_with

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

SUFFIXES = (".zip", ".tar.gz", ".tgz", ".tar")
MAX_UNPACKED = 64 << 20  # bytes that are unpacked at most, whatever comes out
# Those that `zipfile` unpacks no further than it is asked to. Of the others the archive itself says how much memory it
# takes to unpack them (LZMA's dictionary may have 4 GiB), or all that comes of a piece is unpacked at once (bzip2).
ZIP_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
METHOD = "the archive is packed by a method that is not read here; pack it by zip's own, Deflate"
DAMAGED = (
    zipfile.BadZipFile,
    tarfile.TarError,
    gzip.BadGzipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
    LookupError,
    MemoryError,  # all that is read is bounded, and may still be more than there is
)


class RefusedError(Exception):
    """An archive is not read any further; `args`: the rule that it breaks, and why."""


def is_archive(path: Path) -> bool:
    """Whether a file is taken for an archive, by its name."""
    return path.is_file() and path.name.lower().endswith(SUFFIXES)


def names_in(path: Path) -> list[str]:
    """The names of an archive's entries, as they stand in it: as many as can be read, and at most `MAX_ENTRIES`."""
    names = []
    with contextlib.suppress(RefusedError, *DAMAGED):
        for entry in islice(_entries(path), MAX_ENTRIES):
            names.append(entry.name)  # noqa: PERF401 - what was read before an error is kept
    return names


def read_archive(path: Path, collector: Collector, root: str = "") -> None:
    """Take every Python file of an archive; a single folder around everything is left out of the paths.

    Args:
        path: the archive.
        collector: takes the files.
        root: how the names of the entries to take begin; their paths are what comes after it.
    """
    inner = Collector()
    try:
        for entry in _entries(path):
            if inner.full(entry.name):
                break
            if entry.name.startswith(root):
                entry.name = entry.name.removeprefix(root)
                _take(entry, inner)
    except RefusedError as refused:
        inner.refuse(path.name, *refused.args)
    except DAMAGED as error:
        inner.refuse(path.name, "archive", f"the archive cannot be read ({type(error).__name__}: {error})")
    _hand_over(inner, collector, inside=not root and _in_one_folder(inner.files))


def _entries(path: Path) -> Iterator[_Entry]:
    return _zip_entries(path) if path.name.lower().endswith(".zip") else _tar_entries(path)


class _Entry:
    """One entry of an archive."""

    def __init__(self, name: str, kind: str, read: Callable[[int], bytes]) -> None:
        self.name = name
        self.kind = kind
        self.read = read


def _take(entry: _Entry, collector: Collector) -> None:
    problem = problem_with(entry.name)
    if problem:
        collector.refuse(entry.name, "name", problem)
    elif entry.kind == "link":
        collector.refuse(entry.name, "link", "an archive may not hold links; pack the file itself")
    elif entry.kind == "device":
        collector.refuse(entry.name, "device", "an archive may hold files and folders only")
    elif entry.kind == "file" and not is_passed_over(entry.name):
        _take_file(entry, collector)


def _take_file(entry: _Entry, collector: Collector) -> None:
    name = str(PurePosixPath(entry.name))
    if name.endswith(".py"):
        collector.add(name, entry.read(MAX_FILE + 1))
    elif PurePosixPath(name).name in CONFIGURATION:
        collector.ignored.append(name)


def _in_one_folder(names: Collection[str]) -> bool:
    tops = {name.partition("/")[0] for name in names}
    return len(tops) == 1 and all("/" in name for name in names)


def _hand_over(inner: Collector, collector: Collector, *, inside: bool) -> None:
    for name, file in inner.files.items():
        collector.add(name.partition("/")[2] if inside else name, file.data)
    collector.findings += inner.findings
    collector.ignored += inner.ignored


def _zip_entries(path: Path) -> Iterator[_Entry]:
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            yield _Entry(info.filename, _zip_kind(info), partial(_read_zip, archive, info))


def _zip_kind(info: zipfile.ZipInfo) -> str:
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode):
        return "link"
    if info.is_dir():
        return "folder"
    return "file" if stat.S_IFMT(mode) in {0, stat.S_IFREG} else "device"


def _read_zip(archive: zipfile.ZipFile, info: zipfile.ZipInfo, size: int) -> bytes:
    if info.compress_type not in ZIP_METHODS:
        raise RefusedError("archive", METHOD)
    with archive.open(info) as stream:
        return stream.read(size)


def _tar_entries(path: Path) -> Iterator[_Entry]:
    with path.open("rb") as raw:
        plain = path.name.lower().endswith(".tar")
        stream = _Bounded(raw if plain else gzip.GzipFile(fileobj=raw))
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for info in archive:
                yield _Entry(info.name, _tar_kind(info), partial(_read_tar, archive, info))


def _tar_kind(info: tarfile.TarInfo) -> str:
    if info.issym() or info.islnk():
        return "link"
    if info.isdir():
        return "folder"
    return "file" if info.isreg() else "device"


def _read_tar(archive: tarfile.TarFile, info: tarfile.TarInfo, size: int) -> bytes:
    stream = archive.extractfile(info)
    return stream.read(size) if stream is not None else b""


class _Bounded(io.RawIOBase):
    """A stream of which no more than `MAX_UNPACKED` bytes are read."""

    def __init__(self, stream: io.BufferedIOBase | gzip.GzipFile) -> None:
        super().__init__()
        self._stream = stream
        self._left = MAX_UNPACKED

    def readable(self) -> bool:
        """It can be read."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes.

        Raises:
            RefusedError: the limit is passed.
        """
        data = self._stream.read(size if 0 <= size <= self._left else self._left + 1)
        self._left -= len(data)
        if self._left < 0:
            raise RefusedError("size", f"the archive unpacks to more than {MAX_UNPACKED >> 20} MiB")
        return data
