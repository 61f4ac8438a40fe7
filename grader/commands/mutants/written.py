"""What an author is told after a fault was written: the edits, what is idle in them, and what is still to do."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grader import texts
from grader.author.anchor import span_of
from grader.author.changes import idle_edits
from grader.author.saving import is_installed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from grader.author.catalogue import FaultPlace
    from grader.author.draft import Draft
    from grader.lesson import Edit


@dataclass(frozen=True)
class Written:
    """A fault that was written.

    Attributes:
        place: where.
        draft: what its file says now.
        sources: the reference's text by file.
        escaped: the course tests were run, and none kills it; its file still names those that it named.
    """

    place: FaultPlace
    draft: Draft
    sources: Mapping[str, str]
    escaped: bool = False

    def document(self) -> dict[str, Any]:
        """All of it as plain data, for JSON."""
        return {
            "lesson": self.place.lesson,
            "id": self.place.id,
            "file": str(self.place.path),
            "edits": [
                {"file": edit.file, "line": self._line(edit), "find": edit.find, "replace": edit.replace}
                for edit in self.draft.edits
            ],
            "caught_by": self.draft.caught_by,
            "escaped": self.escaped,
            "idle_edits": idle_edits(self.draft.edits, self.sources),
            "missing": self.draft.missing,
        }

    def lines(self) -> Iterator[str]:
        """The same for a person."""
        yield f"{self.place.name}: {texts.count(len(self.draft.edits), 'edit')} in {_short(self.place)}"
        idle = idle_edits(self.draft.edits, self.sources)
        for number, edit in enumerate(self.draft.edits):
            note = " (only comments or blanks: is it meant?)" if number in idle else ""
            yield f"  {edit.file}:{self._line(edit)}{note}"
            yield from (f"    - {line}" for line in edit.find.removesuffix("\n").split("\n"))
            yield from (f"    + {line}" for line in _lines(edit.replace))
        if self.draft.caught_by and not self.escaped:
            yield "Caught by"
            yield from (f"    {test}" for test in self.draft.caught_by)
        yield from self._next()

    def _next(self) -> Iterator[str]:
        if self.escaped:
            yield "No course test catches it: the course needs one that does, or it is no fault."
        if is_installed(self.place.path):
            yield "Note: this course is a part of ol's installation, and the next version replaces it."
            yield "    Work on a copy, and name it with --course DIR."
        if self.draft.missing:
            yield f"Still to be written: {', '.join(self.draft.missing)}"
            yield "Until then nothing can be graded with the lesson."
        if "witness" in self.draft.missing:
            yield f"Next: `ol mutants witness {self.place.name}` looks for an input that shows it."
        yield f"Then: `ol mutants verify {self.place.name}` says whether all of it holds."

    def _line(self, edit: Edit) -> int:
        source = self.sources[edit.file]
        return source.count("\n", 0, span_of(edit, source).start) + 1


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _short(place: FaultPlace) -> str:
    path, here = str(place.path), f"{os.getcwd()}{os.sep}"  # noqa: PTH109 - compared as text, as it is shown
    return path.removeprefix(here)
