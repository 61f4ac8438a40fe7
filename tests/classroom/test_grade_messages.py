"""What a batch and a worker say to one another, from the worker's side of the connection."""

from __future__ import annotations

import errno
import os
import threading
from multiprocessing import Pipe
from typing import TYPE_CHECKING

import msgspec
import pytest

from grader.classroom import messages
from grader.classroom.local import _unable
from grader.classroom.messages import Ready, Setup, Started, Unable
from grader.classroom.serving import serve
from grader.classroom.task import Outcome
from grader.errors import HarnessError, SandboxUnavailableError
from grader.lesson import load_lesson
from grader.suite_grader import Settings
from tests.classroom.school import lay_course, task

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection
    from pathlib import Path

    from grader.lesson import Lesson


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    return load_lesson(lay_course(tmp_path / "course"), "W1")


@pytest.fixture
def batch() -> Iterator[Connection]:
    """A connection to a worker, which is a thread here."""
    ours, theirs = Pipe()

    def work() -> None:
        with theirs:
            serve(theirs)

    thread = threading.Thread(target=work)
    thread.start()
    yield ours
    ours.close()
    thread.join()


def test_a_lesson_arrives_as_it_was_sent(lesson: Lesson) -> None:
    ours, theirs = Pipe()
    with ours, theirs:
        messages.send(ours, Setup(lesson, Settings(timeout=3.5, witnesses=True)))
        assert messages.receive_setup(theirs) == Setup(lesson, Settings(timeout=3.5, witnesses=True))


def test_a_course_arrives_whatever_its_folder_is_called(tmp_path: Path) -> None:
    lesson = load_lesson(lay_course(tmp_path / os.fsdecode(b"\xff")), "W1")
    assert messages.setup_from(messages.encoded(Setup(lesson, Settings()))) == Setup(lesson, Settings())


def test_a_worker_starts_takes_the_lesson_grades_and_ends(batch: Connection, lesson: Lesson) -> None:
    assert messages.receive_reply(batch) == Started()
    messages.send(batch, Setup(lesson, Settings()))
    assert isinstance(messages.receive_reply(batch), Ready)
    messages.send(batch, task(lesson, "a"))
    outcome = messages.receive_reply(batch)
    assert isinstance(outcome, Outcome)
    assert (outcome.key, outcome.decoded.status) == ("a", "passed")


def test_a_worker_ends_when_the_batch_goes_before_it_has_said_what_to_do(batch: Connection) -> None:
    """That it ends is waited for by the fixture."""
    assert messages.receive_reply(batch) == Started()


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (SandboxUnavailableError(["landlock"]), SandboxUnavailableError),
        (HarnessError("the server is gone"), HarnessError),
        (OSError(errno.ENOSPC, "No space left on device"), HarnessError),
    ],
    ids=["sandbox", "harness", "disk"],
)
def test_a_worker_that_cannot_grade_here_says_why(
    batch: Connection,
    lesson: Lesson,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    told: type[HarnessError | SandboxUnavailableError],
) -> None:
    def refuse(*_arguments: object) -> None:
        raise error

    monkeypatch.setattr("grader.classroom.serving.SuiteGrader", refuse)
    assert messages.receive_reply(batch) == Started()
    messages.send(batch, Setup(lesson, Settings()))
    reply = messages.receive_reply(batch)
    assert isinstance(reply, Unable)
    raised = _unable(reply)
    assert type(raised) is told
    assert str(getattr(error, "strerror", None) or error).rstrip(".") in raised.message


def test_what_is_no_message_is_refused() -> None:
    ours, theirs = Pipe()
    with ours, theirs:
        ours.send_bytes(msgspec.msgpack.encode({"type": "Nonsense"}))
        with pytest.raises(msgspec.ValidationError):
            messages.receive_reply(theirs)
