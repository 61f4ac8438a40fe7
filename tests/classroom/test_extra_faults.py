"""Private faults count, and no file that a learner may read holds anything of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from grader.classroom.outputs import Outputs
from grader.classroom.store import Store
from grader.errors import LessonError, PathNotFoundError
from grader.feedback import LEVELS, Policy
from grader.lesson import load_lesson
from grader.report import Tally
from grader.writers import json
from tests.classroom.private_faults import FAULTS, lay_private_faults, leaks, secrets_of
from tests.classroom.school import SUITES, lay_course, ol
from tests.engine.conftest import lay_down

if TYPE_CHECKING:
    from pathlib import Path

    from grader.report import Mutation

FIRST = "q71-hushed-after-comma.toml"
# Names its test after what it sees: such a name is new on a fault, and would tell of a private one.
NAMES = """
import pytest
from words.shout import shout
@pytest.mark.parametrize("seen", [shout("oyez, oyez")])
def test_named(seen): assert seen
def test_mark(): assert shout("a")[-1] == "!"
"""
CLASS = {
    "complete": SUITES["complete"],
    "partial": SUITES["partial"],
    "broken": SUITES["broken"],
    "names": NAMES,
}


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return lay_course(tmp_path / "course")


@pytest.fixture
def private(tmp_path: Path) -> Path:
    return lay_private_faults(tmp_path / "private")


# The lesson -------------------------------------------------------------------------------------------------------


def test_private_faults_are_faults_of_the_lesson(course: Path, private: Path) -> None:
    plain, lesson = load_lesson(course, "W1"), load_lesson(course, "W1", private)
    assert [(fault.id, fault.private) for fault in lesson.faults] == [
        ("q71", True),
        ("q72", True),
        ("s01", False),
        ("s02", False),
    ]
    assert (plain.needed, lesson.needed) == (2, 4)
    assert not any(fault.private for fault in plain.faults)


def test_the_lessons_hash_covers_private_faults_and_not_where_they_lie(
    course: Path, private: Path, tmp_path: Path
) -> None:
    def hash_of(folder: Path | None) -> str:
        return load_lesson(course, "W1", folder).sha256

    before = hash_of(private)
    assert before != hash_of(None)
    assert before == hash_of(lay_private_faults(tmp_path / "elsewhere" / "deeper"))
    (private / FIRST).write_text((private / FIRST).read_text().replace("a sentence", "one sentence"))
    assert before != hash_of(private)


def test_other_files_beside_private_faults_are_passed_over(course: Path, private: Path) -> None:
    before = load_lesson(course, "W1", private)
    lay_down(private, {"README.md": "who made them", "lesson.toml": "not = 'read'", ".hidden.toml": "x"})
    assert load_lesson(course, "W1", private) == before


def with_line(line: str) -> dict[str, str]:
    return {"q73-more.toml": f"{line}\n" + FAULTS[FIRST].replace("        ", "")}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            with_line("required = true"),
            r"extra-faults/q73-more.toml: required: a private fault cannot be required",
        ),
        (
            with_line("pitfall = 9"),
            r"extra-faults/q73-more.toml: pitfall: a private fault cannot be required",
        ),
        (
            {"s01-no-mark.toml": FAULTS[FIRST]},
            r"extra-faults/s01-no-mark.toml: name: the id s01 is taken by s01-no-mark",
        ),
        (
            {"s01-other.toml": FAULTS[FIRST]},
            r"extra-faults/s01-other.toml: name: the id s01 is taken by s01-no-mark",
        ),
        (
            {"q71-other.toml": FAULTS[FIRST]},
            r"extra-faults/q71-other.toml: name: the id q71 is taken by q71-hushed",
        ),
        (
            {"q73-stale.toml": FAULTS[FIRST].replace("text.upper() + MARK", "text.lower()")},
            r"extra-faults/q73-stale.toml: edit\[0\].find",
        ),
        ({"q73-bad.toml": "not toml"}, r"extra-faults/q73-bad.toml: toml"),
    ],
)
def test_what_is_wrong_with_a_private_fault_is_its_authors_error(
    course: Path, private: Path, files: dict[str, str], message: str
) -> None:
    lay_down(private, files)
    with pytest.raises(LessonError, match=message):
        load_lesson(course, "W1", private)


def test_a_folder_without_faults_is_an_authors_error(course: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(LessonError, match="extra-faults: folder: holds no fault"):
        load_lesson(course, "W1", tmp_path / "empty")


def test_a_folder_that_is_not_there_is_a_mistake_in_the_command(course: Path, tmp_path: Path) -> None:
    with pytest.raises(PathNotFoundError):
        load_lesson(course, "W1", tmp_path / "nothing")


def test_a_file_is_no_folder_of_faults(course: Path, private: Path) -> None:
    with pytest.raises(LessonError, match="extra-faults: folder: cannot be read: Not a directory"):
        load_lesson(course, "W1", private / FIRST)


# A class ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a class that was graded with private faults, and everything that it may be told."""
    root = tmp_path_factory.mktemp("school")
    lay_course(root / "course")
    lay_private_faults(root / "private")
    lay_down(root / "class", {f"{name}/test_it.py": text for name, text in CLASS.items()})
    done = ol(root / "temp", *COMMAND, "--feedback", "full")
    assert done.code == 0, done.err
    return root


