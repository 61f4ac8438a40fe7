"""The lesson's hash changes with everything that can change a grade, and with nothing else."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from grader.lesson import load_lesson

if TYPE_CHECKING:
    from pathlib import Path

    from tests.lesson.conftest import Course


@pytest.mark.parametrize(
    "file",
    [
        "mutants/W1/lesson.toml",
        "mutants/W1/s01-no-mark.toml",
        "reference/words/quiet.py",
        "reference/words/loud/__init__.py",
        "reference/variants/W1/joined.py",
        "reference/tests/W1/test_shout.py",
        "reference/tests/conftest.py",
        "fixtures/W1/shouts.txt",
    ],
)
def test_the_hash_changes_with(course: Course, file: str) -> None:
    before = course.load().sha256
    course.write(file, (course.root / file).read_bytes() + b"\n# changed\n")
    assert course.load().sha256 != before


@pytest.mark.parametrize(
    "file",
    [
        "fixtures/W1/submissions/good/test_mine.py",
        "fixtures/W2/other.txt",
        "student_template/W1/shout.py",
        "mutants/W1/README.md",
        "mutants/W1/.s01-no-mark.toml.swp",
        "reference/words/__pycache__/quiet.cpython-311.pyc",
        "reference/tests/W2/test_other.py",
    ],
)
def test_the_hash_stays_with(course: Course, file: str) -> None:
    before = course.load().sha256
    course.write(file, b"something else")
    assert course.load().sha256 == before


@pytest.mark.parametrize(
    "file",
    [
        "reference/words/more.py",
        "reference/words/table.csv",
        "reference/tests/W1/data.json",
        "fixtures/W1/more/b.txt",
    ],
)
def test_the_hash_changes_when_a_file_is_added(course: Course, file: str) -> None:
    before = course.load().sha256
    course.write(file, b"")
    assert course.load().sha256 != before


def test_the_hash_changes_when_a_file_gets_another_name(course: Course) -> None:
    before = course.load().sha256
    (course.root / "fixtures/W1/shouts.txt").rename(course.root / "fixtures/W1/cries.txt")
    assert course.load().sha256 != before


def test_text_that_moves_from_one_file_to_the_next_changes_the_hash(course: Course) -> None:
    course.write("fixtures/W1/a.txt", b"onetwo")
    course.write("fixtures/W1/b.txt", b"")
    before = course.load().sha256
    course.write("fixtures/W1/a.txt", b"one")
    course.write("fixtures/W1/b.txt", b"two")
    assert course.load().sha256 != before


def test_the_hash_does_not_know_where_the_course_is(
    course: Course, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere: Path = tmp_path_factory.mktemp("elsewhere") / "copy"
    shutil.copytree(course.root, elsewhere)
    assert load_lesson(elsewhere, "W1").sha256 == course.load().sha256
    assert len(course.load().sha256) == 64


def test_a_lesson_without_golden_values_has_a_hash(course: Course) -> None:
    shutil.rmtree(course.root / "fixtures" / "W1")
    assert len(course.load().sha256) == 64
