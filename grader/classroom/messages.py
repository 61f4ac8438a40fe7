"""What a batch and its worker processes on this machine say to one another: msgpack, one message at a time.

Only processes of ours talk here. A worker reads what a suite's runs say through `grader.workers.wire`, which trusts
nothing; what it sends on is a report.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from grader.classroom.task import Outcome, Task
from grader.lesson import Lesson  # noqa: TC001 - msgspec reads the annotations when it decodes
from grader.suite_grader import Settings  # noqa: TC001 - as above

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class Setup(msgspec.Struct, frozen=True):
    """To a worker, once it has started: what all its tasks have in common."""

    lesson: Lesson
    settings: Settings


class Started(msgspec.Struct, frozen=True, tag=True):
    """From a worker, first: it listens."""


class Ready(msgspec.Struct, frozen=True, tag=True):
    """From a worker, once it can take a task.

    Attributes:
        temp: its temporary folder, to be removed by whoever outlives it.
    """

    temp: str


class Unable(msgspec.Struct, frozen=True, tag=True):
    """From a worker that cannot grade here: no worker on this machine can.

    Attributes:
        missing: the layers of the sandbox that were required and are not there.
    """

    message: str
    hint: str
    missing: tuple[str, ...] = ()


class Failed(msgspec.Struct, frozen=True, tag=True):
    """From a worker for which a grading failed, through no fault of the submission's; the worker ends."""

    message: str
    hint: str


Reply = Started | Ready | Unable | Failed | Outcome


def _encoded(value: object) -> object:
    if isinstance(value, Path):
        return os.fsencode(value)  # as text it may hold what no UTF-8 can
    raise NotImplementedError(type(value))


def _decoded(kind: type, value: Any) -> object:
    if issubclass(kind, Path):
        return Path(os.fsdecode(value))
    raise NotImplementedError(kind)


_encoder = msgspec.msgpack.Encoder(enc_hook=_encoded)
_setup = msgspec.msgpack.Decoder(Setup, dec_hook=_decoded)
_task = msgspec.msgpack.Decoder(Task)
_outcome = msgspec.msgpack.Decoder(Outcome)
_reply: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def encoded(message: Setup | Task | Reply) -> bytes:
    """A message, for whatever carries bytes."""
    return _encoder.encode(message)


def setup_from(data: bytes) -> Setup:
    """What was encoded.

    Raises:
        msgspec.MsgspecError: it was something else.
    """
    return _setup.decode(data)


def task_from(data: bytes) -> Task:
    """As `setup_from`, for a task."""
    return _task.decode(data)


def outcome_from(data: bytes) -> Outcome:
    """As `setup_from`, for an outcome."""
    return _outcome.decode(data)


def send(connection: Connection, message: Setup | Task | Reply) -> None:
    """Send one message.

    Raises:
        OSError: the other side is gone.
    """
    connection.send_bytes(encoded(message))


def receive_setup(connection: Connection) -> Setup:
    """The first message to a worker.

    Raises:
        EOFError: the batch is gone.
    """
    return _setup.decode(connection.recv_bytes())


def receive_task(connection: Connection) -> Task:
    """A later message to a worker.

    Raises:
        EOFError: there are no more.
    """
    return _task.decode(connection.recv_bytes())


def receive_reply(connection: Connection) -> Reply:
    """A message from a worker.

    Raises:
        EOFError: it is gone.
        OSError: as above.
    """
    return _reply.decode(connection.recv_bytes())