COMMAND = (
    *("grade", "W1", "class", "--out", "out", "--course", "course", "--extra-faults", "private"),
    *("--seed", 7, "--jobs", 1, "--sandbox", "off"),
)


def grade_of(root: Path, learner: str) -> Mutation:
    grade = json.read(root / "out" / "submissions" / learner / "report.json").mutation
    assert grade is not None
    return grade


def test_no_file_of_a_learner_tells_of_a_private_fault(graded: Path) -> None:
    secrets = secrets_of(graded / "private")
    assert len(secrets) > 15
    assert leaks(graded / "out", secrets) == []


@pytest.mark.parametrize("level", LEVELS)
def test_no_level_tells_a_learner_of_a_private_fault(graded: Path, level: str) -> None:
    with Store.existing(graded / "out") as store:
        Outputs(store, Policy("learner", level)).finish()
    assert leaks(graded / "out", secrets_of(graded / "private")) == []


def test_what_staff_may_read_tells_all_of_them(graded: Path) -> None:
    """The check above can fail, on every kind of file and text."""
    with Store.existing(graded / "out") as store:
        Outputs(store, Policy("staff", "full")).finish()
        found = leaks(graded / "out", secrets_of(graded / "private"))
        Outputs(store, Policy("learner", "full")).finish()
    assert {line.partition(":")[0] for line in found} >= {
        f"submissions/partial/{name}" for name in ("report.json", "feedback.txt", "feedback.md")
    }
    told = {line.partition(": ")[2] for line in found}
    assert told >= {
        "q71",
        "q72",
        "marked twice over",
        "count what stands at the end",
        "an interrobang would be calmer",
    }
    assert told >= {"return shout('clarion')", "clarion"}


def test_a_test_named_after_what_it_saw_tells_nothing_of_a_private_fault(graded: Path) -> None:
    text = (graded / "out" / "submissions" / "names" / "report.json").read_text()
    assert "test_named[OYEZ, OYEZ]" in text  # a fault that learners may know of
    assert "test_named[Oyez, Oyez!]" in text  # another one
    assert "?!!" not in text
    assert "oyez, OYEZ" not in text


def test_private_faults_count(graded: Path) -> None:
    complete, partial = grade_of(graded, "complete"), grade_of(graded, "partial")
    assert (complete.killed, complete.total, complete.needed, complete.private) == (
        *(3, 4, 4),
        Tally(killed=1, total=2),
    )
    assert [fault.id for fault in partial.faults] == ["s01", "s02"]
    assert partial.required_missing == ("s01",)


def test_the_next_run_knows_what_was_graded(graded: Path) -> None:
    done = ol(graded / "temp", *COMMAND, "--feedback", "full")
    assert done.code == 0, done.err
    with Store.existing(graded / "out") as store:
        assert all(len(store.history(learner)) == 1 for learner in CLASS)
