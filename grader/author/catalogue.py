"""Which faults a course has, and which of them a name means: `LESSON/ID`, or the id alone where only one lesson has it.

Only the names of files are read here: a fault may be in any state and still be found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.errors import AmbiguousFaultError, LessonError, UnknownFaultError, UnknownLessonError
from grader.lesson import lesson_ids

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, order=True)
class FaultPlace:
    """Where a fault is described.

    Attributes:
        lesson: its lesson's name.
        id: the part of the file's name before the first `-`.
        path: the file.
    """

    lesson: str
    id: str
    path: Path

    @property
    def name(self) -> str:
        """The fault's name in full."""
        return f"{self.lesson}/{self.id}"

    @property
    def file(self) -> str:
        """The file, relative to the course, with forward slashes."""
        return f"mutants/{self.lesson}/{self.path.name}"

    @property
    def stem(self) -> str:
        """The file's name as a name of the fault; it tells files apart that share an id."""
        return f"{self.lesson}/{self.path.stem}"


def lessons_of(course: Path) -> tuple[str, ...]:
    """The names of a course's lessons, at least one.

    Raises:
        LessonError: it has none.
        CourseNotFoundError: the course cannot be read.
    """
    known = lesson_ids(course)
    if not known:
        raise LessonError("mutants", "folder", "holds no lesson: `ol lesson new` lays one down")
    return known


def fault_places(course: Path, lesson: str | None = None) -> tuple[FaultPlace, ...]:
    """The faults of a lesson by id, or of all lessons.

    Raises:
        UnknownLessonError: the course has no such lesson.
        LessonError: a lesson's folder cannot be read.
        CourseNotFoundError: the course's cannot.
    """
    known = lesson_ids(course)
    if lesson is not None and lesson not in known:
        raise UnknownLessonError(lesson, known)
    return tuple(place for each in ([lesson] if lesson else known) for place in _places(course, each))


def find_fault(course: Path, name: str, lesson: str | None = None) -> FaultPlace:
    """The one fault that a name means.

    Args:
        course: the course's folder.
        name: `LESSON/ID`, `ID`, or either with the rest of the file's name (`s01-the-title`).
        lesson: the only lesson to look in; None: all.

    Raises:
        UnknownFaultError: there is none.
        AmbiguousFaultError: there are several.
        UnknownLessonError: the lesson, which the name or `lesson` names, is not there.
    """
    found = files_of_fault(course, name, lesson)
    if len(found) > 1:
        raise AmbiguousFaultError(name, [place.stem for place in found])
    return found[0]


def files_of_fault(course: Path, name: str, lesson: str | None = None) -> list[FaultPlace]:
    """The file of the one fault that a name means, or all files that share its id, which only one of them can have.

    Takes and raises what `find_fault` does.
    """
    named, slash, short = name.rpartition("/")
    if slash and lesson not in {None, named}:
        raise UnknownFaultError(name, [place.name for place in fault_places(course, lesson)])
    places = fault_places(course, named if slash else lesson)
    found = [place for place in places if short in {place.id, place.path.stem}]
    if not found:
        raise UnknownFaultError(name, [place.name for place in places])
    if len({place.name for place in found}) > 1:
        names = [place.name for place in found]
        distinct = len(set(names)) == len(names)
        raise AmbiguousFaultError(name, names if distinct else [place.stem for place in found])
    return found


def _places(course: Path, lesson: str) -> list[FaultPlace]:
    folder = course / "mutants" / lesson
    try:
        files = [path for path in folder.iterdir() if path.suffix == ".toml" and path.name[0] != "."]
    except OSError as error:
        raise LessonError(f"mutants/{lesson}", "folder", f"cannot be read: {error.strerror}") from error
    named = [path for path in files if path.name != "lesson.toml"]
    return sorted(FaultPlace(lesson, path.stem.partition("-")[0], path) for path in named)
