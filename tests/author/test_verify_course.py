"""The course that ships holds, and so does a lesson in which nothing is an array, from its first command to its last."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.author.verify import Bounds, Level, verify_lesson
from grader.cli import run
from grader.lesson import lesson_ids

ROOT = Path(__file__).resolve().parents[2]
DIARY = ROOT / "tests/cases/diary"
SECONDS = 120.0  # far above what anything here needs
SUITE = DIARY / "fixtures/D1/submissions/complete/suite"


@pytest.mark.parametrize("lesson", lesson_ids(ROOT))
def test_nothing_is_wrong_with_a_lesson_of_the_course(lesson: str) -> None:
    found = verify_lesson(ROOT, lesson, bounds=Bounds(jobs=2))
    assert found.of(Level.ERROR) == []
    assert {finding.check for finding in found.findings} >= {"caught_by", "distinct", "contract", "stub"}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OL_COURSE", str(DIARY))
    assert run(["start", "D1"]) == 0
    return tmp_path


def test_a_lesson_about_dates_is_built_tested_graded_and_compared(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["tests", "D1", "--ref-deps"]) == 1
    shutil.copy(DIARY / "reference/variants/D1/one_at_a_time.py", workspace / "python/diary/due.py")
    assert run(["tests", "D1", "--ref-deps"]) == 0
    assert run(["check", "D1", "--ref-deps"]) == 1  # the first test notices next to nothing
    assert "0 of 5 faults killed" in " ".join(capfd.readouterr().out.split())
    shutil.copy(SUITE / "test_due.py", workspace / "python/tests/d1-due/test_due.py")
    assert run(["check", "D1", "--ref-deps"]) == 0
    assert run(["diff", "D1", "--ref-deps"]) == 0
    assert "+ only the reference" in capfd.readouterr().out
    assert run(["list"]) == 0
    assert "best 5 of 5 killed" in " ".join(capfd.readouterr().out.split())


def test_its_suites_are_graded_and_its_witnesses_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OL_COURSE", str(DIARY))
    output = tmp_path / "report.json"
    grade = ["check", "D1", "--only", "mutation", "--seed", "7", "--json", str(output)]
    assert run([*grade, "--tests", str(SUITE), "--matrix"]) == 0
    report = json.loads(output.read_text(encoding="utf-8"))
    assert (report["mutation"]["killed"], report["mutation"]["needed"]) == (5, 4)
    starter = DIARY / "student_template/D1/python/tests/d1-due"
    assert run([*grade, "--tests", str(starter), "--feedback", "full"]) == 1
    faults = json.loads(output.read_text(encoding="utf-8"))["mutation"]["faults"]
    (century,) = (fault for fault in faults if fault["id"] == "d05")
    assert "the reference gives '1900-02-28'" in json.dumps(century)


def processes_in(temp: Path) -> list[str]:
    """Processes whose environment names this temporary folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if str(temp).encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


def wait_until(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


@pytest.mark.parametrize("begun", ["a process", "the second suite"])
def test_an_interrupt_ends_it_with_nothing_left(tmp_path: Path, begun: str) -> None:
    temp = tmp_path / "temp"
    temp.mkdir()
    own = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(temp)}
    # The process of the comparison with the contract has begun by then, too.
    process = subprocess.Popen(
        [sys.executable, "-m", "grader", "lesson", "verify", "--course", str(DIARY), "--json", "found.json"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]} | own,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wanted, pattern = (1, "ol-*") if begun == "a process" else (2, "ol-*/suite-*")
    wait_until(lambda: len(list(temp.glob(pattern))) >= wanted, f"{begun} did not begin")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, out, err) == (130, "", "ol: interrupted; nothing was recorded\n")
    assert list(temp.iterdir()) == []
    assert not (tmp_path / "found.json").exists()
    wait_until(lambda: not processes_in(temp), "a process is left")
