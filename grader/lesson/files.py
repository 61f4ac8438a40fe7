"""Reads a course's files, each once, and remembers their bytes: the lesson's hash covers exactly what was read."""

import hashlib
import os
from pathlib import Path, PurePosixPath

from grader.errors import LessonError

EXTRA = "extra-faults"


class CourseFiles:
    """The files of one course, named relative to its folder with forward slashes.

    Args:
        root: the course's folder.
        extra: a folder elsewhere, whose files are named as if it lay in the course as `extra-faults`: so the hash
            does not depend on where it lies.
    """

    def __init__(self, root: Path, extra: Path | None = None) -> None:
        self.root = root
        self._extra = extra
        self._read: dict[str, bytes] = {}

    def path(self, file: str) -> Path:
        """Where a file or folder lies."""
        top, _, below = file.partition("/")
        return self._extra / below if top == EXTRA and self._extra is not None else self.root / file

    def listing(self, folder: str, suffix: str) -> list[str]:
        """The files directly in a folder, by name; hidden ones are left out.

        Raises:
            LessonError: the folder is missing or cannot be read.
        """
        files, _ = self._scan(folder)
        return [file for file in files if file.endswith(suffix)]

    def tree(self, folder: str, skip: str = "") -> list[str]:
        """The files in a folder and below it, by name, without hidden ones, caches and the subfolder `skip`.

        Raises:
            LessonError: a folder is missing or cannot be read.
        """
        found, folders = self._scan(folder)
        for below in folders:
            if below != skip:
                found += self.tree(below)
        return sorted(found)

    def data(self, file: str) -> bytes:
        """The bytes of a file.

        Raises:
            LessonError: it is missing or cannot be read.
        """
        if file not in self._read:
            try:
                self._read[file] = self.path(file).read_bytes()
            except OSError as error:
                raise LessonError(file, "file", f"cannot be read: {error.strerror}") from error
        return self._read[file]

    def text(self, file: str) -> str:
        """The text of a file, with line feeds as line ends whatever the checkout made of them, and without a BOM.

        Raises:
            LessonError: it is missing, cannot be read or is not UTF-8.
        """
        try:
            text = self.data(file).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise LessonError(file, "encoding", f"is not UTF-8 at byte {error.start}") from error
        return text.replace("\r\n", "\n")

    def sha256(self) -> str:
        """A hash over the names and bytes of the files read so far, whatever the order in which they were read."""
        digest = hashlib.sha256()
        for file in sorted(self._read):
            for part in (os.fsencode(file), self._read[file]):
                # With its length before it, no part can pass for the end of one and the start of the next.
                digest.update(len(part).to_bytes(8, "big"))
                digest.update(part)
        return digest.hexdigest()

    def _scan(self, folder: str) -> tuple[list[str], list[str]]:
        files: list[str] = []
        folders: list[str] = []
        try:
            with os.scandir(self.path(folder)) as entries:
                for entry in entries:
                    if not _is_litter(entry.name):
                        (folders if entry.is_dir() else files).append(f"{folder}/{entry.name}")
        except OSError as error:
            raise LessonError(folder, "folder", f"cannot be read: {error.strerror}") from error
        return sorted(files), sorted(folders)


def stem(file: str) -> str:
    """The last part of a file's name, without its suffix."""
    return PurePosixPath(file).stem


def _is_litter(name: str) -> bool:
    return name.startswith(".") or name == "__pycache__" or name.endswith(".pyc")
