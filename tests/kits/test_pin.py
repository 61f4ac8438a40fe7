"""A pinned lesson grades with its own data, and with no other."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from grader.errors import ExitCode, PinnedLessonError
from grader.lesson import find_course, load_lesson
from grader.lesson.pin import check_pin

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Done = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def pinned() -> str:
    return load_lesson(find_course(None), "L7.1").sha256


@pytest.fixture
def course(root: Path, tmp_path: Path) -> Path:
    for name in ("mutants", "reference", "student_template"):
        shutil.copytree(root / name, tmp_path / "course" / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(
        root / "fixtures", tmp_path / "course/fixtures", ignore=shutil.ignore_patterns("submissions")
    )
    return tmp_path / "course"


def test_the_pinned_data_grade(ol: Callable[..., Done], course: Path, pinned: str, submissions: Path) -> None:
    options = ["--course", course, "--only", "mutation", "--tests", submissions / "complete" / "suite"]
    done = ol("check", "L7.1", *options, "--lesson-sha256", pinned.upper(), folder=course)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "file",
    [
        "mutants/L7.1/lesson.toml",
        "mutants/L7.1/s01-eps-outside-root.toml",
        "reference/tinyllm/modern/norm.py",
        "reference/tests/L7.1/test_norm.py",
    ],
)
def test_a_bundle_that_was_edited_is_refused(
    file: str, ol: Callable[..., Done], course: Path, pinned: str, submissions: Path
) -> None:
    with (course / file).open("a", encoding="utf-8") as edited:
        edited.write("\n# edited\n")
    options = ["--course", course, "--only", "mutation", "--tests", submissions / "complete" / "suite"]
    done = ol("check", "L7.1", *options, "--lesson-sha256", pinned, "--json", "r.json", folder=course)
    assert done.returncode == ExitCode.COURSE
    assert "[pinned-lesson]" in done.stderr
    report = json.loads((course / "r.json").read_text(encoding="utf-8"))
    assert (report["status"], report["exit_code"], report["mutation"]) == ("error", 4, None)


@pytest.mark.parametrize("wrong", ["", "abc", "g" * 64, "0" * 63])
def test_what_is_no_hash_is_a_mistake_in_the_command(
    wrong: str, ol: Callable[..., Done], tmp_path: Path
) -> None:
    done = ol("check", "L7.1", "--lesson-sha256", wrong, folder=tmp_path)
    assert done.returncode == ExitCode.USAGE
    assert "64 hexadecimal digits" in done.stderr


def test_any_data_will_do_where_none_are_pinned() -> None:
    check_pin("L7.1", "0" * 64, "")


def test_the_error_names_both_hashes() -> None:
    with pytest.raises(PinnedLessonError, match=f"their hash is {'1' * 64}, not {'0' * 64}"):
        check_pin("L7.1", "1" * 64, "0" * 64)
