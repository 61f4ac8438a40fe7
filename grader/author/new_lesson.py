"""A new lesson, laid down whole: an example that can be verified, started and graded before a line of it is filled in."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import unicodedata
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from string import Template
from typing import TYPE_CHECKING

from grader.author.parts import parts_of
from grader.author.saving import save
from grader.errors import (
    CourseNotFoundError,
    GraderError,
    HalfMadeLessonError,
    LessonExistsError,
    NameNotUsableError,
    ReadOnlyCourseError,
)
from grader.lesson import find_course, lesson_ids, load_without_faults
from grader.lesson.course import FOLDERS
from grader.workers.launch import PACKAGES

if TYPE_CHECKING:
    from collections.abc import Iterator

SKELETON = Path(__file__).with_name("skeleton")
PACKAGE = "course"  # of a course's first lesson, unless it is told another
GOLDEN_SECONDS = 60.0
UNWRITABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})  # control characters, what is no text, ends of lines
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_DOTTED = re.compile(r"[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)+", re.IGNORECASE)


@dataclass(frozen=True)
class NewLesson:
    """What a new lesson is called.

    Attributes:
        id: its name, and that of its folders.
        title: one line for `ol list`.
        rung: how far up the course's ladder it stands.
        module: the dotted name of what learners build.
    """

    id: str
    title: str
    rung: str
    module: str

    @property
    def file(self) -> str:
        """The module's file, below `reference`."""
        return self.module.replace(".", "/") + ".py"

    @property
    def slug(self) -> str:
        """The lesson's name as a folder of a workspace."""
        return slug_of(self.id, "-")


def slug_of(text: str, joint: str) -> str:
    """A text as lower-case words of letters and digits with `joint` between them."""
    return joint.join(re.findall(r"[a-z0-9]+", text.lower()))


