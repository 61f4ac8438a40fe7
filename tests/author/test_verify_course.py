"""The course that ships holds, and so does a lesson in which nothing is an array, from its first command to its last."""

import json
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from grader.author.verify import Bounds, Level, verify_lesson
from grader.cli import run
from grader.lesson import lesson_ids
from tests.processes import PATIENCE, ROOT, command_line, environment, processes_in, wait_until

DIARY = ROOT / "tests/cases/diary"
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


@pytest.mark.parametrize("begun", ["a process", "the second suite"])
def test_an_interrupt_ends_it_with_nothing_left(tmp_path: Path, begun: str) -> None:
    temp = tmp_path / "temp"
    temp.mkdir()
    # The process of the comparison with the contract has begun by then, too.
    process = subprocess.Popen(
        command_line("lesson", "verify", "--course", DIARY, "--json", "found.json"),
        cwd=tmp_path,
        env=environment(temp),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wanted, pattern = (1, "ol-*") if begun == "a process" else (2, "ol-*/suite-*")
    wait_until(lambda: len(list(temp.glob(pattern))) >= wanted, f"{begun} did not begin")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (130, "", "ol: interrupted; nothing was recorded\n")
    assert list(temp.iterdir()) == []
    assert not (tmp_path / "found.json").exists()
    wait_until(lambda: not processes_in(temp), "a process is left")
