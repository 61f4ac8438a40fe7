"""`ol kit github`: a workflow that grades on GitHub Actions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.kit.options import kit_options, lesson_for, put, tell
from grader.commands.options import FOLDER, common

if TYPE_CHECKING:
    from grader.commands.options import Common


@click.command(short_help="A workflow for GitHub Actions.")
@click.option(
    "--out", type=FOLDER, default=Path(), metavar="DIR", help="The repository's folder; else this one."
)
@click.option(
    "--install", metavar="REQUIREMENT", default="", help="How pip gets ol; else by name and version."
)
@kit_options
@common
def command(
    common: Common,
    *,
    out: Path,
    install: str,
    lesson_id: str | None,
    feedback: str,
    sandbox: str,
    force: bool,
) -> int:
    """Write .github/workflows/ol-LESSON.yml: it grades the tests of each push and pull request.

    The tests run in a job without any permission or secret. Another job checks the report (its size and schema, the
    lesson, the hash of the lesson's data) before it shows it and comments on the pull request.

    With --course, the course must lie in the repository, and travels with it; without, it comes with ol.

    \b
    Examples:
      ol kit github --lesson L7.1
      ol kit github --lesson L7.1 --install "ol-grader[hypothesis] @ git+https://example.org/ol@v1"
    """
    from grader.kits.github import Settings, file_name, workflow  # noqa: PLC0415 - help makes none

    lesson = lesson_for(common.course, lesson_id)
    course = _in_repository(lesson.root, out) if common.course is not None else ""
    text = workflow(lesson, Settings(feedback, sandbox, _one_line(install), course))
    path = out / file_name(lesson)
    put(path, text.encode(), force=force)
    tell(common, "github", lesson, path, "commit it to the default branch.")
    return 0


def _in_repository(course: Path, repository: Path) -> str:
    root = repository.resolve()
    if not course.is_relative_to(root) or course == root:
        raise click.UsageError(f"the course {course} does not lie in a folder of the repository {root}")
    return course.relative_to(root).as_posix()


def _one_line(install: str) -> str:
    if not install.isprintable():
        raise click.UsageError("--install is one line, as in a file of requirements")
    return install
