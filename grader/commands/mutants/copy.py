"""A copy of a reference file for the author to change, kept where the command fails after it was changed."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from grader.author.anchor import edits_between
from grader.author.editor import edit, read_back
from grader.errors import FaultEditError, GraderError, PathNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from grader.lesson import Edit

WAIT = "Nothing was written. An editor that returns at once needs its option to wait (`code --wait`)."


@dataclass(frozen=True)
class Edited:
    """What an author made of a file of the reference.

    Attributes:
        file: the reference's file.
        text: the edited text.
        label: what to call it in errors.
        opened: whether an editor was.
    """

    file: str
    text: str
    label: str
    opened: bool = False

    def edits(self, sources: Mapping[str, str], known: Sequence[Edit] = ()) -> tuple[Edit, ...]:
        """The edits that make it of the reference.

        Raises:
            FaultEditError: it is the reference.
        """
        made = edits_between(self.file, sources[self.file], self.text, known)
        if not made:
            raise FaultEditError(self.label, "is the reference, unchanged", WAIT if self.opened else "")
        return made


@contextmanager
def edited_text(file: str, text: str, reference: str, ready: Path | None) -> Iterator[Edited]:
    """What the author makes of a text. A copy that was changed is kept, and named, if anything goes wrong afterwards.

    Args:
        file: the reference's file; the copy has its name, by which editors know the language.
        text: what is to be edited.
        reference: the reference's text, for the form of its end.
        ready: a file that was edited before; then no editor is opened.

    Raises:
        PathNotFoundError: `ready` does not exist.
        GraderError: as `edit` and `read_back` do.
    """
    if ready is not None:
        if not ready.exists():
            raise PathNotFoundError(ready)
        yield Edited(file, read_back(ready, reference), str(ready))
        return
    with _copy(PurePosixPath(file).name, text) as path:
        edit(path)
        yield Edited(file, read_back(path, reference), str(path), opened=True)


def _tell(path: Path, *, interrupted: bool) -> None:
    from grader.console import leave_the_line, say  # noqa: PLC0415 - only where there is something to say

    if interrupted:
        leave_the_line()
    say(f"ol: your edit is kept: go on with `--edited {path}`")


@contextmanager
def _copy(name: str, text: str) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="ol-fault-"))
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    kept = False
    try:
        yield path
    except BaseException as error:
        kept = path.exists() and path.read_bytes() != text.encode()
        if kept:
            _tell(path, interrupted=not isinstance(error, GraderError))
        raise
    finally:
        if not kept:
            shutil.rmtree(folder, ignore_errors=True)
