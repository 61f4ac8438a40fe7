"""The autograder's archive, unpacked into the folders that Gradescope documents, built there, and run as it runs it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECONDS = 300
METADATA = {
    "id": 123456,
    "created_at": "2026-07-01T14:22:32.365935-07:00",
    "assignment": {
        "id": 25828,
        "course_id": 1234,
        "title": "RMSNorm",
        "total_points": "20.0",
        "due_date": None,
    },
    "submission_method": "upload",
    "users": [{"email": "ada@example.org", "id": 1234, "name": "Ada"}],
    "previous_submissions": [],
}

Done = subprocess.CompletedProcess[str]


class Gradescope:
    """The folders of an autograder's image, and its harness."""

    def __init__(self, root: Path, archive: Path) -> None:
        self.root = root
        with zipfile.ZipFile(archive) as source:
            for entry in source.infolist():
                path = Path(source.extract(entry, root / "source"))
                path.chmod(entry.external_attr >> 16)
        shutil.copy(root / "source" / "run_autograder", root / "run_autograder")

    def build(self) -> Done:
        return self._run(self.root / "source" / "setup.sh", OL_PYTHON=sys.executable)

    def grade(self, suite: Path, place: str = "", metadata: dict[str, Any] | None = METADATA) -> Done:
        for name in ("submission", "results"):
            shutil.rmtree(self.root / name, ignore_errors=True)
            (self.root / name).mkdir()
        (self.root / "results" / "results.json").write_text('{"score": 1000}')  # of an earlier run
        shutil.copytree(suite, self.root / "submission" / place, symlinks=True, dirs_exist_ok=True)
        told = self.root / "submission_metadata.json"
        told.unlink(missing_ok=True)
        if metadata is not None:
            told.write_text(json.dumps(metadata))
        return self._run(self.root / "run_autograder")

    def graded(
        self, suite: Path, place: str = "", metadata: dict[str, Any] | None = METADATA
    ) -> dict[str, Any]:
        """What comes of a suite that the autograder can say something about."""
        done = self.grade(suite, place, metadata)
        assert done.returncode == 0, done.stdout + done.stderr
        assert self.results is not None
        return self.results

    @property
    def results(self) -> dict[str, Any] | None:
        path = self.root / "results" / "results.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def _run(self, script: Path, **more: str) -> Done:
        environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        return subprocess.run(
            [script],
            cwd=self.root,
            env=environment | {"OL_AUTOGRADER_ROOT": str(self.root)} | more,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            encoding="utf-8",
        )


@pytest.fixture(scope="module")
def autograder(ol: Callable[..., Done], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gradescope]:
    folder = tmp_path_factory.mktemp("gradescope")
    made = ol("kit", "gradescope", "--lesson", "L7.1", "--sandbox", "auto", folder=folder)
    assert made.returncode == 0, made.stderr
    grader = Gradescope(folder / "autograder", folder / "autograder.zip")
    built = grader.build()
    assert built.returncode == 0, built.stderr
    assert "seccomp" in built.stdout  # what ol doctor says is in the build's log
    yield grader
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    ("submission", "status", "score"),
    [("complete", "passed", 20.0), ("misses-eps", "failed", 17.77778)],
)
def test_a_suite_gets_the_points_of_the_assignment_that_its_score_is_worth(
    submission: str, status: str, score: float, autograder: Gradescope, submissions: Path
) -> None:
    found = autograder.graded(submissions / submission / "suite")
    assert (found["extra_data"]["status"], found["score"]) == (status, score)
    assert found["extra_data"]["seed"] == METADATA["id"]
    assert f"{status.upper()} L7.1" in found["output"]


@pytest.mark.parametrize("submission", ["imports-os-subprocess-inspect", "no-tests"])
def test_a_suite_that_cannot_be_graded_gets_no_points_and_learns_why(
    submission: str, autograder: Gradescope, submissions: Path
) -> None:
    found = autograder.graded(submissions / submission / "suite")
    assert (found["extra_data"]["status"], found["score"]) == ("invalid", 0)
    assert found["output"].startswith("NOT GRADED: ")


@pytest.mark.parametrize(
    "submission",
    ["attack-injects-by-names", "attack-forges-passes"],
)
def test_a_hostile_suite_is_graded_like_any_other(
    submission: str, autograder: Gradescope, submissions: Path
) -> None:
    found = autograder.graded(submissions / submission / "suite")
    assert found["score"] < 20
    shown = [found["output"], *(test["name"] + test.get("output", "") for test in found["tests"])]
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", "".join(shown))
    assert {found["output_format"], found["test_output_format"], found["test_name_format"]} == {"text"}


