"""From what an author says and edits to the file of a new fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from grader.author.changes import check_program, course_tests_that_kill, sources_of
from grader.author.draft import Draft
from grader.author.fault_file import new_text
from grader.author.naming import is_id, new_place, taken
from grader.author.saving import check_writable, save_new
from grader.author.toml_values import one_line
from grader.commands.mutants.copy import edited_text
from grader.commands.mutants.naming import reference_file
from grader.commands.mutants.written import Written
from grader.lesson import names_of_course_tests

if TYPE_CHECKING:
    from pathlib import Path

    from grader.author.naming import Taken
    from grader.commands.mutants.asking import Questions
    from grader.lesson import Edit, Lesson


@dataclass(frozen=True)
class Given:
    """What the command line says of a new fault; None and empty: nothing."""

    fault_id: str | None
    title: str | None
    symptom: str | None
    hint: str | None
    pitfall: int | None
    caught_by: tuple[str, ...]


@dataclass(frozen=True)
class Making:
    """The making of one fault.

    Attributes:
        lesson: the lesson, without its faults.
        given: what is known beforehand.
        questions: asks for what is not.
    """

    lesson: Lesson
    given: Given
    questions: Questions

    def make(self, file: str | None, ready: Path | None, *, run: bool) -> Written:
        """Ask, edit, check and write.

        Args:
            file: the reference's file to edit; None: the lesson's module.
            ready: a file that was edited before; None: open the editor.
            run: find out by running which course tests kill it.

        Raises:
            click.UsageError: what is given cannot be.
            GraderError: nothing was written.
        """
        course, sources = self.lesson.root, sources_of(self.lesson)
        check_writable(course / "mutants" / self.lesson.id, course)
        known, caught_by, file = (
            taken(course, self.lesson.id),
            self._caught_by(),
            reference_file(self.lesson, file),
        )
        fault_id, title = self._id(known), self._title()
        place = new_place(course, self.lesson.id, fault_id, title)
        with edited_text(file, sources[file], sources[file], ready) as edited:
            edits = edited.edits(sources)
            check_program(edits, sources, {file: edited.label}, place.file)
            if run:
                caught_by = course_tests_that_kill(self.lesson, place.name, edits)
            draft = self._draft(title, edits, caught_by, known)
            save_new(place.path, new_text(draft, place.name), course)
        return Written(place, draft, sources, escaped=run and not caught_by)

    def _draft(self, title: str, edits: tuple[Edit, ...], caught_by: tuple[str, ...], known: Taken) -> Draft:
        symptom = self.given.symptom or self.questions.ask("Symptom: what somebody sees who runs it")
        hint = self.given.hint or self.questions.ask("Hint: what to look for in a suite that misses it")
        pitfall = self.given.pitfall or self._asked_pitfall(known)
        return Draft(
            title=title,
            symptom=one_line(symptom) or None,
            hint=one_line(hint) or None,
            pitfall=pitfall,
            required=pitfall is not None,
            caught_by=caught_by,
            edits=edits,
        )

    # what the command line says, checked before any work is done

    def _id(self, known: Taken) -> str:
        fault_id = self.given.fault_id or self.questions.ask("Id", known.next_id)
        if not is_id(fault_id):
            raise click.UsageError(
                f"{fault_id!r} is no id: letters, digits and _ make one, other than `lesson`"
            )
        if fault_id in known.ids:
            raise click.UsageError(
                f"{self.lesson.id}/{fault_id} is taken; the next free id is {known.next_id}"
            )
        if self.given.pitfall in known.pitfalls:
            raise click.UsageError(_number_taken(self.given.pitfall, known))
        return fault_id

    def _title(self) -> str:
        title = one_line(self.given.title or self.questions.ask("Title: what is wrong, in a few words"))
        if not title:
            raise click.UsageError("a fault needs a title: --title TEXT")
        return title

    def _caught_by(self) -> tuple[str, ...]:
        named = [name.strip() for each in self.given.caught_by for name in each.split(",")]
        known = names_of_course_tests(self.lesson.root, self.lesson.id)
        unknown = [name for name in named if name not in known]
        if unknown:
            there = ", ".join(sorted(known))
            raise click.UsageError(f"{', '.join(unknown)}: no test of the course; there are {there}")
        return tuple(dict.fromkeys(named))

    def _asked_pitfall(self, known: Taken) -> int | None:
        question = "Number in the chapter's table of pitfalls (none: it is not required)"
        while answer := self.questions.ask(question):
            if answer.isdecimal() and int(answer) > 0 and int(answer) not in known.pitfalls:
                return int(answer)
            wrong = (
                _number_taken(int(answer), known)
                if answer.isdecimal() and int(answer)
                else f"{answer} is no number from 1 up"
            )
            self.questions.tell(wrong)
        return None


def _number_taken(pitfall: int, known: Taken) -> str:
    return f"the number {pitfall} is taken by {known.pitfalls[pitfall]}"
