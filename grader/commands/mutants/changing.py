"""From an existing fault and what its author makes of it now to the fault's file, with its comments kept."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click
import msgspec

from grader.author.anchor import fits
from grader.author.changes import check_program, course_tests_that_kill, sources_of
from grader.author.draft import read_draft, read_text
from grader.author.fault_file import with_caught_by, with_edits
from grader.author.saving import check_writable, save
from grader.commands.mutants.copy import WAIT, Edited, edited_text
from grader.commands.mutants.naming import reference_file
from grader.commands.mutants.written import Written
from grader.errors import FaultEditError, LessonError
from grader.lesson import load_without_faults

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from grader.author.catalogue import FaultPlace
    from grader.author.draft import Draft
    from grader.commands.mutants.reanchoring import Reanchoring
    from grader.lesson import Edit

LOOK = (
    "Run the command without `--yes` and look at the change; with `--yes --run`, `caught_by` is written anew."
)


@dataclass(frozen=True)
class How:
    """What the command line says of the change.

    Attributes:
        file: the reference's file to edit; None: those that the fault edits.
        ready: a file that was edited before; None: open the editor.
        yes: open no editor and ask nothing.
        run: find out by running which course tests kill it.
    """

    file: str | None
    ready: Path | None
    yes: bool
    run: bool


class Changing:
    """The change of one fault.

    Args:
        course: the course's folder.
        place: where the fault is described.
        how: what the command line says.
        reanchoring: what to do with edits that no longer fit.

    Raises:
        LessonError: the fault's file cannot be used, or the lesson without its faults is wrong.
    """

    def __init__(self, course: Path, place: FaultPlace, how: How, reanchoring: Reanchoring) -> None:
        self.place = place
        self._how = how
        self._reanchoring = reanchoring
        self._lesson = load_without_faults(course, place.lesson)
        self._sources: Mapping[str, str] = sources_of(self._lesson)
        self._draft: Draft = read_draft(place)

    def change(self) -> tuple[Written, bool]:
        """Edit, check and write; what stands in the file now, and whether anything was changed.

        Raises:
            click.UsageError: what is given cannot be.
            GraderError: nothing was written.
        """
        course, before = self._lesson.root, read_text(self.place)
        check_writable(self.place.path.parent, course)
        with ExitStack() as copies:
            edits = self._edits(copies)
            self._check_carried(edits)
            caught_by = self._caught_by(edits)
            text = with_edits(before, edits)
            if caught_by:
                text = with_caught_by(text, caught_by)
            if text != before:
                save(self.place.path, text, course)
        draft = msgspec.structs.replace(
            self._draft, edits=edits, caught_by=caught_by or self._draft.caught_by
        )
        escaped = self._how.run and not caught_by
        return Written(self.place, draft, self._sources, escaped), text != before

    def _caught_by(self, edits: tuple[Edit, ...]) -> tuple[str, ...]:
        if not self._how.run:
            return self._draft.caught_by
        return self._killers(edits)

    def _killers(self, edits: tuple[Edit, ...]) -> tuple[str, ...]:
        return course_tests_that_kill(self._lesson, self.place.name, edits, hangs=self._draft.timeout_is_kill)

    def _check_carried(self, edits: tuple[Edit, ...]) -> None:
        """Whether edits that were carried over unseen make the fault that they made: the same course tests kill it."""
        unseen = self._how.yes and self._how.ready is None and not self._how.run
        moved = [edit for edit in self._draft.edits if not fits(edit, self._sources[edit.file])]
        known = set(self._draft.caught_by)
        if not (unseen and moved and known):
            return
        killers = set(self._killers(edits))
        if killers != known:
            reason = f"carried over, it is not killed by what caught_by names: {', '.join(sorted(killers ^ known))}"
            raise FaultEditError(self.place.file, reason, LOOK)

    # the edits

    def _edits(self, copies: ExitStack) -> tuple[Edit, ...]:
        self._check_files()
        edits, labels = self._draft.edits, dict[str, str]()
        for file in self._files():
            new, labels[file] = self._edits_of(file, copies)
            edits = (*(edit for edit in edits if edit.file != file), *new)
        check_program(edits, self._sources, labels, self.place.file)
        return edits

    def _edits_of(self, file: str, copies: ExitStack) -> tuple[tuple[Edit, ...], str]:
        """The edits of one file now, and what to call its text in errors."""
        source, known = self._sources[file], self._draft.edits
        if self._how.ready is not None:
            edited = copies.enter_context(edited_text(file, source, source, self._how.ready))
            return edited.edits(self._sources, known), edited.label
        if self._how.yes and all(edit.file != file for edit in known):
            raise LessonError(self.place.file, "edit", f"is missing: there is none of {file}")
        carried = self._reanchoring.carried(known, file, source)
        if carried.complete and (carried.moved or self._how.yes):
            edited = Edited(file, carried.text, self.place.file)
        else:
            edited = copies.enter_context(edited_text(file, carried.text, source, None))
            if not carried.complete and edited.text.rstrip("\n") == carried.text.rstrip("\n"):
                # Else closing the editor would take the edits that no longer fit out of the fault.
                raise FaultEditError(self.place.file, "the edit that no longer fits was not made again", WAIT)
        return edited.edits(self._sources, known), edited.label

    def _files(self) -> list[str]:
        if self._how.file:
            return [reference_file(self._lesson, self._how.file)]
        files = list(dict.fromkeys(edit.file for edit in self._draft.edits)) or [self._lesson.module_file]
        if self._how.ready is not None and len(files) > 1:
            raise click.UsageError(f"say with --file which of {', '.join(files)} was edited")
        return files

    def _check_files(self) -> None:
        for number, edit in enumerate(self._draft.edits):
            if edit.file not in self._sources:
                reason = f"{edit.file} is no module of the reference package"
                raise LessonError(self.place.file, f"edit[{number}].file", reason)
