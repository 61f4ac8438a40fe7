"""The workspace's log of attempts, `.ol/attempts.jsonl`: one line for each check of the workspace's own suite.

Append-only. A line that cannot be read is passed over, so that a log cut short costs one attempt and no command.
"""

from __future__ import annotations

import datetime as dt
import os
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from pathlib import Path

    from grader.report import Report
    from grader.workspace import Workspace

LOG = ".ol/attempts.jsonl"


class Attempt(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One check.

    Attributes:
        time: when it ended, ISO 8601, UTC.
        only: the one part that was asked for; empty: all of them.
        module_sha256: of the learner's module. With the two other hashes it says what was checked.
    """

    time: str
    lesson: str
    status: str
    seed: int
    module_sha256: str
    submission_sha256: str
    lesson_sha256: str
    only: str = ""
    killed: int | None = None
    needed: int | None = None
    total: int | None = None

    @property
    def passed(self) -> bool:
        """A pass of everything that a check looks at."""
        return self.status == "passed" and not self.only


def attempt_of(report: Report, module_sha256: str, only: str | None) -> Attempt:
    """What the log keeps of a report."""
    grade = report.mutation
    return Attempt(
        time=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        lesson=report.lesson,
        status=report.status,
        seed=report.seed,
        module_sha256=module_sha256,
        submission_sha256=report.submission_sha256,
        lesson_sha256=report.lesson_sha256,
        only=only or "",
        killed=grade.killed if grade else None,
        needed=grade.needed if grade else None,
        total=grade.total if grade else None,
    )


def record(workspace: Workspace, attempt: Attempt) -> None:
    """Append one attempt.

    Raises:
        OSError: the workspace cannot be written to.
    """
    path = workspace.root / LOG
    path.parent.mkdir(exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    try:
        # One call, so that two checks at a time do not mix their lines.
        os.write(descriptor, _line_end(descriptor) + msgspec.json.encode(attempt) + b"\n")
    finally:
        os.close(descriptor)


def _line_end(descriptor: int) -> bytes:
    """What is missing of the last line's end, if it was cut short."""
    size = os.fstat(descriptor).st_size
    return b"" if not size or os.pread(descriptor, 1, size - 1) == b"\n" else b"\n"


def attempts(workspace: Workspace, lesson: str) -> list[Attempt]:
    """The attempts at one lesson, oldest first."""
    return [attempt for attempt in _read(workspace.root / LOG) if attempt.lesson == lesson]


def any_attempt(workspace: Workspace) -> bool:
    """Whether anything has been tried in this workspace yet."""
    return bool(_read(workspace.root / LOG))


def has_passed(tried: list[Attempt], module: str, submission: str, lesson: str) -> bool:
    """Whether the log holds a pass of exactly these files."""
    wanted = (module, submission, lesson)
    return any(
        attempt.passed and (attempt.module_sha256, attempt.submission_sha256, attempt.lesson_sha256) == wanted
        for attempt in tried
    )


def _read(path: Path) -> list[Attempt]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            found.append(msgspec.json.decode(line, type=Attempt))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue
    return found
