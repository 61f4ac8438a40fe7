"""What is taken of a submission, and the limits that it has to keep."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.workers.wire import Finding, SuiteFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_FILE = 256 * 1024  # bytes
MAX_SUITE = 2 * 1024 * 1024  # bytes
MAX_FILES = 500
MAX_ENTRIES = 10_000  # files and folders of any kind
CONFIGURATION = frozenset(
    {"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg"}
)


@dataclass(frozen=True)
class Submission:
    """A suite as it was handed in.

    Attributes:
        root_name: the name of its root folder.
        files: its Python files, by path.
        findings: what the files themselves break (names, sizes, links that leave), before any is parsed.
        ignored: files that would configure pytest, and have no effect here.
        sha256: over the names and bytes of `files`, and over `findings` where there are any: what was refused is part of
            what was handed in.
    """

    root_name: str
    files: tuple[SuiteFile, ...]
    findings: tuple[Finding, ...]
    ignored: tuple[str, ...]
    sha256: str


@dataclass
class Collector:
    """Takes files in one by one and refuses, by name, what breaks a limit."""

    files: dict[str, SuiteFile] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    _entries: int = 0
    _bytes: int = 0
    _full: bool = False
    _folded: dict[str, str] = field(default_factory=dict)

    def full(self, name: str) -> bool:
        """Count one entry; True, and a finding, when there are too many of them."""
        self._entries += 1
        if self._entries > MAX_ENTRIES:
            self.refuse(name, "count", f"there are more than {MAX_ENTRIES} files and folders")
        return self._entries > MAX_ENTRIES or self._full

    def add(self, name: str, data: bytes) -> None:
        """Take one Python file; `data` may be cut at one byte above the limit."""
        if len(data) > MAX_FILE:
            limit = f"the file is larger than {MAX_FILE >> 10} KiB"
            self.refuse(name, "size", f"{limit}; split it, or make its data in code")
            return
        twin = self._folded.setdefault(name.casefold(), name)
        if twin != name or name in self.files:
            self.refuse(
                name, "name", f"there is another file of this name, but for upper and lower case: {twin}"
            )
        elif self._bytes + len(data) > MAX_SUITE or len(self.files) == MAX_FILES:
            self._full = True
            limit = f"the suite is larger than {MAX_SUITE >> 20} MiB or {MAX_FILES} files"
            self.refuse(name, "size", f"{limit}; remove what its tests do not need")
        else:
            self._bytes += len(data)
            self.files[name] = SuiteFile(name, data)

    def refuse(self, name: str, rule: str, message: str) -> None:
        """Remember why the submission cannot be graded."""
        # A name that is no UTF-8 is told by its bytes.
        shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        self.findings.append(Finding(shown, 1, rule, message))

    def submission(self, root_name: str) -> Submission:
        """What was taken in."""
        files = tuple(sorted(self.files.values(), key=lambda file: file.path))
        findings = tuple(self.findings)
        return Submission(root_name, files, findings, tuple(sorted(self.ignored)), sha256_of(files, findings))


def sha256_of(files: Sequence[SuiteFile], findings: Sequence[Finding] = ()) -> str:
    """The hash of a submission."""
    digest = hashlib.sha256()
    for part in _parts(files, findings):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def _parts(files: Sequence[SuiteFile], findings: Sequence[Finding]) -> Iterator[bytes]:
    for file in files:
        yield file.path.encode("utf-8", "surrogateescape")
        yield file.data
    for finding in findings:
        yield from (text.encode("utf-8", "backslashreplace") for text in (finding.file, finding.message))