def course_for(option: Path | None) -> Path:
    """The course that a new lesson goes to: the one that is named, this folder if it is one, else a new one in `course`.

    A folder that does not exist yet, or is empty, is a course in the making.

    Raises:
        CourseNotFoundError: it holds something else.
    """
    folder = option or (Path() if _is_course(Path()) else Path("course"))
    if _is_course(folder):
        return find_course(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CourseNotFoundError(folder, f"it is not empty, and has no folders {', '.join(FOLDERS)}")
    return folder.resolve()


def _is_course(folder: Path) -> bool:
    return all((folder / name).is_dir() for name in FOLDERS)


def module_for(course: Path, lesson: str) -> str:
    """A module's name for a lesson that is told none, in the package that the course's lessons build."""
    return f"{_package_of(course)}.lesson_{slug_of(lesson, '_')}"


def _package_of(course: Path) -> str:
    if not _is_course(course):
        return PACKAGE
    for lesson in lesson_ids(course):
        try:
            return load_without_faults(course, lesson).package
        except GraderError:
            continue  # a lesson in the making has no say
    return PACKAGE


def lay_down(course: Path, new: NewLesson) -> list[str]:
    """Write a lesson that `ol lesson verify` finds nothing wrong with; the files, relative to the course.

    Either all of it is there afterwards or nothing is: not even an interrupt leaves a part.

    Raises:
        NameNotUsableError: the lesson, its rung or its module cannot be called that.
        LessonExistsError: there is such a lesson, or the module is another's.
        HalfMadeLessonError: there are parts of it.
        ReadOnlyCourseError: the course cannot be written.
    """
    _check_names(new)
    _check_free(course, new)
    made: list[Path] = []
    try:
        for folder in FOLDERS:
            _make_folder(course / folder, course, made)
        for file, text in _files(course, new):
            _make_folder((course / file).parent, course, made)
            save(course / file, text, course)
            made.append(course / file)
        made.append(_make_golden(course / "fixtures" / new.id / "golden.py"))
    except BaseException:
        _undo(made)
        raise
    return [path.relative_to(course).as_posix() for path in made if path.is_file()]


# ------------------------------------------------------------------------- whether it can be


def _check_names(new: NewLesson) -> None:
    if not _ID.fullmatch(new.id) or not slug_of(new.id, "-"):
        raise NameNotUsableError(new.id, "a lesson", "letters, digits, `.`, `-` and `_`, as in M1 or M1.2")
    for text, what in ((new.title, "a lesson, as its title"), (new.rung, "its rung")):
        if not text or any(unicodedata.category(each) in UNWRITABLE for each in text):
            raise NameNotUsableError(text, what, "letters, marks and blanks, on one line")
    if not _DOTTED.fullmatch(new.module):
        raise NameNotUsableError(new.module, "its module", "a package and a module in it, as in shop.prices")
    package = new.module.partition(".")[0]
    if package in sys.stdlib_module_names or package in PACKAGES:
        says = f"another package: {package} is one that Python or the grader imports already"
        raise NameNotUsableError(new.module, "its module", says)


def _check_free(course: Path, new: NewLesson) -> None:
    places = [f"mutants/{new.id}", *(f"{folder}/{new.id}" for folder in _FOLDERS_OF_A_LESSON)]
    there = [place for place in places if (course / place).exists()]
    if not there:
        if (course / "reference" / new.file).exists():
            raise LessonExistsError(f"reference/{new.file}", "Give another module with --module.")
        return
    missing = [part for part in parts_of(course, new.id) if not part.there]
    if missing:
        raise HalfMadeLessonError(new.id, there, list(map(str, missing)))
    raise LessonExistsError(new.id, f"`ol lesson verify {new.id}` says whether all of it fits together.")


_FOLDERS_OF_A_LESSON = ("reference/tests", "reference/variants", "student_template", "fixtures")


# ------------------------------------------------------------------------- what it consists of


def _files(course: Path, new: NewLesson) -> Iterator[tuple[str, str]]:
    words = {
        "id": new.id,
        "title": json.dumps(new.title, ensure_ascii=False),
        "heading": new.title.replace("\\", "/").replace('"', "'"),
        "rung": json.dumps(new.rung, ensure_ascii=False),
        "module": new.module,
        "file": new.file,
        "slug": new.slug,
    }
    for skeleton, file in _places(new):
        template = Template((SKELETON / f"{skeleton}.in").read_text(encoding="utf-8"))
        yield file, template.substitute(words)
    for package in PurePosixPath(new.file).parents[:-1]:
        for file in (f"reference/{package}/__init__.py", f"reference/contracts/{package}/__init__.pyi"):
            if not (course / file).exists():
                yield file, ""


def _places(new: NewLesson) -> Iterator[tuple[str, str]]:
    """Each file of the skeleton, and where it goes."""
    name = new.module.rpartition(".")[2]
    learner = f"student_template/{new.id}/python"
    yield "lesson.toml", f"mutants/{new.id}/lesson.toml"
    yield "fault.toml", f"mutants/{new.id}/s01-variance-for-deviation.toml"
    yield "reference.py", f"reference/{new.file}"
    yield "contract.pyi", f"reference/contracts/{new.file}i"
    yield "course_test.py", f"reference/tests/{new.id}/test_{name}.py"
    yield "variant.py", f"reference/variants/{new.id}/one_division.py"
    yield "stub.py", f"{learner}/{new.file}"
    yield "starter.py", f"{learner}/tests/{new.slug}/test_{name}_oracle.py"
    yield "golden.py", f"fixtures/{new.id}/golden.py"


# ------------------------------------------------------------------------- how it gets there


def _make_folder(folder: Path, course: Path, made: list[Path]) -> None:
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        try:
            each.mkdir()
        except OSError as error:
            raise ReadOnlyCourseError(each, error.strerror or str(error), course) from error
        made.append(each)


def _make_golden(script: Path) -> Path:
    """Let the example's script make its values, so that they say the version that really made them."""
    subprocess.run(
        [sys.executable, "-P", str(script)], check=True, capture_output=True, timeout=GOLDEN_SECONDS
    )
    return script.with_suffix(".json")


def _undo(made: list[Path]) -> None:
    for path in reversed(made):
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink(missing_ok=True)
