"""The files of a class: whole at any moment, as the policy says, and mended by the next run."""

from __future__ import annotations

import csv
import datetime as dt
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.classroom import outputs as module
from grader.classroom.outputs import Outputs, put_whole
from grader.classroom.store import Store
from grader.errors import StoreError
from grader.feedback import LEVELS, Policy, restrict
from grader.writers import json
from tests.classroom.made import FAULTS, LESSON, PRIVATE, entry, error, graded, invalid

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
FILES = {"report.json", "feedback.txt", "feedback.md"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path, LESSON, 7) as store:
        yield store


def table(store: Store) -> list[dict[str, str]]:
    with (store.out / "grades.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def shown(store: Store, place: str = "ada") -> str:
    """All that a submission's files say."""
    return "".join((store.out / "submissions" / place / name).read_text() for name in sorted(FILES))


def test_a_submissions_files_are_there_when_it_was_graded(store: Store) -> None:
    outputs = Outputs(store, Policy())
    outputs.graded(store.add(entry(), graded()), graded())
    folder = store.out / "submissions" / "ada"
    assert {file.name for file in folder.iterdir()} == FILES
    assert json.read(folder / "report.json") == restrict(graded(), "hints")
    assert "hint of s02" in (folder / "feedback.txt").read_text()
    assert "hint of s02" in (folder / "feedback.md").read_text()


def test_a_learner_is_not_told_what_a_machine_said_and_the_one_who_grades_is(store: Store) -> None:
    """It may hold anything: paths, or a line of a private fault."""
    Outputs(store, Policy()).graded(store.add(entry(), error()), error())
    assert "could not be graded, through no fault" in shown(store)
    assert error().reason not in shown(store)
    Outputs(store, Policy()).finish()
    assert table(store)[0]["reason"] == error().reason
    Outputs(store, Policy("staff")).finish()
    assert error().reason in shown(store)


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_file_that_was_deleted_is_written_again(store: Store, name: str) -> None:
    outputs = Outputs(store, Policy())
    outputs.graded(store.add(entry(), graded()), graded())
    before = shown(store)
    (store.out / "submissions" / "ada" / name).unlink()
    outputs.mend()
    assert shown(store) == before


def test_a_learner_is_not_told_how_long_a_suite_without_a_grade_took(store: Store) -> None:
    """Private faults may have run with it, and it decides how long they do."""
    attempt = store.add(entry(), invalid())
    Outputs(store, Policy()).graded(attempt, invalid())
    assert json.read(store.out / "submissions" / "ada" / "report.json").seconds == 0
    assert f"{invalid().seconds:.1f} s" not in shown(store)
    Outputs(store, Policy("staff")).finish()
    assert json.read(store.out / "submissions" / "ada" / "report.json") == invalid()


def test_the_table_has_a_line_for_each_submission(store: Store) -> None:
    for name, report in {"s10": graded(), "s2": invalid(), "=1+1": error()}.items():
        store.add(entry(name), report)
    Outputs(store, Policy()).finish()
    header = (store.out / "grades.csv").read_text().partition("\n")[0]
    assert header == "learner,status,killed,needed,score,passed,required_missing,reason"
    assert [(row["learner"], row["status"], row["killed"]) for row in table(store)] == [
        ("'=1+1", "error", ""),
        ("s2", "invalid", ""),
        ("s10", "failed", "2"),
    ]
    assert table(store)[2] == {
        "learner": "s10",
        "status": "failed",
        "killed": "2",
        "needed": "3",
        "score": "0.5",
        "passed": "false",
        "required_missing": "s02",
        "reason": graded().reason,
    }


def test_the_table_tells_the_last_attempt(store: Store) -> None:
    store.add(entry(), invalid())
    store.add(entry(), graded())
    Outputs(store, Policy()).finish()
    assert [row["status"] for row in table(store)] == ["failed"]


def test_the_table_may_have_one_line_for_each_learner(store: Store) -> None:
    noon = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
    store.add(entry("ada", "second", noon + dt.timedelta(hours=1)), invalid("b"))
    store.add(entry("ada", "first", noon), graded())
    Outputs(store, Policy()).finish()
    assert len(table(store)) == 2
    Outputs(store, Policy(), one_each=True).finish()
    assert [row["status"] for row in table(store)] == ["invalid"]


def test_the_table_is_written_while_the_run_goes_on(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EVERY", 0.0)
    outputs = Outputs(store, Policy())
    outputs.graded(store.add(entry(), graded()), graded())
    assert [row["learner"] for row in table(store)] == ["ada"]


def test_the_score_alone_names_no_missing_fault_in_the_reason(store: Store) -> None:
    store.add(entry(), graded())
    Outputs(store, Policy(level="score")).finish()
    assert table(store)[0]["reason"].endswith("required and not killed: 1")


@pytest.mark.parametrize("level", LEVELS)
def test_files_tell_what_the_level_allows(store: Store, level: str) -> None:
    store.add(entry(), graded())
    Outputs(store, Policy(level=level)).finish()
    told = {word for word in ("title", "hint", "witness") if f"{word} of s02" in shown(store)}
    assert (
        told
        == {
            "score": set(),
            "names": {"title"},
            "hints": {"title", "hint"},
            "full": {"title", "hint", "witness"},
        }[level]
    )


def test_a_run_under_another_policy_writes_the_files_again(store: Store) -> None:
    store.add(entry(), graded((*FAULTS, *PRIVATE)))
    Outputs(store, Policy("staff", "full")).finish()
    assert "title of p01" in shown(store)
    Outputs(store, Policy("learner", "full")).finish()
    assert "p01" not in shown(store)
    assert "title of s02" in shown(store)


def test_files_that_are_as_they_should_be_are_not_written_again(store: Store) -> None:
    store.add(entry(), graded())
    Outputs(store, Policy()).finish()
    report = store.out / "submissions" / "ada" / "report.json"
    before = report.stat().st_ino
    Outputs(store, Policy()).finish()
    assert report.stat().st_ino == before


def test_what_a_killed_run_did_not_write_is_written_by_the_next(store: Store) -> None:
    store.add(entry(), graded())  # and then the run was killed
    Outputs(store, Policy()).mend()
    assert "hint of s02" in shown(store)


def test_after_the_attempts_a_learners_files_tell_the_score(store: Store) -> None:
    outputs = Outputs(store, Policy(attempts=2, window=dt.timedelta(hours=24)))
    noon = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
    for hours in (0, 1, 2, 30):
        report = graded(submission=str(hours))
        when = entry("ada", f"take{hours}", noon + dt.timedelta(hours=hours))
        outputs.graded(store.add(when, report), report)
    told = ["title of s02" in shown(store, entry("ada", f"take{hours}").place) for hours in (0, 1, 2, 30)]
    assert told == [True, True, False, True]


def test_what_turns_out_to_be_a_later_attempt_is_told_less_in_the_end(store: Store) -> None:
    outputs = Outputs(store, Policy(attempts=1))
    noon = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
    late, early = entry("ada", "late", noon + dt.timedelta(hours=1)), entry("ada", "early", noon)
    for each in (late, early):
        report = graded(submission=each.path.name)
        outputs.graded(store.add(each, report), report)
    outputs.finish()
    assert "title of s02" not in shown(store, late.place)
    assert "title of s02" in shown(store, early.place)


def test_full_feedback_as_text_says_what_tests_said(store: Store) -> None:
    store.add(entry(), graded())
    Outputs(store, Policy(level="full")).finish()
    text = (store.out / "submissions" / "ada" / "feedback.txt").read_text()
    assert "message of s01" in text


# Whole files ------------------------------------------------------------------------------------------------------

WRITES = """
import sys
from itertools import count
from pathlib import Path
from grader.classroom.outputs import put_whole
path = Path(sys.argv[1])
for number in count():
    put_whole(path, [f"{number}\\n"] * 2000)
    if number == 5:
        print("begun", flush=True)
"""


def test_a_file_is_whole_whenever_its_writer_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "file"
    for _ in range(4):
        with subprocess.Popen(
            [sys.executable, "-c", WRITES, str(path)], stdout=subprocess.PIPE, text=True, cwd=ROOT
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "begun\n"
            process.kill()
        lines = path.read_text().splitlines()
        assert len(lines) == 2000
        assert len(set(lines)) == 1


def test_a_file_whose_text_cannot_be_made_leaves_the_old_one(tmp_path: Path) -> None:
    def broken() -> Iterator[str]:
        yield "new"
        raise LookupError

    put_whole(tmp_path / "file", ["old"])
    with pytest.raises(LookupError):
        put_whole(tmp_path / "file", broken())
    assert (tmp_path / "file").read_text() == "old"


def test_a_place_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "submissions").write_text("in the way")
    with Store.open(tmp_path, LESSON) as store:
        outputs = Outputs(store, Policy())
        attempt = store.add(entry(), graded())
        with pytest.raises(StoreError, match=r"submissions/ada/report.json cannot be written"):
            outputs.graded(attempt, graded())
        assert store.last("ada") == attempt


def test_a_full_disk_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    (tmp_path / ".file.partial").symlink_to("/dev/full")
    with pytest.raises(StoreError, match=f"file cannot be written or read: {os.strerror(28)}"):
        put_whole(tmp_path / "file", ["text"])
    assert not (tmp_path / "file").exists()
