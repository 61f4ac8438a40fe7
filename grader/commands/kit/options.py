"""What the kinds of kits have in common: their options, and which lesson they are for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from grader.commands.feedback_options import LEVELS
from grader.commands.options import SANDBOX_MODES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from grader.commands.options import Common
    from grader.lesson import Lesson

PLAIN = r"[A-Za-z0-9][A-Za-z0-9._-]*"


def kit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --lesson, --feedback, --sandbox and --force."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option("--lesson", "lesson_id", metavar="LESSON", help="The lesson; the course's only one may be left out."),
    click.option("--feedback", type=click.Choice(LEVELS), default="hints", show_default=True,
                 help="How much of the faults learners are told."),
    click.option("--sandbox", type=click.Choice(SANDBOX_MODES), default="require", show_default=True,
                 help="What runs may not do on the service's machine, as for `ol check`."),
    click.option("--force", is_flag=True, help="Replace a file that is there."),
)  # fmt: skip


def lesson_for(course: Path | None, lesson_id: str | None) -> Lesson:
    """The lesson that a kit is for.

    Raises:
        click.UsageError: none was named, and there are several.
        GraderError: there is no such lesson, or its data are wrong.
    """
    from grader.lesson import find_course, lesson_ids, load_lesson  # noqa: PLC0415 - help needs no lesson

    folder = find_course(course)
    known = lesson_ids(folder)
    if lesson_id is None and len(known) != 1:
        raise click.UsageError(f"name the lesson with --lesson; there are: {', '.join(known)}")
    lesson = load_lesson(folder, lesson_id or known[0])
    if not re.fullmatch(PLAIN, lesson.id):
        raise click.UsageError(
            f"no kit can be made for a lesson named {lesson.id!r}: its name goes into file names"
        )
    return lesson


def tell(common: Common, kind: str, lesson: Lesson, path: Path, then: str) -> None:
    """Say what was written, as a text and, where it was asked for, as JSON."""
    from grader.commands.delivery import put_json  # noqa: PLC0415 - help tells nothing
    from grader.console import put as put_line  # noqa: PLC0415 - as above

    made = {"kit": kind, "lesson": lesson.id, "lesson_sha256": lesson.sha256, "file": str(path)}
    put_json(made, common)
    if not common.json_only:
        put_line(f"{path}: grades {lesson.id} with the data {lesson.sha256}")
        put_line(f"Next: {then}")


def put(path: Path, data: bytes, *, force: bool) -> None:
    """Write a file of a kit; one with other content is replaced only by force.

    Raises:
        click.UsageError: it is there.
        UnreadableError: it cannot be written.
    """
    from grader.errors import UnreadableError  # noqa: PLC0415 - help writes nothing

    try:
        if path.exists() and not force and path.read_bytes() != data:
            raise click.UsageError(f"{path} is there already; --force replaces it")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        raise UnreadableError(error.filename or path, error.strerror or str(error)) from error
