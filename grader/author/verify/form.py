"""Whether programs are told apart by nothing but behaviour: what rewriting cannot hide of a lesson's modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.author.verify.finding import LESSON, Finding, error, note, ok
from grader.repertoire import Repertoire

if TYPE_CHECKING:
    from grader.lesson import Lesson

CHECK = "form"


def check_form(lesson: Lesson) -> list[Finding]:
    """The functions in whose text a fault still differs from the reference after it has been rewritten."""
    try:
        exposed = Repertoire(lesson).exposed
    except ValueError as problem:
        return [
            error(LESSON, CHECK, f"reference/{lesson.module_file}: source", f"cannot be rewritten: {problem}")
        ]
    if not exposed:
        return [ok(LESSON, CHECK, "no function tells by its form whether it is faulty")]
    return [
        note(LESSON, CHECK, f"{module}: the form of {', '.join(names)} may tell a fault from the reference")
        for module, names in exposed.items()
    ]
