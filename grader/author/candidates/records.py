"""What the workbench and the command say to one another. Both sides are the author's own, and so is all that they run."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from grader.workers.wire import Library, Module, SuiteFile  # noqa: TC001 - msgspec reads the annotations

if TYPE_CHECKING:
    import socket

HEADER = 4  # bytes of a record's length


class Setup(msgspec.Struct, frozen=True):
    """To the workbench, first: what it holds.

    Attributes:
        library: the course's package, without what programs replace.
        program: the reference's modules that programs replace.
        module: the one of them that candidates change.
        root: the folder of the course tests.
        files: their Python files.
        home: an empty folder for the workbench itself.
        probes: bodies of functions that return a value, tried on every program.
        names: a name in probes, to a module or `module:attribute`.
        jobs: candidates that run at a time.
    """

    library: Library
    program: list[Module]
    module: str
    root: str
    files: list[SuiteFile]
    home: str
    probes: list[str]
    names: dict[str, str]
    jobs: int


class Value(msgspec.Struct, frozen=True):
    """What a probe returned.

    Attributes:
        kind: `array`, `object` or `raised`.
        text: the shape, the text of the object, or the type of the error.
        numbers: the elements of an array, in C order.
    """

    kind: str
    text: str
    numbers: list[float]


class Ready(msgspec.Struct, frozen=True):
    """From the workbench: how the course tests went on the reference.

    Attributes:
        tests: node ids, in collection order.
        reached: for each test, the lines of the module that it executes.
        problem: why no candidate can be tried; empty: all is well.
        probes: the reference's values.
    """

    tests: list[str]
    reached: list[list[int]]
    probes: list[Value]
    problem: str = ""


class Try(msgspec.Struct, frozen=True):
    """To the workbench: a program.

    Attributes:
        key: says which, in the answer.
        source: the module's text.
        tests: by index, those that can tell it from the reference.
        probe: whether the values of the probes are wanted.
    """

    key: int
    source: str
    tests: list[int]
    probe: bool


class Ending(enum.StrEnum):
    """How a candidate's process ended."""

    COMPLETED = "completed"
    NOT_IMPORTED = "not_imported"  # the module raises while it is imported
    UNFIT = "unfit"  # it cannot take the reference's place in a live process
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASHED = "crashed"


class Failure(msgspec.Struct, frozen=True, tag=True):
    """A test that failed on a program.

    Attributes:
        key: the program's.
        test: its index.
        inside: the error was raised in the program, and not by the test.
        message: what was raised.
    """

    key: int
    test: int
    inside: bool
    message: str


class Tried(msgspec.Struct, frozen=True):
    """From the workbench: what became of a program; `probes` is empty unless they were asked for and it got to its end."""

    key: int
    ending: Ending
    detail: str
    failures: list[Failure]
    probes: list[Value]


class Said(msgspec.Struct, frozen=True, tag=True):
    """From a candidate's process to the workbench: the last word on a program."""

    key: int
    ending: Ending
    detail: str
    probes: list[Value]


class Closed(msgspec.Struct, frozen=True, tag=True):
    """From a process of several candidates: all have been tried, and `sound`: the reference passes after them."""

    sound: bool


T = TypeVar("T")


class Channel(Generic[T]):
    """A socket on which whole records travel; what comes in is of one type."""

    def __init__(self, sock: socket.socket, kind: type[T]) -> None:
        self.sock = sock
        self._decoder: msgspec.msgpack.Decoder[T] = msgspec.msgpack.Decoder(kind)

    def send(self, record: msgspec.Struct) -> None:
        """Send a record."""
        self.sock.sendall(framed(record))

    def receive(self) -> T:
        """Wait for a record.

        Raises:
            EOFError: the other side is gone.
        """
        return self._decoder.decode(self._exactly(int.from_bytes(self._exactly(HEADER), "big")))

    def _exactly(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            part = self.sock.recv(size - len(data))
            if not part:
                raise EOFError
            data += part
        return bytes(data)


def framed(record: msgspec.Struct) -> bytes:
    """A record with its length in front."""
    body = msgspec.msgpack.encode(record)
    return len(body).to_bytes(HEADER, "big") + body


def unframed(data: bytes) -> list[Failure | Said | Closed]:
    """The whole records at the start of what a candidate's process wrote; one that was cut short is left out."""
    found: list[Failure | Said | Closed] = []
    while len(data) >= HEADER and len(data) >= (end := HEADER + int.from_bytes(data[:HEADER], "big")):
        found.append(_told.decode(data[HEADER:end]))
        data = data[end:]
    return found


_told: msgspec.msgpack.Decoder[Failure | Said | Closed] = msgspec.msgpack.Decoder(Failure | Said | Closed)
