"""The course tests of a lesson are its chapter's, and each says its kind and what relies on it."""

import ast
import re

import pytest

from grader.lesson import Lesson
from tests.course.lessons import CHAPTERS, LESSONS

DOCSTRING = re.compile(r"\[(unit|golden|gradcheck|property|boundary)\] \S[^\n]*\.\n\nDownstream: \S[^\n]*\.")

each_lesson = pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)


def docstrings(lesson: Lesson) -> dict[str, str]:
    [file] = lesson.course_tests.glob("*.py")
    body = ast.parse(file.read_text(encoding="utf-8")).body
    tests = [node for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    return {test.name: ast.get_docstring(test) or "" for test in tests}


def test_every_lesson_has_its_chapter() -> None:
    assert CHAPTERS.keys() == LESSONS.keys()


@each_lesson
def test_they_are_those_of_the_chapter_with_their_kinds(lesson: Lesson) -> None:
    kinds = {name: text.partition("]")[0].strip("[") for name, text in docstrings(lesson).items()}
    assert list(kinds.items()) == list(CHAPTERS[lesson.id].tests.items())


@each_lesson
def test_each_says_why_it_matters_downstream(lesson: Lesson) -> None:
    assert [name for name, text in docstrings(lesson).items() if not DOCSTRING.fullmatch(text)] == []
