"""This installation as a wheel: what runs here is what runs there, published on an index or not.

The format is that of the Python Packaging User Guide, "Binary distribution format". The wheel is the same, to the byte,
whenever it is made from the same files.
"""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import grader
from grader.kits.requirements import DISTRIBUTION, version
from grader.lesson import find_course
from grader.lesson.course import FOLDERS

if TYPE_CHECKING:
    from collections.abc import Iterator

TAG = "py3-none-any"
WHEEL = f"Wheel-Version: 1.0\nGenerator: ol\nRoot-Is-Purelib: true\nTag: {TAG}\n"
KEPT = ("METADATA", "entry_points.txt", "licenses/LICENSE")  # of what the installation knows of itself
EARLIEST = (1980, 1, 1, 0, 0, 0)  # that the ZIP format can hold
SUBMISSIONS = "submissions"  # examples in a checkout's fixtures: no part of the course


def wheel() -> tuple[str, bytes]:
    """The wheel's file name and its bytes.

    Raises:
        HarnessError: the program was not installed.
    """
    name = f"{DISTRIBUTION.replace('-', '_')}-{version()}"
    files = dict(_files(f"{name}.dist-info"))
    record = f"{name}.dist-info/RECORD"
    files[record] = _record(files, record)
    return f"{name}-{TAG}.whl", zipped(files)


def zipped(files: dict[str, bytes], executable: tuple[str, ...] = ()) -> bytes:
    """A ZIP archive of these files, without times: equal files give equal bytes."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, EARLIEST)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if name in executable else 0o100644) << 16
            target.writestr(entry, files[name])
    return archive.getvalue()


def _files(information: str) -> Iterator[tuple[str, bytes]]:
    package = Path(grader.__file__).parent
    yield from tree(package, "grader")
    if not (package / "course").is_dir():  # a checkout: there the course lies beside the package
        yield from course(find_course(None), "grader/course")
    yield f"{information}/WHEEL", WHEEL.encode()
    for name in KEPT:
        text = metadata.distribution(DISTRIBUTION).read_text(name)
        if text is not None:
            yield f"{information}/{name}", text.encode()


def course(folder: Path, place: str) -> Iterator[tuple[str, bytes]]:
    """The files of a course, named below `place`."""
    for name in FOLDERS:
        for file, data in tree(folder / name, f"{place}/{name}"):
            if not (name == "fixtures" and SUBMISSIONS in PurePosixPath(file).parts):
                yield file, data


def tree(folder: Path, place: str) -> Iterator[tuple[str, bytes]]:
    """The files of a folder, named below `place`; hidden ones and caches are left out."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name == "__pycache__":
            continue
        if path.is_dir():
            yield from tree(path, f"{place}/{path.name}")
        else:
            yield f"{place}/{path.name}", path.read_bytes()


def _record(files: dict[str, bytes], record: str) -> bytes:
    lines = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in sorted(files.items())]
    return "\n".join([*lines, f"{record},,", ""]).encode()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
