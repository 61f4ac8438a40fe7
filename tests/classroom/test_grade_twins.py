"""What is alike to the byte is graded once, and counts for everyone who handed it in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import pytest

from grader.classroom.batch import Batch, Wanted
from grader.classroom.executor import Work, given_up, graded
from grader.classroom.layouts import find_submissions
from grader.classroom.outputs import Outputs
from grader.classroom.store import Store
from grader.errors import HarnessError
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


class Unlucky(Counting):
    """Loses the worker of every task, as often as it takes to give it up."""

    def run(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        for task in tasks:
            yield given_up(Work(self._grader.lesson, Settings()), task, HarnessError("the worker was lost"))


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
    grader: SuiteGrader,
    folder: Path,
    at_a_time: int,
    wanted: Wanted | None = None,
    kind: type[Counting] = Counting,
) -> tuple[Batch, list[str]]:
    executor = kind(grader, at_a_time)
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


# What is known ----------------------------------------------------------------------------------------------------


@pytest.fixture
def twice(tmp_path: Path) -> Path:
    """An export in which one learner has handed in the same file twice."""
    folder = tmp_path / "class"
    told = []
    for number in (1, 2):
        suite = folder / f"submission_{number}"
        suite.mkdir(parents=True)
        (suite / "test_it.py").write_text(SUITES["complete"], encoding="utf-8")
        told += [f"submission_{number}:", "  :submitters:", "  - :name: Ada", "    :email: ada@school"]
    (folder / "submission_metadata.yml").write_text("\n".join(told), encoding="utf-8")
    return folder


def attempts(folder: Path) -> list[str]:
    """The status of every attempt, in the order in which they came."""
    with Store.open(folder.parent / "out", "W1") as store:
        return [each.status for each in store.history("Ada <ada@school>")]


def test_what_a_learner_handed_in_twice_is_known_at_both_places(grader: SuiteGrader, twice: Path) -> None:
    for known in (1, 2, 2):  # the second one by the grade of the first
        batch, _seen = run(grader, twice, 1)
        assert batch.tally.known == known
        assert attempts(twice) == ["passed", "passed"]


def test_a_regrade_that_came_to_nothing_is_made_again_and_no_old_grade_is_taken(
    grader: SuiteGrader, twice: Path
) -> None:
    run(grader, twice, 1)
    run(grader, twice, 1, Wanted(regrade=True), Unlucky)
    assert attempts(twice) == ["passed", "passed", "error", "error"]
    batch, seen = run(grader, twice, 1)
    assert (len(seen), batch.tally.made, batch.tally.known) == (1, 2, 0)
    assert attempts(twice) == ["passed", "passed", "error", "error", "passed", "passed"]
