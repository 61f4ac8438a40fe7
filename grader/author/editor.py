"""The author's editor on a copy of a file, and the copy read back."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from grader.errors import EditorError, FaultEditError, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VARIABLES = ("VISUAL", "EDITOR")
USUAL = ("sensible-editor", "nano", "vim", "vi")  # where no variable names one


def edit(path: Path) -> None:
    """Open a file in the author's editor and wait until it is closed.

    Raises:
        EditorError: there is no editor, it does not start, or it ends in failure.
    """
    command = _command()
    try:
        with _interrupts_left_to_the_editor():
            code = subprocess.run([*command, str(path)], check=False).returncode
    except OSError as error:
        raise EditorError(shlex.join(command), f"does not start: {error.strerror}") from error
    if code:
        reason = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        raise EditorError(shlex.join(command), reason)


def read_back(path: Path, like: str) -> str:
    """What an author made of a text, with line feeds as line ends, no byte-order mark, and the end of `like`.

    An editor may add the line feed at the end, or take it away: nobody means anything by it.

    Raises:
        UnreadableError: the file cannot be read.
        FaultEditError: it is not UTF-8.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise UnreadableError(path, error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise FaultEditError(str(path), f"is not UTF-8 at byte {error.start}") from error
    if like.endswith("\n") and text and not text.endswith("\n"):
        return f"{text}\n"
    return text


def _command() -> list[str]:
    for variable in VARIABLES:
        if os.environ.get(variable, "").strip():
            return _words(os.environ[variable])
    usual = next((name for name in USUAL if shutil.which(name)), None)
    if usual is None or not sys.stdin.isatty():
        reason = (
            "none of the usual ones is installed" if usual is None else "there is no terminal for another"
        )
        raise EditorError("$EDITOR", f"is not set, and {reason}")
    return [usual]


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:  # a quote that is not closed
        raise EditorError(text, f"cannot be understood: {error}") from error


@contextmanager
def _interrupts_left_to_the_editor() -> Iterator[None]:
    """Let Ctrl-C go to the editor alone, for which it means something else than the end of everything."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # A handler, unlike SIG_IGN, is not inherited: the editor does with the signal what it always does.
    before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
