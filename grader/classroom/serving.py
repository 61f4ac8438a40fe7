"""What a worker process does: take the lesson, then grade one submission after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.classroom import messages
from grader.classroom.executor import graded
from grader.classroom.messages import Failed, Ready, Started, Unable
from grader.errors import GraderError, SandboxUnavailableError
from grader.suite_grader import SuiteGrader

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

SEE_DOCTOR = "Make room on this machine; `ol doctor` says what it can do."


def serve(batch: Connection) -> None:
    """Grade what comes, until the batch closes its side or a grading fails."""
    try:
        messages.send(batch, Started())
        setup = messages.receive_setup(batch)
        with _grader(setup, batch) as grader:
            messages.send(batch, Ready(grader.server.temp))
            while True:
                messages.send(batch, graded(grader, messages.receive_task(batch)))
    except (EOFError, OSError):
        return
    except GraderError as error:
        messages.send(batch, Failed(error.message, error.hint))


def _grader(setup: messages.Setup, batch: Connection) -> SuiteGrader:
    try:
        return SuiteGrader(setup.lesson, setup.settings)
    except GraderError as error:
        missing = tuple(error.args[0]) if isinstance(error, SandboxUnavailableError) else ()
        messages.send(batch, Unable(error.message, error.hint, missing))
        raise EOFError from error
    except OSError as error:
        messages.send(batch, Unable(f"No server can be started: {error.strerror or error}.", SEE_DOCTOR))
        raise EOFError from error
