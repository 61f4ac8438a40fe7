"""Where the machine fails while a submission is read: that row is in error, and the next run grades it."""

from __future__ import annotations

import os
import resource
from typing import TYPE_CHECKING

import pytest

from grader.classroom import batch
from grader.classroom.batch import Batch
from grader.classroom.executor import Work
from grader.classroom.layouts import find_submissions
from grader.classroom.local import LocalExecutor
from grader.classroom.outputs import Outputs
from grader.classroom.reading import read_entry
from grader.classroom.store import Store
from grader.classroom.summary import exit_code
from grader.errors import HarnessError
from grader.feedback import Policy
from grader.lesson import load_lesson
from grader.suite_grader import Settings
from tests.classroom.school import SEED, SUITES, lay_course

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from grader.classroom.entries import Entry
    from grader.lesson import Lesson
    from grader.submission import Submission


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> Lesson:
    return load_lesson(lay_course(tmp_path_factory.mktemp("course")), "W1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("complete", "partial"):
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "test_it.py").write_text(SUITES[name], encoding="utf-8")
    return tmp_path / "class"


@pytest.fixture
def no_more_files() -> Iterator[None]:
    """This process cannot open one more file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.dup(0)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_machine_without_room_for_files_makes_no_submission_invalid(
    folder: Path, lesson: Lesson, request: pytest.FixtureRequest
) -> None:
    (entry, _other) = find_submissions(folder)
    assert read_entry(entry, lesson).findings == ()
    request.getfixturevalue("no_more_files")
    with pytest.raises(HarnessError, match="Too many open files"):
        read_entry(entry, lesson)


def run(folder: Path, lesson: Lesson) -> tuple[dict[str, str], Batch]:
    """One run over the class: status by learner."""
    with Store.open(folder.parent / "out", lesson.id, SEED) as store:
        made = Batch(lesson, find_submissions(folder), store, Outputs(store, Policy()))
        with LocalExecutor(Work(lesson, Settings()), 1) as executor:
            made.run(executor)
        return {attempt.learner: attempt.status for attempt in store.latest()}, made


def test_what_could_not_be_read_is_in_error_until_it_is_read(
    folder: Path, lesson: Lesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(entry: Entry, lesson: Lesson) -> Submission:
        if entry.learner == "complete":
            raise HarnessError("the disk does not answer")
        return read_entry(entry, lesson)

    monkeypatch.setattr(batch, "read_entry", failing)
    statuses, made = run(folder, lesson)
    assert statuses == {"complete": "error", "partial": "failed"}
    assert (made.tally.errors, exit_code(made)) == (1, 70)
    monkeypatch.undo()
    statuses, made = run(folder, lesson)
    assert statuses == {"complete": "passed", "partial": "failed"}
    assert (made.tally.made, made.tally.known, exit_code(made)) == (1, 1, 0)
