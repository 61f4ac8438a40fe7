"""Programs of a lesson as modules, and the course tests on them in a process of their own."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

COURSE = Path(__file__).resolve().parents[2]
MODULE = "tinyllm.modern.norm"


@pytest.fixture(scope="session")
def reference_source() -> str:
    return (COURSE / "reference/tinyllm/modern/norm.py").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def load() -> Callable[[str], ModuleType]:
    """`load(source)` is the lesson's module made from that source, beside the reference's other modules."""

    def load(source: str) -> ModuleType:
        module = ModuleType(MODULE)
        exec(compile(source, "<program>", "exec"), vars(module))  # noqa: S102 - the course's own source
        return module

    return load


@pytest.fixture
def failing_tests(tmp_path: Path) -> Callable[[Path, str], set[str]]:
    """`failing_tests(suite, source)` names the tests of a folder that plain pytest sees fail on that source.

    The programs are run from a copy of the course that has `source` as the lesson's module.
    """

    def run(suite: Path, source: str) -> set[str]:
        copy = tmp_path / "reference"
        shutil.copytree(COURSE / "reference/tinyllm", copy / "tinyllm")
        (copy / "tinyllm/modern/norm.py").write_text(source, encoding="utf-8")
        shutil.copytree(suite, copy / "tests/L7.1")
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
