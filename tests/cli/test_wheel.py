"""The wheel, installed where no checkout is in reach, holds the whole course and grades."""

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from grader.lesson import lesson_ids, load_lesson

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300
LESSON = ["start", "tests", "check", "diff"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built without isolation: hatchling is among the development tools, and no index needs to be asked."""
    folder = tmp_path_factory.mktemp("wheel")
    command = ["-m", "pip", "wheel", str(ROOT), "--no-deps", "--no-build-isolation", "-q", "-w", str(folder)]
    subprocess.run([sys.executable, *command], check=True, timeout=SECONDS, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and what it depends on, and `ol` in it."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True, symlinks=True)
    python = folder / "bin" / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "-q", str(wheel)], check=True, timeout=SECONDS, cwd=folder
    )
    return folder / "bin" / "ol"


def call(command: Path, arguments: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [command, *arguments],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
        capture_output=True,
        timeout=SECONDS,
        check=False,
        text=True,
    )


def test_the_wheel_holds_the_course_inside_the_package(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"grader"}
    for wanted in (
        "mutants/L7.1/lesson.toml",
        "reference/tinyllm/modern/norm.py",
        "reference/tests/L7.1/test_norm.py",
        "student_template/L7.1/python/tinyllm/modern/norm.py",
        "fixtures/L7.1/rmsnorm_hf.npz",
        *(f"mutants/{name}/lesson.toml" for name in lesson_ids(ROOT)),
    ):
        assert f"grader/course/{wanted}" in names
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


@pytest.mark.parametrize("name", lesson_ids(ROOT))
def test_a_learner_goes_all_the_way_with_nothing_but_the_wheel(
    name: str, installed: Path, tmp_path: Path
) -> None:
    """`start`, `tests`, `check` and `diff`, first as it is laid down and then solved."""
    lesson = load_lesson(ROOT, name)
    fresh = {step: call(installed, [step, name, "--ref-deps"], tmp_path) for step in LESSON}
    assert [fresh[step].returncode for step in LESSON] == [0, 1, 1, 1], fresh
    assert lesson.tests in fresh["start"].stdout
    assert lesson.faults[0].id in fresh["check"].stdout

    solution = lesson.reference_modules[lesson.module].source
    (tmp_path / lesson.source).write_text(f"{solution}\n# solved\n", encoding="utf-8")
    [suite] = (ROOT / "fixtures" / name / "submissions/complete/suite").glob("*.py")
    shutil.copy(suite, tmp_path / lesson.tests)
    solved = {step: call(installed, [step, name, "--ref-deps"], tmp_path) for step in LESSON}
    assert [solved[step].returncode for step in LESSON] == [0, 0, 0, 0], solved
    total = len(lesson.faults)
    assert f"{total} of {total} killed, {lesson.needed} needed" in solved["check"].stdout
    assert "-# solved" in solved["diff"].stdout
