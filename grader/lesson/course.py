"""Where a course is, and which lessons it has."""

import os
import re
from pathlib import Path

from grader.errors import CourseNotFoundError, PathNotFoundError

FOLDERS = ("mutants", "reference", "student_template", "fixtures")

_GRADER = Path(__file__).resolve().parent.parent


def find_course(option: Path | None) -> Path:
    """The course's folder, absolute: the one named, else the one that ships with the grader, else this checkout.

    Raises:
        PathNotFoundError: the folder named does not exist.
        CourseNotFoundError: it is no course, or none ships with this installation.
    """
    if option is not None:
        return _named_course(option)
    packaged = _GRADER / "course"
    return _checked(packaged if packaged.is_dir() else _GRADER.parent)


def lesson_ids(course: Path) -> tuple[str, ...]:
    """The names of the course's lessons, with numbers in them ordered as numbers.

    Raises:
        CourseNotFoundError: the folder of the lessons cannot be read.
    """
    try:
        with os.scandir(course / "mutants") as entries:
            names = [entry.name for entry in entries if entry.is_dir() and entry.name[0] not in "._"]
    except OSError as error:
        raise CourseNotFoundError(course, f"mutants cannot be read ({error.strerror})") from error
    return tuple(sorted(names, key=_natural))


def _named_course(folder: Path) -> Path:
    if not folder.exists():
        raise PathNotFoundError(folder)
    return _checked(folder.resolve())


def _checked(folder: Path) -> Path:
    missing = [name for name in FOLDERS if not (folder / name).is_dir()]
    if missing:
        raise CourseNotFoundError(folder, f"it has no folder {', '.join(missing)}")
    return folder


def _natural(name: str) -> list[tuple[str, int]]:
    # Digits and the text between them alternate, so that equal places compare alike: 2 comes before 10.
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", name)]
