"""What `ol check`, `ol tests` and `ol diff` have in common: one check, from the options to its log and its report."""

from __future__ import annotations

import importlib
import secrets
from typing import TYPE_CHECKING, Any

from grader.commands.options import TIMEOUT, cores
from grader.errors import ExitCode, GraderError, UnreadableError, mistake_of_ours

if TYPE_CHECKING:
    from grader.commands.delivery import Delivery
    from grader.commands.options import Common
    from grader.pipeline import Checked, Request
    from grader.progress import Progress
    from grader.workers.pool import Server

REPORTED = frozenset({ExitCode.COURSE, ExitCode.HARNESS})
SEED_BITS = 32


def checked(common: Common, places: Delivery, **asked: Any) -> tuple[Checked, Request]:
    """Make a check; an error of the course or of the house is reported before it is raised.

    Args:
        common: what every command may be told.
        places: where a report of an error goes.
        asked: fields of `Request`; `seed`, `timeout`, `jobs` and `matrix` become its options.

    Raises:
        GraderError: there is no report of a check.
    """
    if asked.get("seed") is None:
        asked["seed"] = secrets.randbits(SEED_BITS)
    try:
        return _checked(common, dict(asked, meanwhile=_load_screen if places.screen else _load_nothing))
    except GraderError as error:
        if error.exit_code in REPORTED:
            _report_error(asked, error, places)
        raise
    except Exception as error:
        mistake = mistake_of_ours(error)
        _report_error(asked, mistake, places)
        raise mistake from error


def _load_screen() -> None:
    """What prints the report; it takes long to import."""
    importlib.import_module("grader.writers.terminal")


def _load_nothing() -> None:
    """Nothing."""


def _checked(common: Common, asked: dict[str, Any]) -> tuple[Checked, Request]:
    # The server first: it imports numpy and pytest while this process imports and reads what it needs.
    from grader.workers.pool import Server  # noqa: PLC0415 - see above

    with Server(asked.pop("sandbox", "auto")) as server:
        from grader.console import progress  # noqa: PLC0415 - see above

        with progress(no_color=common.no_color) as shown:
            return _on(server, common, asked, shown)


def _on(server: Server, common: Common, asked: dict[str, Any], shown: Progress) -> tuple[Checked, Request]:
    from grader.pipeline import check  # noqa: PLC0415 - see above

    wanted = _request(common, asked, shown)
    return check(wanted, server), wanted


def _request(common: Common, asked: dict[str, Any], shown: Progress) -> Request:
    from grader import pipeline  # noqa: PLC0415 - loaded once the server is started
    from grader.grading import Options  # noqa: PLC0415 - as above
    from grader.lesson import find_course  # noqa: PLC0415 - as above

    options = Options(
        seed=asked.pop("seed"),
        timeout=asked.pop("timeout", TIMEOUT),
        jobs=asked.pop("jobs", None) or cores(),
        every_killer=asked.pop("matrix", False),
    )
    return pipeline.Request(
        course=find_course(common.course),
        options=options,
        workspace=common.workspace,
        ref_deps=common.ref_deps,
        progress=shown,
        **asked,
    )


def _report_error(asked: dict[str, Any], error: GraderError, places: Delivery) -> None:
    from grader.report_parts import error_report  # noqa: PLC0415 - only when there is an error to report

    try:
        places.deliver(error_report(asked["lesson"], asked["seed"], error))
    except UnreadableError as unwritten:
        from grader.console import say  # noqa: PLC0415 - as above

        say(f"ol: {unwritten.message}")  # beside the error itself, which says more


def log_attempt(done: Checked, wanted: Request) -> bool:
    """Log the attempt, if it is one; whether it is the workspace's first."""
    from grader import attempts  # noqa: PLC0415 - only after a check

    if done.workspace is None or wanted.tests is not None:
        return False
    first = not attempts.any_attempt(done.workspace)
    try:
        attempts.record(done.workspace, attempts.attempt_of(done.report, done.module_sha256, wanted.only))
    except OSError as error:
        from grader.console import say  # noqa: PLC0415 - only when there is something to say

        say(f"ol: the attempt could not be logged in {done.workspace.root}: {error.strerror}")
    return first
