"""The tests of a suite on a program of a lesson, in a process of their own and by plain pytest."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.lesson import Lesson
from tests.course.lessons import COURSE


@pytest.fixture
def failing_tests(tmp_path: Path) -> Callable[[Lesson, Path, str], set[str]]:
    """`failing_tests(lesson, suite, source)` names the tests of a folder that fail on that source.

    The programs are run from a copy of the course that has `source` as the lesson's module.
    """

    def run(lesson: Lesson, suite: Path, source: str) -> set[str]:
        copy = tmp_path / "reference"
        shutil.copytree(COURSE / "reference" / lesson.package, copy / lesson.package)
        (copy / lesson.module_file).write_text(source, encoding="utf-8")
        shutil.copytree(suite, copy / "tests" / lesson.id)
        (tmp_path / "fixtures").symlink_to(COURSE / "fixtures")
        (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        return _pytest(tmp_path, copy)

    return run


def _pytest(root: Path, library: Path) -> set[str]:
    options = ["-q", "-rfE", "--tb=no", "-p", "no:cacheprovider", "-c", str(root / "pytest.ini")]
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(library),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "pytest", *options, str(library / "tests")]
    ended = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode in {0, 1}, ended.stdout + ended.stderr  # 0: all passed; 1: some failed
    assert " error" not in ended.stdout.splitlines()[-1], ended.stdout
    failed = set(re.findall(r"^FAILED \S+::(\w+)", ended.stdout, re.MULTILINE))
    assert bool(failed) == bool(ended.returncode), ended.stdout
    return failed
