"""What can go wrong, each as a class that knows its slug, its exit code and what to do about it.

Every slug has a section in `docs/errors.md`. Raise these; one place, the command line, prints them.
"""

import enum
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar


class ExitCode(enum.IntEnum):
    """How `ol` ends, as a CI job sees it."""

    PASSED = 0
    FAILED = 1
    USAGE = 2
    INVALID = 3
    COURSE = 4
    HARNESS = 70
    INTERRUPTED = 130


class GraderError(Exception):
    """Base of every error that ends a command with a message and not with a traceback.

    Attributes:
        slug: names the error's section in `docs/errors.md`.
        exit_code: how the command ends.
        message: one sentence, what happened.
        hint: what to do about it; may be empty.
    """

    slug: ClassVar[str]
    exit_code: ClassVar[ExitCode]

    # `args` stays what the subclass was called with, so that an error survives pickling to another process.
    def __init__(self, message: str, hint: str = "") -> None:
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message


class UnknownLessonError(GraderError):
    """The course has no lesson of this name."""

    slug = "unknown-lesson"
    exit_code = ExitCode.USAGE

    def __init__(self, name: str, known: Sequence[str]) -> None:
        there = f"The lessons here: {', '.join(known)}." if known else "This course has no lessons."
        super().__init__(f"There is no lesson {name!r} in this course.", there)


class PathNotFoundError(GraderError):
    """A path that was named on the command line does not exist."""

    slug = "path-not-found"
    exit_code = ExitCode.USAGE

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"{path} does not exist.", "Check the spelling and the folder that you are in.")


class UnreadableError(GraderError):
    """A file or folder that was named, or that the workspace holds, cannot be read or written."""

    slug = "unreadable"
    exit_code = ExitCode.USAGE

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(
            f"{path} cannot be used: {reason}.",
            "Check who owns it, what its permissions are and what it holds.",
        )


class NoSuchTestError(GraderError):
    """`-k` chooses no test."""

    slug = "no-such-test"
    exit_code = ExitCode.USAGE

    def __init__(self, expression: str, reason: str) -> None:
        super().__init__(
            f"`-k {expression}` chooses nothing: {reason}.",
            "Give a part of a test's name, as in `-k hand_example`; `ol tests LESSON` lists the names.",
        )


class WorkspaceNotFoundError(GraderError):
    """No workspace is found upward from a folder."""

    slug = "workspace-not-found"
    exit_code = ExitCode.USAGE

    def __init__(self, start: Path | str) -> None:
        super().__init__(
            f"There is no workspace in {start} or in a folder above it.",
            "Run `ol start LESSON` to make one here, or name one with `--workspace DIR`.",
        )


class CourseNotFoundError(GraderError):
    """A folder is not a course, or no course is to be found."""

    slug = "course-not-found"
    exit_code = ExitCode.USAGE

    def __init__(self, folder: Path | str, reason: str) -> None:
        super().__init__(
            f"{folder} is not a course: {reason}.",
            "Name a course with `--course DIR` or `OL_COURSE`, or install `ol` again for the one it ships with.",
        )


class LessonError(GraderError):
    """The course's own data is wrong; its author has to mend it, and nothing is graded.

    Attributes:
        file: relative to the course's folder, with forward slashes.
        key: the key in that file, or what about the file is wrong (`toml`, `syntax`, `encoding`, …).
        reason: why it cannot be used.
    """

    slug = "lesson-data"
    exit_code = ExitCode.COURSE

    def __init__(self, file: str, key: str, reason: str) -> None:
        super().__init__(
            f"{file}: {key}: {reason}",
            "This is an error in the course and not in your work: tell the author of the lesson.",
        )
        self.file = file
        self.key = key
        self.reason = reason


class HarnessError(GraderError):
    """The grader itself or the machine failed: no grade is given and no attempt is used."""

    slug = "harness"
    exit_code = ExitCode.HARNESS


def mistake_of_ours(error: Exception) -> HarnessError:
    """An exception that no one foresaw, as what it is: a failure of the grader."""
    return HarnessError(
        f"A part of ol failed: {type(error).__name__}: {error}.",
        "Run the command again with --debug, and report what it prints.",
    )


class SandboxUnavailableError(GraderError):
    """`--sandbox require` was given on a machine that cannot give it."""

    slug = "sandbox-unavailable"
    exit_code = ExitCode.HARNESS

    def __init__(self, missing: Sequence[str]) -> None:
        super().__init__(
            f"`--sandbox require` was given, and this machine lacks: {', '.join(missing)}.",
            "`ol doctor` says what this machine can do; `--sandbox auto` uses what there is.",
        )
