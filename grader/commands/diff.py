"""`ol diff`: the learner's module beside the reference, once the lesson is passed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from grader.commands.checking import checked, log_attempt
from grader.commands.delivery import Delivery, put_json
from grader.commands.options import common
from grader.errors import ExitCode

if TYPE_CHECKING:
    from grader.commands.options import Common
    from grader.lesson import Lesson
    from grader.workspace import Workspace


@click.command(short_help="After passing: your module beside the reference.")
@click.argument("lesson")
@common
def command(common: Common, *, lesson: str) -> int:
    """Show your module of LESSON beside the reference, once `ol check` passes.

    If your log of attempts holds a pass of these very files, it is shown at once; otherwise they are checked
    first. Side by side in 100 columns or more, one after the other in fewer.

    \b
    Example:
      ol diff L7.1

    Exit codes: 0 shown, 1 the lesson is not passed yet.
    """
    from grader.lesson import find_course, load_lesson  # noqa: PLC0415 - help needs no lesson
    from grader.workspace import find_workspace  # noqa: PLC0415 - as above

    found = load_lesson(find_course(common.course), lesson)
    workspace = find_workspace(common.workspace, found.package)
    standing = _standing(common, found, workspace)
    texts = _texts(found, workspace) if standing.passed else ("", "")
    if common.json_path:
        _write_json(common, found, standing, texts)
    if common.json_only:
        return standing.exit_code
    _tell(common, found, standing, texts)
    return standing.exit_code


@dataclass(frozen=True)
class _Standing:
    passed: bool
    reason: str

    @property
    def exit_code(self) -> int:
        return ExitCode.PASSED if self.passed else ExitCode.FAILED


def _standing(common: Common, lesson: Lesson, workspace: Workspace) -> _Standing:
    if _logged(lesson, workspace):
        return _Standing(passed=True, reason="passed before, by the log of attempts")
    done, wanted = checked(common, Delivery((), screen=True), lesson=lesson.id)
    log_attempt(done, wanted)
    return _Standing(passed=done.report.status == "passed", reason=done.report.reason)


def _logged(lesson: Lesson, workspace: Workspace) -> bool:
    from grader.attempts import attempts, has_passed  # noqa: PLC0415 - help needs no log
    from grader.submission import read_submission  # noqa: PLC0415 - as above

    suite = workspace.tests(lesson)
    if not suite.exists():
        return False
    module = workspace.module_sha256(lesson)
    tried = attempts(workspace, lesson.id)
    return has_passed(tried, module, read_submission(suite).sha256, lesson.sha256)


def _texts(lesson: Lesson, workspace: Workspace) -> tuple[str, str]:
    import importlib.util  # noqa: PLC0415 - only here

    own = importlib.util.decode_source(workspace.source(lesson).read_bytes())
    return own, lesson.reference_modules[lesson.module].source


def _write_json(common: Common, lesson: Lesson, standing: _Standing, texts: tuple[str, str]) -> None:
    from grader.diff import unified  # noqa: PLC0415 - only here

    yours, reference = (text.rstrip("\n").split("\n") for text in texts)
    document = {
        "lesson": lesson.id,
        "passed": standing.passed,
        "reason": standing.reason,
        "diff": "\n".join(unified(yours, reference)),
    }
    put_json(document, common)


def _tell(common: Common, lesson: Lesson, standing: _Standing, texts: tuple[str, str]) -> None:
    from grader.console import make_console, put  # noqa: PLC0415 - not needed for JSON

    if not standing.passed:
        put(f"Not yet: `ol check {lesson.id}` does not pass. {standing.reason}.")
        put(f"Next: run `ol check {lesson.id}`, and see there what is left to do.")
        return
    from grader.writers.terminal import beside  # noqa: PLC0415 - only for a pass

    beside.show(*texts, make_console(no_color=common.no_color))
