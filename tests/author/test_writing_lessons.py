"""Every command in `docs/writing-lessons.md` runs as it stands there, and prints what the page shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from grader.author.new_lesson import NewLesson, lay_down
from grader.author.verify import verify_lesson

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/writing-lessons.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXIT = re.compile(r"# exit code (\d+)\s*$")
ROW = re.compile(r"^\| (\w[^|]*) \|", re.MULTILINE)
SECONDS = 600  # for all of the page, on a machine that has much else to do


def script() -> str:
    """The page's commands in one shell; each has to end with the code that the page says."""
    lines = ["set -u", 'ol() { "$PYTHON" -m grader "$@"; }']
    for language, text in BLOCK.findall(PAGE):
        if language == "text":
            continue
        for line in text.splitlines():
            found = EXIT.search(line)
            wanted = found[1] if found else "0"
            lines += [
                line,
                f"code=$?; [ $code = {wanted} ] || {{ echo 'ended with' $code; exit 99; }}",
            ]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("page")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHON": sys.executable,
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "COLUMNS": "80",
    }
    done = subprocess.run(
        ["bash", "-c", script()],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "found.json").is_file()
    return done.stdout


def test_every_command_ends_as_the_page_says(printed: str) -> None:
    commands = [
        line for language, text in BLOCK.findall(PAGE) if language == "sh" for line in text.splitlines()
    ]
    assert len(commands) > 15
    assert "M1 Prices (rung R1): learners build shop.prices" in printed


def test_what_the_page_shows_is_what_is_printed(printed: str) -> None:
    shown = [text for language, text in BLOCK.findall(PAGE) if language == "text"]
    assert shown
    for text in shown:
        assert text in printed


def test_the_page_names_every_check_and_no_other(tmp_path: Path) -> None:
    lay_down(tmp_path / "course", NewLesson("M1", "Prices", "R1", "shop.prices"))
    found = verify_lesson(tmp_path / "course", "M1")
    emitted = {re.sub(r"^variant \w+", "variant …", finding.check) for finding in found.findings}
    _before, of_faults, of_the_lesson = re.split(r"(?m)^Of (?:each fault|the lesson):$", PAGE)
    named = {name for row in ROW.findall(of_faults + of_the_lesson) for name in row.split(", ")}
    # The last two are said only when they do not hold.
    assert emitted == named - {"check", "loads", "complete"}
