"""Where the course comes from: the option, else the packaged data, else the checkout."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.errors import CourseNotFoundError, ExitCode, PathNotFoundError
from grader.lesson import course as course_module
from grader.lesson import find_course, lesson_ids

if TYPE_CHECKING:
    from tests.lesson.conftest import Course

FOLDERS = ("mutants", "reference", "student_template", "fixtures")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A grader's folder without a course, as if it were installed there."""
    grader = tmp_path / "site" / "grader"
    grader.mkdir(parents=True)
    monkeypatch.setattr(course_module, "_GRADER", grader)
    return grader


def lay_down(folder: Path) -> Path:
    for name in FOLDERS:
        (folder / name).mkdir(parents=True)
    return folder


def test_the_course_that_is_named_comes_first(course: Course, installed: Path) -> None:
    lay_down(installed / "course")
    assert find_course(course.root) == course.root


def test_the_packaged_course_comes_before_the_checkout(installed: Path) -> None:
    lay_down(installed.parent)
    packaged = lay_down(installed / "course")
    assert find_course(None) == packaged


def test_a_checkout_is_its_own_course(installed: Path) -> None:
    checkout = lay_down(installed.parent)
    assert find_course(None) == checkout


def test_this_checkout_has_a_course() -> None:
    assert find_course(None) == Path(__file__).parent.parent.parent


def test_a_relative_course_becomes_absolute(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(course.root.parent)
    assert find_course(Path(course.root.name)) == course.root


def test_a_course_that_does_not_exist_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(PathNotFoundError, match="does not exist") as caught:
        find_course(tmp_path / "nowhere")
    assert caught.value.exit_code is ExitCode.USAGE


@pytest.mark.parametrize("missing", FOLDERS)
def test_a_folder_that_is_no_course_says_what_it_lacks(tmp_path: Path, missing: str) -> None:
    (lay_down(tmp_path / "half") / missing).rmdir()
    with pytest.raises(
        CourseNotFoundError, match=f"half is not a course: it has no folder {missing}"
    ) as caught:
        find_course(tmp_path / "half")
    assert "--course" in caught.value.hint


def test_a_file_is_no_course(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CourseNotFoundError):
        find_course(tmp_path / "file")


def test_an_installation_without_its_course_says_so(installed: Path) -> None:
    with pytest.raises(
        CourseNotFoundError, match="it has no folder mutants, reference, student_template, fixtures"
    ):
        find_course(None)


def test_lessons_of_a_folder_without_any_cannot_be_listed(tmp_path: Path) -> None:
    with pytest.raises(CourseNotFoundError, match="mutants cannot be read"):
        lesson_ids(tmp_path)
