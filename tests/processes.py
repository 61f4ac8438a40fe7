"""The command in a process of its own: how it is started, what a terminal shows of it, and what is left of it."""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 120.0  # seconds; only what hangs takes so long

Done = subprocess.CompletedProcess[str]


def command_line(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "grader", *map(str, arguments)]


def environment(temp: Path, **more: str) -> dict[str, str]:
    """What a command needs, and a temporary folder by which its processes are found again."""
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(temp),
        **more,
    }


def ol(*arguments: object, folder: Path, **more: str) -> Done:
    """Run a command to its end in a folder, with nothing of this process's surroundings but what every command needs."""
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return subprocess.run(
        command_line(*arguments),
        cwd=folder,
        env=inherited | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"} | more,
        capture_output=True,
        timeout=3 * PATIENCE,
        check=False,
        encoding="utf-8",
        errors="surrogateescape",
    )


def on_terminal(*arguments: object, temp: Path) -> tuple[int, str, bytes]:
    """Run a command whose standard error is a terminal, and its output a pipe, as in `ol check … | less`.

    Returns:
        The exit code, the output, and all that came to the terminal, with its control sequences.
    """
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command_line(*arguments),
        cwd=temp.parent,
        env=environment(temp, TERM="xterm-256color", COLUMNS="80"),
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    ) as process:
        os.close(theirs)
        shown = b""
        # The other side of a terminal is closed: that is an error, and the end.
        with contextlib.suppress(OSError):
            while data := os.read(ours, 4096):
                shown += data
        out = process.communicate(timeout=PATIENCE)[0]
    os.close(ours)
    return process.returncode, out, shown


def children_of(pid: int) -> list[int]:
    """The living child processes of a process."""
    found: list[int] = []
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += map(int, children.read_text(encoding="ascii").split())
    return found


def family(pid: int) -> list[int]:
    """All living processes below a process."""
    return [each for child in children_of(pid) for each in (child, *family(child))]


def processes_in(temp: Path) -> list[str]:
    """Processes whose environment names this temporary folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if str(temp).encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text().replace("\0", " "))
    return found


def wait_until(holds: Callable[[], object], what: str) -> None:
    """Wait for something that happens in another process; `what` says what did not."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)
