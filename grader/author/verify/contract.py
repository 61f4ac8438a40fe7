"""Whether a module and its contract agree: mypy's stubtest compares the signatures of both, in a process of its own."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from grader import interrupts
from grader.author.verify.finding import LESSON, Finding, error, note, ok
from grader.author.verify.names import public_names_of
from grader.lesson.syntax import described

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from grader.lesson import Lesson

CHECK = "contract"
INSTALL = "pip install 'ol-grader[author]'"
SECONDS = 120.0  # it imports the module: an endless one must not hold everything up
SHOWN = 5  # disagreements that are told
# Only the course's own signatures are compared: to read numpy's types too would take several times as long.
CONFIG = """\
[mypy]
[mypy-numpy.*]
follow_imports = skip
follow_imports_for_stubs = True
"""


def contract_of(lesson: Lesson) -> Path:
    """The file of the module's contract, relative to the course."""
    return Path("reference", "contracts", lesson.module_file).with_suffix(".pyi")


@contextmanager
def contract_check(lesson: Lesson, seconds: float = SECONDS) -> Iterator[Callable[[], Finding]]:
    """Start to compare; what is yielded waits for the result. At the end no process is left.

    Args:
        lesson: whose module.
        seconds: for the comparison.
    """
    file = contract_of(lesson).as_posix()
    unusable = _unusable(lesson.root / file, file)
    if unusable is not None:
        yield lambda: unusable
    elif importlib.util.find_spec("mypy") is None:
        skipped = note(LESSON, CHECK, f"not compared with the module, since mypy is not here: {INSTALL}")
        yield lambda: skipped
    else:
        with tempfile.TemporaryDirectory(prefix="ol-") as folder, _stubtest(lesson, Path(folder)) as process:
            yield lambda: _result(process, file, seconds)


def _unusable(path: Path, file: str) -> Finding | None:
    if not path.is_file():
        says = "is missing: learners read it, and `ol start` names it"
        return error(LESSON, CHECK, f"{file}: file", says)
    try:
        public_names_of(path)
    except SyntaxError as problem:
        return error(LESSON, CHECK, f"{file}: syntax", described(problem))
    return None


@contextmanager
def _stubtest(lesson: Lesson, folder: Path) -> Iterator[subprocess.Popen[str]]:
    config = folder / "mypy.ini"
    config.write_text(CONFIG, encoding="utf-8")
    reference = lesson.root / "reference"
    command = ["-m", "mypy.stubtest", "--concise", "--mypy-config-file", str(config), lesson.module]
    environment = os.environ | {
        "MYPYPATH": str(reference / "contracts"),
        "PYTHONPATH": str(reference),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    with ExitStack() as undo:
        with interrupts.held():
            process = subprocess.Popen(
                [sys.executable, *command],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
            )
            undo.enter_context(process)
            undo.callback(process.kill)
        yield process


def _result(process: subprocess.Popen[str], file: str, seconds: float) -> Finding:
    try:
        said, _nothing = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        return error(LESSON, CHECK, f"{file}: time", f"the comparison had not ended after {seconds:g} s")
    lines = [line for line in said.splitlines() if line.strip()]
    if process.returncode == 0:
        return ok(LESSON, CHECK, "the module has the signatures that its contract says")
    more = f" (and {len(lines) - SHOWN} more)" if len(lines) > SHOWN else ""
    return error(LESSON, CHECK, f"{file}: signatures", "; ".join(lines[:SHOWN]) + more)
