"""A copy of the course to change, commands in processes of their own, and editors that follow a script."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120  # far above what any command needs
MODULE = "tinyllm/modern/norm.py"

Done = subprocess.CompletedProcess[str]

REPLACING = """
import pathlib, sys
*pairs, path = sys.argv[1:]
text = pathlib.Path(path).read_text(encoding="utf-8")
for old, new in zip(pairs[::2], pairs[1::2], strict=True):
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
    text = text.replace(old, new)
pathlib.Path(path).write_text(text, encoding="utf-8", newline="")
"""


@dataclass(frozen=True)
class Course:
    """A copy of the course; commands run in the folder around it."""

    root: Path

    @property
    def faults(self) -> Path:
        return self.root / "mutants/L7.1"

    @property
    def module(self) -> Path:
        return self.root / "reference" / MODULE

    @property
    def layers(self) -> Path:
        return self.root / "reference/tinyllm/nn/layers.py"

    def file(self, fault: str) -> Path:
        return next(self.faults.glob(f"{fault}-*.toml"))

    def read(self, fault: str) -> dict[str, Any]:
        return tomllib.loads(self.file(fault).read_text(encoding="utf-8"))

    def change(self, path: Path, *pairs: tuple[str, str]) -> None:
        """Replace texts in a file, each of which stands there once."""
        text = path.read_text(encoding="utf-8")
        for old, new in pairs:
            assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path.name}"
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")

    def faulty(self, fault: str) -> str:
        """The lesson's module with the fault's edits made in it."""
        text = self.module.read_text(encoding="utf-8")
        for edit in self.read(fault)["edit"]:
            assert text.count(edit["find"]) == 1, edit["find"]
            text = text.replace(edit["find"], edit["replace"])
        return text

    def ol(self, *words: str | Path, answers: str = "", **environment: str) -> Done:
        """Run `ol` on this course; `answers` is its standard input."""
        inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        own = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "OL_COURSE": str(self.root)}
        # Where copies for the editor go, so that a test sees what is left of them.
        own["TMPDIR"] = str(self.scratch)
        return subprocess.run(
            [sys.executable, "-m", "grader", *map(str, words)],
            cwd=self.root.parent,
            env=inherited | own | environment,
            input=answers,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            encoding="utf-8",
        )

    def json(self, *words: str | Path, **environment: str) -> Any:
        """What a command that succeeds writes with `--json -`."""
        done = self.ol(*words, "--json", "-", **environment)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    @property
    def scratch(self) -> Path:
        folder = self.root.parent / "scratch"
        folder.mkdir(exist_ok=True)
        return folder

    def kept(self) -> list[Path]:
        """The copies that commands left for their author."""
        return sorted(self.scratch.glob("ol-fault-*/*"))


@pytest.fixture
def course(tmp_path: Path) -> Course:
    root = tmp_path / "course"
    for folder in ("mutants", "reference", "student_template"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "fixtures", root / "fixtures", ignore=shutil.ignore_patterns("submissions"))
    return Course(root)


@pytest.fixture
def diary(tmp_path: Path) -> Course:
    """A copy of a course about dates, without a number in it that is not whole."""
    root = tmp_path / "diary"
    shutil.copytree(ROOT / "tests/cases/diary", root, ignore=shutil.ignore_patterns("__pycache__"))
    return Course(root)


@pytest.fixture
def editor(tmp_path: Path) -> Callable[..., str]:
    """`editor(old, new, …)` is a command that replaces texts in the file that it opens; each stands there once.

    `editor(code=…)` is one that runs that Python code, with the file's path as `path`.
    """

    def command(*pairs: str, code: str = "") -> str:
        script = tmp_path / f"editor{len(list(tmp_path.glob('editor*')))}.py"
        script.write_text(
            f"import pathlib, sys\npath = pathlib.Path(sys.argv[-1])\n{code}\n" if code else REPLACING
        )
        return shlex.join([sys.executable, str(script), *pairs])

    return command
