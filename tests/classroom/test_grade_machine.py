"""Where the machine fails while a submission is read: that row is in error, and the next run grades it."""

from __future__ import annotations

import os
import resource
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from grader.classroom import batch
from grader.classroom.batch import Batch, Wanted
from grader.classroom.executor import Work
from grader.classroom.layouts import find_submissions
from grader.classroom.learners_module import module_of
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


def test_a_machine_without_room_for_files_makes_no_module_unreadable(
    folder: Path, lesson: Lesson, request: pytest.FixtureRequest
) -> None:
    module = folder / "complete/python/words/shout.py"
    module.parent.mkdir(parents=True)
    module.write_text(lesson.reference_modules["words.shout"].source, encoding="utf-8")
    (entry, _other) = find_submissions(folder)
    handed_in = module_of(entry, lesson, ref_deps=True)
    assert handed_in is not None
    assert not handed_in.program.problem
    request.getfixturevalue("no_more_files")
    with pytest.raises(HarnessError, match="Too many open files"):
        module_of(entry, lesson, ref_deps=True)


def run(folder: Path, lesson: Lesson, wanted: Wanted | None = None) -> tuple[dict[str, str], Batch]:
    """One run over the class: status by learner."""
    with Store.open(folder.parent / "out", lesson.id, SEED) as store:
        outputs = Outputs(store, Policy())
        made = Batch(lesson, find_submissions(folder), store, outputs, wanted or Wanted())
        with LocalExecutor(Work(lesson, Settings()), 1) as executor:
            made.run(executor)
        return {attempt.learner: attempt.status for attempt in store.latest()}, made


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """Reading `complete` ends in this error."""

    def read(entry: Entry, lesson: Lesson) -> Submission:
        if entry.learner == "complete":
            raise error
        return read_entry(entry, lesson)

    monkeypatch.setattr(batch, "read_entry", read)


@pytest.mark.parametrize(
    "error",
    [
        HarnessError("the disk does not answer"),
        HarnessError("class/h\udcfc cannot be read"),
        LookupError("no one foresaw it"),
        MemoryError(),
    ],
    ids=["machine", "a name that is no UTF-8", "ours", "memory"],
)
def test_what_could_not_be_read_is_in_error_until_it_is_read(
    folder: Path, lesson: Lesson, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    failing(monkeypatch, error)
    statuses, made = run(folder, lesson)
    assert statuses == {"complete": "error", "partial": "failed"}
    assert (made.tally.errors, exit_code(made)) == (1, 70)
    monkeypatch.undo()
    statuses, made = run(folder, lesson)
    assert statuses == {"complete": "passed", "partial": "failed"}
    assert (made.tally.made, made.tally.known, exit_code(made)) == (1, 1, 0)


def test_what_cannot_be_sent_to_a_worker_is_one_line(
    folder: Path, lesson: Lesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that is read is like that; if it ever is, the others are graded all the same."""

    def read(entry: Entry, lesson: Lesson) -> Submission:
        submission = read_entry(entry, lesson)
        return replace(submission, root_name="\udcff") if entry.learner == "complete" else submission

    monkeypatch.setattr(batch, "read_entry", read)
    assert run(folder, lesson)[0] == {"complete": "error", "partial": "failed"}


def test_a_regrade_that_could_not_be_is_made_by_the_next_run(
    folder: Path, lesson: Lesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(folder, lesson)
    failing(monkeypatch, HarnessError("the disk does not answer"))
    statuses, made = run(folder, lesson, Wanted(regrade=True))
    assert statuses == {"complete": "error", "partial": "failed"}
    shown = {change.after.learner: (change.before.status, change.after.status) for change in made.changes}
    assert shown == {"complete": ("passed", "error"), "partial": ("failed", "failed")}
    monkeypatch.undo()
    statuses, made = run(folder, lesson)
    assert statuses == {"complete": "passed", "partial": "failed"}
    assert (made.tally.made, made.tally.known) == (1, 1)
