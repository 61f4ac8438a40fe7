"""Whether a lesson is the one that was pinned: a bundle that was edited grades nobody."""

from __future__ import annotations

from grader.errors import PinnedLessonError


def check_pin(lesson: str, found: str, pinned: str) -> None:
    """Refuse other data than those that were pinned.

    Args:
        lesson: the lesson's id.
        found: the hash of its data, as hexadecimal digits.
        pinned: the hash that they must have; empty: any.

    Raises:
        PinnedLessonError: they have another.
    """
    if pinned and found != pinned:
        raise PinnedLessonError(lesson, pinned, found)
