"""What a learner starts a lesson with: a stub that says what to build, and a test that is right about it."""

import ast
import inspect
import runpy
import sys
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path

import pytest

from grader.lesson import Lesson
from tests.course.lessons import CHAPTERS, LESSONS, PROGRAMS, definitions, load, template_of

FailingTests = Callable[[Lesson, Path, str], set[str]]

each_lesson = pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)
each_program = pytest.mark.parametrize(
    ("lesson", "name"),
    [
        pytest.param(LESSONS[lesson], name, id=f"{lesson}-{name}")
        for lesson in LESSONS
        for name in PROGRAMS[lesson]
    ],
)


def stub_of(lesson: Lesson) -> str:
    return (template_of(lesson) / lesson.source).read_text(encoding="utf-8")


def functions(source: str) -> dict[str, ast.FunctionDef]:
    """Functions and methods by qualified name."""
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.ClassDef):
            methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
            found |= {f"{node.name}.{method.name}": method for method in methods}
    return found


@each_lesson
def test_the_template_holds_the_module_and_one_test_file(lesson: Lesson) -> None:
    template = template_of(lesson)
    [suite] = (template / lesson.tests).glob("test_*.py")
    files = {path for path in template.rglob("*.py") if "__pycache__" not in path.parts}
    assert files == {suite, template / lesson.source}


@each_lesson
def test_stub_has_the_signatures_of_the_reference(lesson: Lesson) -> None:
    stub, reference = load(lesson, stub_of(lesson)), load(lesson, PROGRAMS[lesson.id]["reference"])
    for name in CHAPTERS[lesson.id].built:
        stubbed, written = (attrgetter(name)(module) for module in (stub, reference))
        assert str(inspect.signature(stubbed)) == str(inspect.signature(written))
        described = attrgetter(name.removesuffix(".__init__"))(
            stub
        )  # a class's docstring is its constructor's
        assert described.__doc__


@each_lesson
def test_stub_says_what_to_build(lesson: Lesson) -> None:
    stub = load(lesson, stub_of(lesson))
    for name in CHAPTERS[lesson.id].built:
        function = attrgetter(name)(stub)
        arguments = [None] * len(inspect.signature(function).parameters)
        with pytest.raises(NotImplementedError, match=rf"^{name}: \w+ .+"):
            function(*arguments)


@each_lesson
def test_the_rest_of_the_stub_is_the_references_and_complete(lesson: Lesson) -> None:
    stub, reference = definitions(stub_of(lesson)), definitions(PROGRAMS[lesson.id]["reference"])
    assert stub.keys() == reference.keys()
    assert {name for name in stub if stub[name] == reference[name]} == CHAPTERS[lesson.id].given
    owners = {name.partition(".")[0] for name in CHAPTERS[lesson.id].built}
    assert owners | CHAPTERS[lesson.id].given == stub.keys()


@each_lesson
def test_the_learner_builds_every_function_that_is_not_given(lesson: Lesson) -> None:
    chapter = CHAPTERS[lesson.id]
    own = [name for name in functions(stub_of(lesson)) if name.partition(".")[0] not in chapter.given]
    assert own == list(chapter.built)


@each_lesson
def test_starter_test_fails_on_the_stub(lesson: Lesson, failing_tests: FailingTests) -> None:
    suite = template_of(lesson) / lesson.tests
    assert failing_tests(lesson, suite, stub_of(lesson)) == {CHAPTERS[lesson.id].starter}


@each_lesson
def test_starter_test_passes_on_the_reference(lesson: Lesson, failing_tests: FailingTests) -> None:
    suite = template_of(lesson) / lesson.tests
    assert failing_tests(lesson, suite, PROGRAMS[lesson.id]["reference"]) == set()


@each_program
def test_starter_test_passes_on_correct_programs(
    lesson: Lesson, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, lesson.module, load(lesson, PROGRAMS[lesson.id][name]))
    [file] = (template_of(lesson) / lesson.tests).glob("test_*.py")
    runpy.run_path(str(file))[CHAPTERS[lesson.id].starter]()
