"""An interrupt ends a check with one line, exit code 130, and nothing left behind."""

import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.processes import PATIENCE, ROOT, command_line, environment, on_terminal, processes_in, wait_until

SUBMISSIONS = ROOT / "fixtures/L7.1/submissions"
SOURCE = "python/tinyllm/modern/norm.py"


@pytest.mark.parametrize(
    ("number", "twice"), [(signal.SIGTERM, False), (signal.SIGINT, True)], ids=["terminated", "ctrl-c-twice"]
)
def test_an_interrupted_check_leaves_nothing(tmp_path: Path, number: signal.Signals, twice: bool) -> None:
    temp = tmp_path / "temp"
    temp.mkdir()
    workspace = tmp_path / "workspace"
    shutil.copytree(ROOT / "student_template/L7.1", workspace)
    shutil.rmtree(workspace / "python/tests/l7-1-norm")
    shutil.copytree(SUBMISSIONS / "endless-loop/suite", workspace / "python/tests/l7-1-norm")
    process = subprocess.Popen(
        command_line("check", "L7.1", "--ref-deps", "--json", "r.json"),
        cwd=workspace,
        env=environment(temp),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until(lambda: list(temp.glob("ol-*/suite-*")), "no suite was opened")
    time.sleep(0.5)
    process.send_signal(number)
    if twice:
        time.sleep(0.05)
        process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, "")
    assert err == "ol: interrupted; nothing was recorded\n"
    assert list(temp.iterdir()) == []
    assert not (workspace / ".ol").exists()
    assert not (workspace / "r.json").exists()
    wait_until(lambda: not processes_in(temp), "a process is left")


def test_watch_grades_again_on_save_and_says_what_changed(tmp_path: Path) -> None:
    temp = tmp_path / "temp"
    temp.mkdir()
    workspace = tmp_path / "workspace"
    shutil.copytree(ROOT / "student_template/L7.1", workspace)
    output = tmp_path / "output"
    with output.open("w") as stream:
        process = subprocess.Popen(
            command_line("check", "L7.1", "--ref-deps", "--watch", "--only", "course"),
            cwd=workspace,
            env=environment(temp),
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until(lambda: "Watching for the next save" in output.read_text(), "no first grade")
        shutil.copy(ROOT / "reference/tinyllm/modern/norm.py", workspace / SOURCE)
        wait_until(lambda: "Since the last grade" in output.read_text(), "no second grade")
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
    assert "failed became passed" in output.read_text()
    assert list(temp.iterdir()) == []


def test_progress_is_live_on_a_terminal_and_gone_at_the_end(tmp_path: Path) -> None:
    """Standard error is a terminal here and standard output is a pipe, as in `ol check … | less`."""
    temp = tmp_path / "temp"
    temp.mkdir()
    suite = SUBMISSIONS / "misses-eps/suite"
    code, out, shown = on_terminal("check", "L7.1", "--only", "mutation", "--tests", suite, temp=temp)
    assert code == 1
    assert re.search(rb"run \d+ of \d+", shown)
    assert "\x1b" not in out
    assert "\r" not in out
