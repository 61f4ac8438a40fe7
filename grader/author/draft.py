"""A fault's file in any state between the first edit and a fault that can be graded with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from grader.errors import LessonError
from grader.lesson.files import CourseFiles
from grader.lesson.model import Edit, Fault, FaultFile, Text, Witness
from grader.lesson.toml import decode

if TYPE_CHECKING:
    from grader.author.catalogue import FaultPlace


class Draft(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of `FaultFile`, each of which may still be missing."""

    title: Text | None = None
    symptom: Text | None = None
    hint: Text | None = None
    caught_by: tuple[Text, ...] = ()
    edits: tuple[Edit, ...] = msgspec.field(name="edit", default=())
    witness: Witness | None = None
    pitfall: Annotated[int, msgspec.Meta(ge=1)] | None = None
    required: bool = False
    timeout_is_kill: bool = False

    @property
    def missing(self) -> tuple[str, ...]:
        """The keys without which no lesson can be graded, in the order of a fault's file."""
        keys = {
            "title": self.title,
            "symptom": self.symptom,
            "hint": self.hint,
            "caught_by": self.caught_by,
            "edit": self.edits,
            "witness": self.witness,
        }
        return tuple(key for key, value in keys.items() if not value)


def read_draft(place: FaultPlace) -> Draft:
    """What a fault's file says, whatever it still lacks.

    Raises:
        LessonError: it cannot be read, is not TOML, or has an unknown key or one of the wrong type.
    """
    return decode(read_text(place), Draft, place.file)


def read_text(place: FaultPlace) -> str:
    """The text of a fault's file, with line feeds as line ends.

    Raises:
        LessonError: it cannot be read or is no UTF-8.
    """
    return CourseFiles(place.path.parents[2]).text(place.file)


def runnable(draft: Draft, place: FaultPlace) -> Fault:
    """A fault to run tests on: what a run does not need and the draft lacks is filled in with placeholders.

    Raises:
        LessonError: the draft has no edit.
    """
    if not draft.edits:
        raise LessonError(place.file, "edit", "is missing")
    content = FaultFile(
        title=draft.title or place.id,
        symptom=draft.symptom or "not written yet",
        hint=draft.hint or "not written yet",
        caught_by=draft.caught_by or ("not_known_yet",),
        edits=draft.edits,
        witness=draft.witness or Witness(call="return None"),
        pitfall=draft.pitfall,
        required=draft.required,
        timeout_is_kill=draft.timeout_is_kill,
    )
    return Fault(id=place.id, path=place.path, **msgspec.structs.asdict(content))