def test_a_whole_workspace_is_graded_by_its_tests(autograder: Gradescope, submissions: Path) -> None:
    found = autograder.graded(submissions / "complete" / "suite", place="python/tests/l7-1-norm")
    assert found["score"] == 20


@pytest.mark.parametrize("place", ["python/tests/l7-1-norm", "python/tests", "python"])
def test_tests_that_lie_behind_a_link_are_not_followed(
    place: str, autograder: Gradescope, submissions: Path, tmp_path: Path
) -> None:
    """Such a link could lead to the course's own tests, which lie in the autograder."""
    below = Path("python/tests/l7-1-norm").relative_to(place)
    shutil.copytree(submissions / "complete" / "suite", tmp_path / "elsewhere" / below)
    link = tmp_path / "submission" / place
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "elsewhere")
    assert autograder.graded(tmp_path / "submission")["extra_data"]["status"] == "invalid"


def test_without_metadata_a_full_score_is_worth_a_hundred(autograder: Gradescope, submissions: Path) -> None:
    assert autograder.graded(submissions / "complete" / "suite", metadata=None)["score"] == 100


def test_where_the_course_was_edited_the_autograder_fails_and_nobody_gets_a_score(
    autograder: Gradescope, submissions: Path
) -> None:
    (fault,) = autograder.root.glob("ol/lib/*/site-packages/grader/course/mutants/L7.1/s01-*.toml")
    before = fault.read_bytes()
    fault.write_bytes(before + b"\n# easier now\n")
    try:
        done = autograder.grade(submissions / "complete" / "suite")
    finally:
        fault.write_bytes(before)
    assert done.returncode != 0
    assert autograder.results is None
    assert "[pinned-lesson]" in done.stderr
    assert "exit code 4; nothing was graded" in done.stdout


def test_points_that_are_no_number_fail_and_are_no_score(autograder: Gradescope, submissions: Path) -> None:
    told = METADATA | {"assignment": {"total_points": "many"}}
    assert autograder.grade(submissions / "complete" / "suite", metadata=told).returncode != 0
    assert autograder.results is None


def test_a_course_of_the_instructors_own_travels_in_the_archive(
    ol: Callable[..., Done], root: Path, tmp_path: Path
) -> None:
    for name in ("mutants", "reference", "student_template"):
        shutil.copytree(root / name, tmp_path / "course" / name)
    ignored = shutil.ignore_patterns("submissions")
    shutil.copytree(root / "fixtures", tmp_path / "course" / "fixtures", ignore=ignored)
    options = ["--lesson", "L7.1", "--course", "course", "--points", "7.5", "--out", "a.zip"]
    assert ol("kit", "gradescope", *options, folder=tmp_path).returncode == 0
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert "course/mutants/L7.1/lesson.toml" in archive.namelist()
        script = archive.read("run_autograder").decode()
    assert '--course "$ROOT/source/course"' in script
    assert "\nPOINTS=15/2\n" in script


def test_the_archive_is_the_same_whenever_it_is_made(ol: Callable[..., Done], tmp_path: Path) -> None:
    for name in ("a.zip", "b.zip"):
        assert ol("kit", "gradescope", "--lesson", "L7.1", "--out", name, folder=tmp_path).returncode == 0
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_a_file_that_is_there_is_replaced_by_force_alone(ol: Callable[..., Done], tmp_path: Path) -> None:
    (tmp_path / "autograder.zip").write_text("mine")
    refused = ol("kit", "gradescope", "--lesson", "L7.1", folder=tmp_path)
    assert (refused.returncode, (tmp_path / "autograder.zip").read_text()) == (2, "mine")
    assert "--force replaces it" in refused.stderr
    assert ol("kit", "gradescope", "--lesson", "L7.1", "--force", folder=tmp_path).returncode == 0
    assert zipfile.is_zipfile(tmp_path / "autograder.zip")


def test_scripts_are_executable_and_say_no_place_of_this_machine(
    ol: Callable[..., Done], root: Path, tmp_path: Path
) -> None:
    assert ol("kit", "gradescope", "--lesson", "L7.1", folder=tmp_path).returncode == 0
    with zipfile.ZipFile(tmp_path / "autograder.zip") as archive:
        for name in ("setup.sh", "run_autograder"):
            assert archive.getinfo(name).external_attr >> 16 == 0o100755
            text = archive.read(name).decode()
            assert text.startswith("#!/bin/sh\n")
            assert str(root) not in text
            assert "@" not in re.sub(r'"\$@"|"\$ROOT[^"]*"', "", text)
