"""The wheel that a kit makes of this installation, and the versions that it pins."""

from __future__ import annotations

import base64
import hashlib
import io
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from grader import __version__
from grader.kits.requirements import itself, pins
from grader.kits.wheel import wheel

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def archive() -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(wheel()[1]))


def test_its_name_is_one_that_pip_takes() -> None:
    name, version, _build, tags = parse_wheel_filename(wheel()[0])
    assert (name, str(version)) == ("ol-grader", __version__)
    assert {str(tag) for tag in tags} == {"py3-none-any"}


def test_it_holds_the_program_and_the_course_and_no_example_submissions(archive: zipfile.ZipFile) -> None:
    names = set(archive.namelist())
    assert {
        "grader/__main__.py",
        "grader/kits/templates/run_autograder",
        "grader/course/mutants/L7.1/lesson.toml",
        "grader/course/reference/tinyllm/modern/norm.py",
        "grader/course/student_template/L7.1/python/tinyllm/modern/norm.py",
        "grader/course/fixtures/L7.1/rmsnorm_hf.npz",
    } <= names
    assert [name for name in names if "submissions" in PurePosixPath(name).parts] == []
    assert [name for name in names if "__pycache__" in name or "/." in name] == []


def test_its_record_names_every_file_with_its_hash_and_size(archive: zipfile.ZipFile) -> None:
    (record,) = [name for name in archive.namelist() if name.endswith(".dist-info/RECORD")]
    lines = archive.read(record).decode().splitlines()
    rows = {name: (digest, size) for name, digest, size in (line.rsplit(",", 2) for line in lines)}
    assert set(rows) == set(archive.namelist())
    for name, (digest, size) in rows.items():
        if name != record:
            data = archive.read(name)
            hashed = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert (digest, size) == (f"sha256={hashed}", str(len(data)))


def test_it_needs_what_this_installation_needs(archive: zipfile.ZipFile) -> None:
    (information,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    needs = metadata.distribution("ol-grader").metadata.get_all("Requires-Dist")
    assert needs
    assert all(f"Requires-Dist: {need}\n" in archive.read(information).decode() for need in needs)


def test_every_need_is_pinned_to_the_version_that_runs_here() -> None:
    pinned = {need.name: str(need.specifier) for need in map(Requirement, pins())}
    assert pinned == {name: f"=={metadata.version(name)}" for name in pinned}
    assert {"click", "msgspec", "numpy", "pytest", "rich", "pluggy", "hypothesis"} <= set(pinned)
    assert "ol-grader" not in pinned
    assert "ruff" not in pinned  # of an extra that no kit needs
    assert Requirement(itself()).name == "ol-grader"


def test_the_needs_of_what_is_pinned_are_pinned_too() -> None:
    pinned = {need.name for need in map(Requirement, pins())}
    for name in pinned:
        for need in map(Requirement, metadata.requires(name) or ()):
            if need.marker is None:
                assert canonicalize_name(need.name) in pinned, (name, need.name)


def test_all_its_files_are_those_of_this_checkout(archive: zipfile.ZipFile, root: Path) -> None:
    """What is in the package's folder and in the course's, and nothing else but what describes the wheel."""
    files = {name.removeprefix("grader/") for name in archive.namelist() if ".dist-info/" not in name}
    course = {name.removeprefix("course/") for name in files if name.startswith("course/")}
    assert {name for name in files if not (root / "grader" / name).is_file()} == {
        f"course/{name}" for name in course
    }
    assert {name for name in course if not (root / name).is_file()} == set()


def test_the_build_system_makes_one_of_the_same_files(
    archive: zipfile.ZipFile, root: Path, tmp_path: Path
) -> None:
    build = "import sys, hatchling.build; print(hatchling.build.build_wheel(sys.argv[1]))"
    command = [sys.executable, "-c", build, str(tmp_path)]
    subprocess.run(command, cwd=root, capture_output=True, check=True, timeout=120)
    (built,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(built) as theirs:
        assert sorted(theirs.namelist()) == sorted(archive.namelist())
