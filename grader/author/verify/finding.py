"""What one check of a lesson found."""

from __future__ import annotations

import enum
from dataclasses import dataclass

LESSON = "lesson"  # the subject of what is about no fault


class Level(enum.StrEnum):
    """What a finding is worth."""

    OK = "ok"
    NOTE = "note"  # worth knowing; nothing has to be done
    ERROR = "error"  # the lesson cannot be used like this


@dataclass(frozen=True)
class Finding:
    """One check of one thing.

    Attributes:
        subject: a fault's id, or `lesson`.
        check: the check's name, the same for every subject.
        level: what it is worth.
        message: what was found: for an error `FILE: KEY: what is wrong and what to do`.
    """

    subject: str
    check: str
    level: Level
    message: str


def ok(subject: str, check: str, message: str) -> Finding:
    """The check holds."""
    return Finding(subject, check, Level.OK, message)


def note(subject: str, check: str, message: str) -> Finding:
    """Worth knowing."""
    return Finding(subject, check, Level.NOTE, message)


def error(subject: str, check: str, place: str, message: str) -> Finding:
    """The check does not hold; `place` is `FILE: KEY`."""
    return Finding(subject, check, Level.ERROR, f"{place}: {message}")
