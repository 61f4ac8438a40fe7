"""Another process that has a store open, as another run would."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOLDS = """
import os, sys
from pathlib import Path
from grader.classroom.store import Store
with Store.open(Path(sys.argv[1]), "W1"):
    if sys.argv[2] == "with a child" and os.fork() == 0:
        sys.stdin.read()
        os._exit(0)
    print("open", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held(out: Path, how: str = "alone") -> Iterator[subprocess.Popen[str]]:
    """A process that has the store in `out` open, until the end or until it is killed."""
    command = [sys.executable, "-c", HOLDS, str(out), how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        try:
            yield process
        finally:
            process.communicate(timeout=60)  # lets it end, and its child
