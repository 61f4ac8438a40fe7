"""A page of the documentation whose commands are run as they stand there."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXIT = re.compile(r"# exit code (\d+)\s*$")
SECONDS = 600  # for all of a page, on a machine that has much else to do


@dataclass(frozen=True)
class Page:
    """The text of a page."""

    text: str

    def shown(self, language: str) -> list[str]:
        """The blocks of one language."""
        return [text for kind, text in BLOCK.findall(self.text) if kind == language]

    def commands(self) -> list[str]:
        """The page's commands, those that go over several lines as one."""
        return "".join(self.shown("sh")).replace("\\\n", " ").splitlines()

    def script(self) -> str:
        """The page's commands in one shell; each has to end with the code that the page says."""
        lines = ["set -u", 'ol() { "$PYTHON" -m grader "$@"; }', 'python() { "$PYTHON" "$@"; }']
        for command in self.commands():
            found = EXIT.search(command)
            wanted = found[1] if found else "0"
            lines += [command, f"code=$?; [ $code = {wanted} ] || {{ echo 'ended with' $code; exit 99; }}"]
        return "\n".join(lines)

    def run(self, folder: Path) -> str:
        """What the commands print on a screen of 80 columns, one after the other in this folder."""
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PYTHON": sys.executable,
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "COLUMNS": "80",
        }
        done = subprocess.run(
            ["bash", "-c", self.script()],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def page(name: str) -> Page:
    """The page of this name in `docs`."""
    return Page((ROOT / "docs" / name).read_text(encoding="utf-8"))
