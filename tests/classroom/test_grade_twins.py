"""What is alike to the byte is graded once, and counts for everyone who handed it in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import pytest

from grader.classroom.batch import Batch, Wanted
from grader.classroom.executor import graded
from grader.classroom.layouts import find_submissions
from grader.classroom.outputs import Outputs
from grader.classroom.store import Store
from grader.feedback import Policy
from grader.lesson import load_lesson
from grader.suite_grader import Settings, SuiteGrader
from tests.classroom.school import SUITES, lay_course

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from grader.classroom.task import Outcome, Task
    from grader.lesson import Lesson

KINDS = {"ada": "complete", "bob": "partial", "cy": "complete", "di": "complete", "eve": "partial"}


class Counting:
    """Grades in this process, some tasks at a time, and remembers them."""

    def __init__(self, grader: SuiteGrader, at_a_time: int) -> None:
        self._grader = grader
        self._at_a_time = at_a_time
        self.seen: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None: ...

    def run(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        waiting: list[Task] = []
        for task in tasks:
            self.seen.append(task.key)
            waiting.append(task)
            if len(waiting) == self._at_a_time:
                yield from (graded(self._grader, each) for each in waiting)
                waiting = []
        yield from (graded(self._grader, each) for each in waiting)


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> Lesson:
    return load_lesson(lay_course(tmp_path_factory.mktemp("course")), "W1")


@pytest.fixture(scope="module")
def grader(lesson: Lesson) -> Iterator[SuiteGrader]:
    with SuiteGrader(lesson, Settings()) as grader:
        yield grader


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, kind in KINDS.items():
        suite = tmp_path / "class" / name
        suite.mkdir(parents=True)
        (suite / "test_it.py").write_text(SUITES[kind], encoding="utf-8")
    return tmp_path / "class"


def run(
    grader: SuiteGrader, folder: Path, at_a_time: int, wanted: Wanted | None = None
) -> tuple[Batch, list[str]]:
    executor = Counting(grader, at_a_time)
    with Store.open(folder.parent / "out", "W1", 7) as store:
        batch = Batch(
            grader.lesson, find_submissions(folder), store, Outputs(store, Policy()), wanted or Wanted()
        )
        batch.run(executor)
    return batch, executor.seen


@pytest.mark.parametrize("at_a_time", [1, 2, 5], ids=["after the first", "between", "while all wait"])
def test_each_is_graded_once_and_everyone_has_a_row(
    grader: SuiteGrader, folder: Path, at_a_time: int
) -> None:
    batch, seen = run(grader, folder, at_a_time)
    assert sorted(seen) == ["ada", "bob"]
    assert (batch.tally.made, batch.tally.known) == (5, 0)
    assert batch.tally.by_status == {"passed": 3, "failed": 2, "invalid": 0, "error": 0}
    rows = (folder.parent / "out" / "grades.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert [row.split(",")[:2] for row in rows] == [
        [name, "passed" if kind == "complete" else "failed"] for name, kind in KINDS.items()
    ]
    reports = list((folder.parent / "out").glob("submissions/*/report.json"))
    assert len(reports) == len(KINDS)


def test_a_regrade_grades_each_once_too_and_shows_all_of_them(grader: SuiteGrader, folder: Path) -> None:
    run(grader, folder, 1)
    batch, seen = run(grader, folder, 1, Wanted(regrade=True))
    assert sorted(seen) == ["ada", "bob"]
    assert sorted(change.after.learner for change in batch.changes) == sorted(KINDS)


def test_one_byte_makes_another_submission(grader: SuiteGrader, folder: Path) -> None:
    (folder / "cy" / "test_it.py").write_text(SUITES["complete"] + "\n", encoding="utf-8")
    _batch, seen = run(grader, folder, 1)
    assert sorted(seen) == ["ada", "bob", "cy"]
