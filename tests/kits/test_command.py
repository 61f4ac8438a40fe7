"""`ol kit`: which lesson a kit is for, and what the command says of it."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from grader.lesson import find_course, load_lesson

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Done = subprocess.CompletedProcess[str]


@pytest.fixture
def course(root: Path, tmp_path: Path) -> Path:
    """A course of one lesson, in a repository's folder."""
    folder = tmp_path / "course"
    ignored = shutil.ignore_patterns("submissions", "__pycache__")
    for name in ("mutants", "student_template", "fixtures"):
        shutil.copytree(root / name / "L7.1", folder / name / "L7.1", ignore=ignored)
    shutil.copytree(root / "reference", folder / "reference", ignore=ignored)
    return folder


@pytest.mark.parametrize("kind", ["github", "gradescope"])
def test_the_only_lesson_of_a_course_needs_no_name(
    kind: str, ol: Callable[..., Done], course: Path, tmp_path: Path
) -> None:
    done = ol("kit", kind, "--course", course, "--json", "-", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["kit"], said["lesson"]) == (kind, "L7.1")
    assert (tmp_path / said["file"]).is_file()


@pytest.mark.parametrize("kind", ["github", "gradescope"])
def test_where_there_are_several_lessons_one_has_to_be_named(
    kind: str, ol: Callable[..., Done], course: Path, tmp_path: Path
) -> None:
    shutil.copytree(course / "mutants" / "L7.1", course / "mutants" / "L7.2")
    done = ol("kit", kind, "--course", course, folder=tmp_path)
    assert done.returncode == 2
    assert "name the lesson with --lesson; there are: L7.1, L7.2" in done.stderr


def test_a_kit_names_the_hash_of_the_data_that_it_was_made_with(
    ol: Callable[..., Done], course: Path, tmp_path: Path
) -> None:
    pinned = load_lesson(find_course(course), "L7.1").sha256
    done = ol("kit", "github", "--course", course, folder=tmp_path)
    assert f"grades L7.1 with the data {pinned}" in done.stdout
    text = (tmp_path / ".github/workflows/ol-L7.1.yml").read_text(encoding="utf-8")
    assert f'LESSON_SHA256: "{pinned}"' in text


def test_a_lesson_whose_name_would_mean_something_in_a_file_has_no_kit(
    ol: Callable[..., Done], course: Path, tmp_path: Path
) -> None:
    name = "L7.1 'x'"
    for folder in ("mutants", "student_template", "fixtures", "reference/tests", "reference/variants"):
        shutil.copytree(course / folder / "L7.1", course / folder / name)
    done = ol("kit", "github", "--course", course, "--lesson", name, folder=tmp_path)
    assert done.returncode == 2
    assert not (tmp_path / ".github").exists()


def test_another_requirement_for_the_program_is_written_as_it_is(
    ol: Callable[..., Done], course: Path, tmp_path: Path
) -> None:
    need = "ol-grader[hypothesis] @ git+https://example.org/ol@v1"
    assert ol("kit", "github", "--course", course, "--install", need, folder=tmp_path).returncode == 0
    text = (tmp_path / ".github/workflows/ol-L7.1.yml").read_text(encoding="utf-8")
    assert text.count(f"            {need}\n") == 2
    refused = ol("kit", "github", "--force", "--course", course, "--install", "a\nb", folder=tmp_path)
    assert refused.returncode == 2
