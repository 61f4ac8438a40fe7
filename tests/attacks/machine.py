"""What a grading must leave as it was: processes, files, kernel objects; and what it must not say aloud."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from grader.lesson import fault_source, load_lesson
from tests.e2e.test_submissions import tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

COURSE = Path(__file__).resolve().parents[2]
PROC = Path("/proc")
# Where an attack tries to leave something under this name.
MARK = "ol-attack"
SHARED = tuple(map(Path, ("/tmp", "/var/tmp", "/dev/shm", "/run", "/root", str(Path.home()))))  # noqa: S108 - looked at only
KERNEL_OBJECTS = tuple(PROC / "sysvipc" / kind for kind in ("shm", "msg", "sem"))
TOO_SHORT_TO_TELL = 30  # characters: shorter lines of code are anybody's

COMMANDS = ("##vso[", "##[")  # Azure and old GitHub: obeyed wherever they stand in a line
LINE_COMMAND = "::"  # GitHub: obeyed at the start of a line, after blanks too


def processes(trace: str) -> list[int]:
    """Processes whose environment, arguments or working folder name `trace`.

    The processes of a grading have its temporary folder in their environment, and whatever they fork inherits it.
    """
    return [int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit() and _names(entry, trace)]


def _names(process: Path, trace: str) -> bool:
    try:
        texts = [(process / name).read_bytes() for name in ("environ", "cmdline")]
        texts.append(str((process / "cwd").readlink()).encode())
    except OSError:  # it has ended, or it is another user's
        return False
    return any(trace.encode() in text for text in texts)


def kernel_objects() -> set[str]:
    """The System V objects of this machine, by kind, key and id."""
    return {
        f"{file.name} {' '.join(line.split()[:2])}"
        for file in KERNEL_OBJECTS
        if file.exists()
        for line in file.read_text().splitlines()[1:]
    }


def marks() -> set[str]:
    """What attacks have left in places that every process may write in, and their names for sockets."""
    left = {str(path) for folder in SHARED if folder.is_dir() for path in folder.glob(f"{MARK}*")}
    names = (PROC / "net" / "unix").read_text(errors="replace").splitlines()
    return left | {line.split()[-1] for line in names if MARK in line}


@dataclass
class Machine:
    """The machine before a grading.

    Attributes:
        temp: the folder in which the grading makes its temporary files; empty.
        kept: folders that a grading must leave alone.
    """

    temp: Path
    kept: tuple[Path, ...]
    _trees: Mapping[Path, dict[str, str]] = field(init=False)
    _objects: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self._trees = {folder: tree(folder) for folder in self.kept}
        self._objects = kernel_objects()

    def changes(self) -> Iterator[str]:
        """All that is not as it was."""
        yield from (f"process {pid} is left" for pid in processes(str(self.temp)))
        yield from (f"{path} is left" for path in sorted(self.temp.iterdir()))
        yield from (f"{folder} has changed" for folder, was in self._trees.items() if tree(folder) != was)
        yield from (f"a kernel object is left: {thing}" for thing in sorted(kernel_objects() - self._objects))
        yield from (f"{mark} is left" for mark in sorted(marks()))


def secrets_in(outputs: Mapping[str, str], secrets: Mapping[str, str]) -> Iterator[str]:
    """Which planted text is said in which output."""
    for output, text in outputs.items():
        yield from (f"{output} says {name}" for name, secret in secrets.items() if secret in text)


def code_in(outputs: Mapping[str, str], suite: Path) -> Iterator[str]:
    """Which line of the reference, a variant or a fault is said in which output, though the suite does not hold it."""
    own = "".join(path.read_text(errors="replace") for path in suite.rglob("*.py"))
    for line in sorted(lines_of_the_course() - {line for line in lines_of_the_course() if line in own}):
        yield from (f"{output} says {line!r}" for output, text in outputs.items() if line in text)


def lines_of_the_course() -> set[str]:
    """Lines of code of all programs of the lesson, those that are long enough to be nobody else's."""
    if not _LINES:
        lesson = load_lesson(COURSE, "L7.1")
        texts = [
            lesson.reference_modules[lesson.module].source,
            *(variant.source for variant in lesson.variants),
        ]
        texts += [text for fault in lesson.faults for text in fault_source(lesson, fault).values()]
        lines = {line.strip() for text in texts for line in text.splitlines()}
        _LINES.update(line for line in lines if len(line) >= TOO_SHORT_TO_TELL and "import" not in line)
    return _LINES


_LINES: set[str] = set()


def dangers(text: str) -> Iterator[str]:
    """What a terminal or the log of a CI system would obey in a text that was printed."""
    for line in text.splitlines():
        if line.lstrip().startswith(LINE_COMMAND):
            yield f"a line that GitHub obeys: {line!r}"
        yield from (f"a line that a CI system obeys: {line!r}" for command in COMMANDS if command in line)
    for character in sorted(set(text) - {"\n"}):
        if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}:
            yield f"a character that a terminal obeys: {character!r}"
