"""What runs the tasks of a batch, here or elsewhere: the interface, and what every executor has to do alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

import msgspec

from grader.classroom.task import Outcome, Task
from grader.errors import GraderError, HarnessError, mistake_of_ours
from grader.report_parts import error_report
from grader.submission.model import sha256_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from grader.lesson import Lesson
    from grader.suite_grader import Settings, SuiteGrader

MOST_ATTEMPTS = 3  # how often a submission is begun whose worker or server was lost


@dataclass(frozen=True)
class Work:
    """What every worker of a batch needs once: the lesson, as data, and how suites are graded."""

    lesson: Lesson
    settings: Settings


class Executor(Protocol):
    """Runs tasks. Use as a context manager: at its end no process of it is left, nor any file.

    Whoever makes one gives it the batch's `Work`.
    """

    def run(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """Yield one outcome for each task, as they come.

        Tasks are taken from the iterable only when there is a worker for them soon, and in the thread that iterates: it
        reads submissions from disk. A worker that is lost is replaced, and its task begun anew, at most `MOST_ATTEMPTS`
        times in all; then, or when the grader fails on it so often, its outcome is that of `given_up`.

        Raises:
            GraderError: there can be no worker.
        """

    def __enter__(self) -> Self: ...

    def __exit__(self, *_error: object) -> None: ...


def graded(grader: SuiteGrader, task: Task) -> Outcome:
    """Grade a task, in a worker.

    Raises:
        GraderError: the machine or the grader failed: whoever called starts anew, with another `SuiteGrader`.
    """
    if task.lesson_sha256 != grader.lesson.sha256:
        raise HarnessError("the worker has another version of the lesson than the batch")
    if task.submission.sha256 != sha256_of(task.submission.files, task.submission.findings):
        raise HarnessError("the submission that reached the worker is not the one that was sent")
    try:
        report = grader.grade(task.submission, task.seed, task.program)
    except GraderError:
        raise
    except Exception as error:
        raise mistake_of_ours(error) from error
    return Outcome(key=task.key, report=msgspec.json.encode(report))


def given_up(work: Work, task: Task, error: GraderError) -> Outcome:
    """The outcome of a task that no worker could grade: status `error`, no grade, no attempt used."""
    report = msgspec.structs.replace(
        error_report(work.lesson.id, task.seed, error),
        submission_sha256=task.submission.sha256,
        lesson_sha256=work.lesson.sha256,
    )
    return Outcome(key=task.key, report=msgspec.json.encode(report))


def worker_lost(reason: str, attempts: int = MOST_ATTEMPTS) -> HarnessError:
    """The error of a task whose worker ended, again and again, while it had it."""
    return HarnessError(
        f"the worker that graded this submission was lost {attempts} times ({reason})",
        "Look for what ends processes on this machine, such as a lack of memory, and run the command again.",
    )
