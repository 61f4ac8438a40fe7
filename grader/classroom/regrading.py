"""Old grades beside new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader import texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from grader.classroom.batch import Change
    from grader.classroom.store import Attempt


def told(changes: Iterable[Change], *, only_changed: bool) -> Iterator[str]:
    """A line for each submission that was graded again: `name: failed 7/9 -> passed 8/9`."""
    for change in sorted(changes, key=lambda change: change.after.place):
        before, after = _short(change.before), _short(change.after)
        if before != after:
            yield f"{texts.one_line(change.after.learner)}: {before} -> {after}"
        elif not only_changed:
            yield f"{texts.one_line(change.after.learner)}: {after}, as before"


def _short(attempt: Attempt) -> str:
    if attempt.killed is None:
        return attempt.status
    missing = f" without {', '.join(attempt.required_missing)}" if attempt.required_missing else ""
    return f"{attempt.status} {attempt.killed}/{attempt.total}{missing}"
