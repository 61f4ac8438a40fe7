"""From a candidate to the file of a fault, with all that a machine can find out about it filled in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.author.anchor import edits_between
from grader.author.changes import course_tests_that_kill
from grader.author.draft import Draft, read_draft
from grader.author.fault_file import new_text
from grader.author.naming import new_place, taken
from grader.author.saving import check_writable, save_new
from grader.author.toml_values import one_line
from grader.author.witness.saving import with_witness
from grader.errors import LessonError
from grader.lesson import load_lesson

if TYPE_CHECKING:
    from grader.author.candidates.model import Candidate
    from grader.author.catalogue import FaultPlace
    from grader.lesson import Lesson
    from grader.progress import Progress


@dataclass(frozen=True)
class Told:
    """What the author says of the new fault; empty: nothing yet."""

    title: str = ""
    symptom: str = ""
    hint: str = ""


def adopt(
    lesson: Lesson, candidate: Candidate, fault_id: str, told: Told, inputs: int, progress: Progress
) -> tuple[FaultPlace, Draft]:
    """Write the file of a fault, and say where it is and what stands in it.

    Args:
        lesson: the candidate's; its faults are not looked at.
        candidate: what the fault does.
        fault_id: free in the lesson.
        told: what the author says.
        inputs: how many to try in the search for a witness; 0: no search.
        progress: follows it.

    Raises:
        ReadOnlyCourseError: the course cannot be written; nothing was.
        LessonError: the course tests do not pass on the reference.
        HarnessError: a process of ours is gone.
    """
    check_writable(lesson.root / "mutants" / lesson.id, lesson.root)
    name = told.title or candidate.operators[0].rpartition(":")[2]
    place = new_place(lesson.root, lesson.id, fault_id, name)
    edits = edits_between(candidate.file, lesson.reference_modules[lesson.module].source, candidate.source)
    progress.stage("course tests")
    caught_by = course_tests_that_kill(lesson, place.name, edits)
    progress.stage("looking for a witness")
    call = _witness(lesson, candidate, inputs) if inputs else None
    draft = Draft(
        title=one_line(told.title) or None,
        symptom=one_line(told.symptom) or None,
        hint=one_line(told.hint) or None,
        caught_by=caught_by,
        edits=edits,
    )
    text = new_text(draft, place.name)
    if call:
        text = with_witness(text, call)
    save_new(place.path, text, lesson.root)
    return place, read_draft(place)


def free_id(lesson: Lesson, wanted: str | None) -> str | None:
    """The id that is wanted, or the next in the lesson's row; None: the one that is wanted is taken."""
    known = taken(lesson.root, lesson.id)
    if wanted is None:
        return known.next_id
    return None if wanted in known.ids else wanted


def _witness(lesson: Lesson, candidate: Candidate, inputs: int) -> str | None:
    from grader.author.witness import Laboratory, Search, find  # noqa: PLC0415 - only where it is wanted

    with Laboratory(_with_faults(lesson)) as laboratory:
        return find(laboratory, {candidate.file: candidate.source}, Search(inputs=inputs)).call


def _with_faults(lesson: Lesson) -> Lesson:
    """The lesson with its faults, whose witnesses the search starts from; without, where one is not finished yet."""
    try:
        return load_lesson(lesson.root, lesson.id)
    except LessonError:
        return lesson
