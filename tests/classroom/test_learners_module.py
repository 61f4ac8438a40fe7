"""What of a learner's package counts, and what of it cannot be taken: a sentence, whatever it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from grader.classroom.layouts import find_submissions
from grader.classroom.learners_module import HandedIn, module_of
from grader.lesson import load_lesson
from tests.classroom.school import lay_course

if TYPE_CHECKING:
    from pathlib import Path

    from grader.lesson import Lesson

SHOUT = "python/words/shout.py"
OTHER = "python/words/whisper.py"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return lay_course(tmp_path / "course")


@pytest.fixture
def lesson(course: Path) -> Lesson:
    return load_lesson(course, "W1")


@pytest.fixture
def ada(tmp_path: Path, lesson: Lesson) -> Path:
    """The workspace of a class of one: this lesson's module, and another one."""
    folder = tmp_path / "class" / "ada"
    (folder / "python/words").mkdir(parents=True)
    (folder / SHOUT).write_text(lesson.reference_modules["words.shout"].source, encoding="utf-8")
    (folder / OTHER).write_text("W = 1\n", encoding="utf-8")
    return folder


def handed_in(ada: Path, lesson: Lesson, *, ref_deps: bool = True) -> HandedIn:
    (entry,) = find_submissions(ada.parent)
    module = module_of(entry, lesson, ref_deps=ref_deps)
    assert module is not None
    return module


@pytest.mark.parametrize(
    "source",
    [
        b"# -*- coding: undefined -*-\n",
        b'# -*- coding: raw_unicode_escape -*-\nTEXT = "\\udcff"\n',
        b"# -*- coding: rot13 -*-\n",
        b"# -*- coding: no-such -*-\n",
        b"TEXT = '\xff'\n",
    ],
    ids=["undefined", "a lone surrogate", "no encoding of text", "no encoding", "no UTF-8"],
)
def test_a_module_that_is_no_text_is_said_to_be_none(ada: Path, lesson: Lesson, source: bytes) -> None:
    (ada / SHOUT).write_bytes(source)
    assert handed_in(ada, lesson).program.problem == (
        "your module cannot be read: python/words/shout.py: it is not text in UTF-8; save it as UTF-8"
    )


def test_a_link_whose_name_is_no_utf8_is_told_by_its_bytes(ada: Path, lesson: Lesson) -> None:
    (ada / "python/words" / os.fsdecode(b"h\xfc")).symlink_to("shout.py")
    assert r"holds links, or is one (words/h\xfc)" in handed_in(ada, lesson).program.problem


def test_folders_without_end_are_refused(ada: Path, lesson: Lesson) -> None:
    (ada / "python/words" / "/".join("a" * 40)).mkdir(parents=True)
    problem = handed_in(ada, lesson).program.problem
    assert problem == f"your package holds more than 30 folders in one another (words/{'/'.join('a' * 31)})"


# What counts ------------------------------------------------------------------------------------------------------


def test_what_the_course_adds_is_nothing_that_was_handed_in(ada: Path, course: Path, lesson: Lesson) -> None:
    before = handed_in(ada, lesson)
    other = course / "reference/words/__init__.py"
    other.write_text(f"{other.read_text(encoding='utf-8')}# a comment\n", encoding="utf-8")
    after = handed_in(ada, load_lesson(course, "W1"))
    assert after.program != before.program
    assert after.sha256 == before.sha256


@pytest.mark.parametrize(("file", "counts"), [(SHOUT, {True, False}), (OTHER, {False})])
def test_every_file_counts_that_the_course_tests_run_on(
    ada: Path, lesson: Lesson, file: str, counts: set[bool]
) -> None:
    before = {ref_deps: handed_in(ada, lesson, ref_deps=ref_deps).sha256 for ref_deps in (True, False)}
    assert len(set(before.values())) == len(before)
    (ada / file).write_text("X = 1\n", encoding="utf-8")
    after = {ref_deps: handed_in(ada, lesson, ref_deps=ref_deps).sha256 for ref_deps in (True, False)}
    assert {ref_deps for ref_deps in before if after[ref_deps] != before[ref_deps]} == counts


def test_a_package_with_another_thing_wrong_is_another_one(ada: Path, lesson: Lesson) -> None:
    """Each is told what is wrong with it now, so none may be taken for one that is known."""
    sound = handed_in(ada, lesson)
    (ada / OTHER).write_bytes(b"\xff")
    unreadable = handed_in(ada, lesson)
    (ada / OTHER).write_bytes(b"\xff\xff")
    still = handed_in(ada, lesson)
    links = []
    for name in ("a", "b"):
        link = ada / "python/words" / name
        link.symlink_to("shout.py")
        links.append(handed_in(ada, lesson))
        link.unlink()
    (ada / SHOUT).unlink()
    (ada / OTHER).unlink()
    told = [sound, unreadable, still, *links, handed_in(ada, lesson)]
    assert [bool(each.program.problem) for each in told] == [False, True, True, True, True, True]
    assert len({each.sha256 for each in told}) == len(told)
