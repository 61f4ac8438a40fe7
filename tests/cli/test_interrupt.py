"""An interrupt ends a check with one line, exit code 130, and nothing left behind."""

import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SUBMISSIONS = ROOT / "fixtures/L7.1/submissions"
SOURCE = "python/tinyllm/modern/norm.py"
SECONDS = 120.0  # far above what anything here needs


def environment(temp: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(temp),
        "TERM": "xterm-256color",
    }


def wait_until(holds: object, what: str) -> None:
    assert callable(holds)
    deadline = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


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
        [sys.executable, "-m", "grader", "check", "L7.1", "--ref-deps", "--json", "r.json"],
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
    out, err = process.communicate(timeout=SECONDS)
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
            [sys.executable, "-m", "grader", "check", "L7.1", "--ref-deps", "--watch", "--only", "course"],
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
        assert process.wait(SECONDS) == 130
    assert "failed became passed" in output.read_text()
    assert list(temp.iterdir()) == []


def test_progress_is_live_on_a_terminal_and_gone_at_the_end(tmp_path: Path) -> None:
    """Standard error is a terminal here and standard output is a pipe, as in `ol check … | less`."""
    ours, theirs = pty.openpty()
    suite = SUBMISSIONS / "misses-eps/suite"
    process = subprocess.Popen(
        [sys.executable, "-m", "grader", "check", "L7.1", "--only", "mutation", "--tests", suite],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    try:
        while data := os.read(ours, 4096):
            shown += data
    except OSError:  # the other side of a terminal is closed
        pass
    out = process.communicate(timeout=SECONDS)[0]
    assert process.returncode == 1
    assert re.search(rb"run \d+ of \d+", shown)
    assert b"\x1b" not in out
    assert b"\r" not in out
