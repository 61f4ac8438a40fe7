"""What can go wrong, each as a class that knows its slug, its exit code and what to do about it.

Every slug has a section in `docs/errors.md`. Raise these; one place, the command line, prints them.
"""

import enum
import shlex
import sys
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


class UnknownFaultError(GraderError):
    """The course, or the lesson that was named, has no fault of this name."""

    slug = "unknown-fault"
    exit_code = ExitCode.USAGE

    def __init__(self, name: str, known: Sequence[str]) -> None:
        there = f"The faults here: {', '.join(known)}." if known else "There are no faults here."
        super().__init__(f"There is no fault {name!r}.", there)


class AmbiguousFaultError(GraderError):
    """Several faults have the name that was given."""

    slug = "ambiguous-fault"
    exit_code = ExitCode.USAGE

    def __init__(self, name: str, candidates: Sequence[str]) -> None:
        super().__init__(
            f"{name!r} names several faults: {', '.join(candidates)}.", "Give one of these names in full."
        )


class EditorError(GraderError):
    """The editor of an author could not be started, or ended in failure."""

    slug = "editor"
    exit_code = ExitCode.USAGE

    def __init__(self, editor: str, reason: str) -> None:
        super().__init__(
            f"The editor `{editor}` {reason}.",
            "Name one in VISUAL or EDITOR, with its option to wait (`code --wait`), or give `--edited FILE`.",
        )


class ReadOnlyCourseError(GraderError):
    """The course's files cannot be changed."""

    slug = "read-only-course"
    exit_code = ExitCode.USAGE

    def __init__(self, path: Path | str, reason: str, course: Path | str) -> None:
        super().__init__(
            f"{path} cannot be written: {reason}.",
            f"Work on a copy: `cp -r {course} my-course`, then add `--course my-course`.",
        )


class NameNotUsableError(GraderError):
    """A name that was given cannot be used for what it should name."""

    slug = "name-not-usable"
    exit_code = ExitCode.USAGE

    def __init__(self, name: str, what: str, form: str) -> None:
        super().__init__(f"{name!r} cannot be the name of {what}.", f"Use {form}.")


class LessonExistsError(GraderError):
    """A lesson, or the module of one, is there already."""

    slug = "lesson-exists"
    exit_code = ExitCode.USAGE

    def __init__(self, name: str, hint: str) -> None:
        super().__init__(f"{name} is there already, and stays as it is.", hint)


class HalfMadeLessonError(GraderError):
    """Some parts of a lesson are there, and others are not."""

    slug = "half-made-lesson"
    exit_code = ExitCode.COURSE

    def __init__(self, lesson: str, there: Sequence[str], missing: Sequence[str]) -> None:
        lines = "".join(f"\n      {each}" for each in missing)
        super().__init__(
            f"{lesson} is half made: there is {', '.join(there)}, and there is not:{lines}",
            "Add what is missing, or take away what is there and begin again. Nothing was written.",
        )


class FaultEditError(GraderError):
    """What an author made of the reference is no fault."""

    slug = "fault-edit"
    exit_code = ExitCode.COURSE

    def __init__(self, file: str, reason: str, hint: str = "") -> None:
        super().__init__(f"{file}: {reason}.", hint or "Nothing was written. Edit the file again.")


class MissingExtraError(GraderError):
    """A command needs a package that comes with one of the installation's extras."""

    slug = "missing-extra"
    exit_code = ExitCode.HARNESS

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"This command needs {package}, which is not installed.",
            f"Run `{shlex.quote(sys.executable)} -m pip install 'ol-grader[{extra}]'`.",
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
            "This is an error in the course, not in a learner's work. Learners: tell the author of the lesson. "
            "Authors: mend it, then run `ol lesson verify`.",
        )
        self.file = file
        self.key = key
        self.reason = reason


class UnknownOperatorError(GraderError):
    """`--operators` names one that there is not."""

    slug = "unknown-operator"
    exit_code = ExitCode.USAGE

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"There is no operator {name!r}.", f"The operators: {', '.join(known)}.")


class UnknownCandidateError(GraderError):
    """No candidate has the name that was given, or several begin with it."""

    slug = "unknown-candidate"
    exit_code = ExitCode.USAGE

    def __init__(self, name: str, lesson: str | None, several: Sequence[str]) -> None:
        found = f"{name!r} is the start of several: {', '.join(several)}." if several else ""
        super().__init__(
            found or f"There is no candidate {name!r}{f' of {lesson}' if lesson else ''}.",
            "`ol mutants suggest LESSON` lists them. A name changes with the text that the candidate replaces.",
        )


class NoCandidatesError(GraderError):
    """There is nothing to make a pool of."""

    slug = "no-candidates"
    exit_code = ExitCode.FAILED

    def __init__(self, lesson: str) -> None:
        super().__init__(
            f"No candidate of {lesson} is killed by a course test.",
            "Leave out `--operators`, or write course tests first: a pool holds what can be killed.",
        )


class PinnedLessonError(GraderError):
    """The lesson's data are not those that were pinned."""

    slug = "pinned-lesson"
    exit_code = ExitCode.COURSE

    def __init__(self, lesson: str, pinned: str, found: str) -> None:
        super().__init__(
            f"The data of {lesson} are not those that were pinned: their hash is {found or 'missing'}, not {pinned}.",
            "Grade with the course as it was handed out, or, if you changed it on purpose, pin the new hash.",
        )


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


class ClusterError(GraderError):
    """A cluster cannot be reached, is gone, or cannot grade."""

    slug = "cluster"
    exit_code = ExitCode.HARNESS


class StoreBusyError(GraderError):
    """Another run writes the grades of this folder."""

    slug = "store-busy"
    exit_code = ExitCode.USAGE

    def __init__(self, out: Path | str, holder: str) -> None:
        super().__init__(
            f"{out} is in use by another run ({holder}).",
            "Wait until it has ended, or give this run another --out. A run that was killed holds nothing.",
        )


class StoreNewerError(GraderError):
    """The grades in a folder were written by a newer version of the program."""

    slug = "store-newer"
    exit_code = ExitCode.USAGE

    def __init__(self, file: Path | str, version: int, known: int) -> None:
        super().__init__(
            f"{file} has format {version}, and this version of ol reads up to {known}.",
            "Use the version of ol that wrote it, or a newer one; nothing was changed.",
        )


class StoreError(GraderError):
    """The grades of a class cannot be kept: a full disk, a damaged file."""

    slug = "store"
    exit_code = ExitCode.HARNESS

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(
            f"{path} cannot be written or read: {reason}.",
            "Mend the cause, or restore a damaged file from a copy, and run the command again: it goes on from there.",
        )
