"""What processes say to one another: closed record types in length-prefixed frames.

Whatever comes from a run may have been written by a hostile suite. So a record is decoded against one closed,
typed union, is capped in size, and a stream is capped in number: anything else is `Malformed`, never a guess.
No pickle, marshal or eval anywhere.
"""

from __future__ import annotations

import enum
import socket
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_FRAME = 64 * 1024  # bytes in one record of a run
MAX_STREAM = 32 * 1024 * 1024  # bytes in all records of a run
MAX_TESTS = 20_000
MAX_TEXT = 4_000  # characters of a message
MAX_ID = 1_000  # characters of a test's node id
HEADER = 4


class Malformed(Exception):  # noqa: N818 - a verdict on bytes; no failure of ours
    """Bytes that are no record of this protocol."""


class Record(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Base of everything that travels."""


# --------------------------------------------------------------------------- grader -> server, host, keeper, run


class Module(msgspec.Struct, frozen=True, array_like=True):
    """One module of the course's package.

    Attributes:
        name: its dotted name.
        source: its text; empty where there is `code`.
        is_package: whether it is a package's own module.
        code: what the text compiles to, as marshal writes it, for a module that is handed out more than once.
    """

    name: str
    source: str
    is_package: bool = False
    code: bytes = b""


class Library(Record, frozen=True):
    """To the server: the course's package. Modules in `late` are loaded only in a run, after its program."""

    modules: list[Module]
    late: list[str]


class NewHost(Record, frozen=True):
    """To the server, with one descriptor: fork a host that listens on it."""


class SuiteFile(msgspec.Struct, frozen=True, array_like=True):
    """One Python file of a suite; `path` is relative to the suite's root, with `/`."""

    path: str
    data: bytes


class Rules(msgspec.Struct, frozen=True, array_like=True):
    """The static policy's parameters; None: the suite is the course's own, no policy applies."""

    imports: list[str]
    hypothesis_installed: bool


class Prepare(Record, frozen=True):
    """To the host: the suite. `root` is its place on disk when it lies there already (the course's own tests)."""

    files: list[SuiteFile]
    root_name: str
    home: str
    rules: Rules | None = None
    root: str | None = None


class NewKeeper(Record, frozen=True):
    """To the host, with one descriptor: fork a keeper that listens on it."""


class Order(enum.StrEnum):
    """The order in which the tests of a suite run."""

    COLLECTION = "collection"
    REVERSED = "reversed"
    SHUFFLED = "shuffled"


class Run(msgspec.Struct, frozen=True, array_like=True):
    """To a run, through its own channel: its one program and the setting."""

    program: list[Module]
    order: Order
    order_seed: int
    seed: str  # hex digest from which all randomness of the suite follows
    only: list[str] | None = None  # run these node ids alone
    whole: bool = False  # the program is all of the course's package, nothing of the library's is left


class Start(Record, frozen=True):
    """To a keeper, with the run's channel as descriptor: fork a run with these limits.

    `layers` are those of the sandbox (`sandbox.Layer`), the same in every `Start` to one keeper.
    """

    memory: int  # bytes of address space above what is mapped already
    cpu_seconds: int
    file_size: int  # bytes
    temp_size: int  # bytes of all files in the run's own folder
    layers: list[str]
    readable: list[str]  # paths that the run may read beside the suite and the installation


class Stop(Record, frozen=True):
    """To a keeper: kill the run."""


# --------------------------------------------------------------------------- host, keeper -> grader


# Rules about text that is no Python at all: such a suite does not load; no rule of the policy is broken.
SYNTAX = "syntax"
ENCODING = "encoding"


class Finding(msgspec.Struct, frozen=True, array_like=True):
    """One finding of the static policy, or a file that is no Python: `rule` says which."""

    file: str
    line: int
    rule: str
    message: str


class Reading(Record, frozen=True):
    """From the host: this file of the suite is read now; the empty name: all have been read."""

    file: str


class Prepared(Record, frozen=True):
    """From the host: what was found in the suite, and its test files in collection order."""

    findings: list[Finding]
    test_files: list[str]


class Gone(Record, frozen=True):
    """From a keeper: the run and all its descendants are dead. `status` is that of waitpid(2)."""

    status: int
    stray: int  # descendants that had to be killed
    cpu_seconds: float


# --------------------------------------------------------------------------- run -> grader


class Outcome(enum.StrEnum):
    """How one test ended. XPASSED_STRICT is a failure to pytest, but never the mark of a fault."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"
    XPASSED_STRICT = "xpassed_strict"
    OUT_OF_MEMORY = "out_of_memory"


class LoadEnding(enum.StrEnum):
    """Why a test file gave no tests."""

    RAISED = "raised"
    EXITED = "exited"
    SKIPPED = "skipped"
    OUT_OF_MEMORY = "out_of_memory"


class Loading(Record, frozen=True):
    """A file of the suite is about to be imported."""

    file: str


class NotLoaded(Record, frozen=True):
    """A test file, or a conftest that it needs, gave no tests. `where` is `file:line` in the suite, or empty."""

    file: str
    ending: LoadEnding
    message: str
    where: str


class Collected(Record, frozen=True):
    """All node ids in collection order. Sent once, in parts: `last` closes it."""

    tests: list[str]
    last: bool


class Started(Record, frozen=True):
    """The test with this index in `Collected` starts."""

    test: int


class Finished(Record, frozen=True):
    """The test ended."""

    test: int
    outcome: Outcome
    message: str
    where: str


class Broken(Record, frozen=True):
    """The session ended before all tests ran, since a test asked for it (`pytest.exit`, an interrupt)."""

    message: str


class Trouble(Record, frozen=True):
    """Our own code failed beside the suite's: the house's failure, as far as a run can be believed."""

    message: str


class Ended(Record, frozen=True):
    """The last record: all tests that were asked for have run. `draws` counts unseeded draws of randomness."""

    draws: int


Said = Loading | NotLoaded | Collected | Started | Finished | Broken | Trouble | Ended
Control = Library | NewHost | Prepare | NewKeeper | Start | Stop
Reply = Reading | Prepared | Gone

_encoder = msgspec.msgpack.Encoder()
encode = _encoder.encode
_said = msgspec.msgpack.Decoder(Said)
_control: msgspec.msgpack.Decoder[Control] = msgspec.msgpack.Decoder(Control)
_reply: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)
run_decoder = msgspec.msgpack.Decoder(Run)


def frame(record: Record) -> bytes:
    """`record` with its length in front."""
    body = encode(record)
    return len(body).to_bytes(HEADER, "big") + body


class Frames:
    """Cuts a byte stream into frames; holds at most one frame and what came with it."""

    def __init__(self, max_frame: int = MAX_FRAME, max_stream: int = MAX_STREAM) -> None:
        self._buffer = bytearray()
        self._max_frame = max_frame
        self._left = max_stream

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield each frame that `data` completes.

        Raises:
            Malformed: a frame or the stream is larger than allowed.
        """
        self._left -= len(data)
        if self._left < 0:
            raise Malformed("more bytes than a run may send")
        self._buffer += data
        while len(self._buffer) >= HEADER:
            size = int.from_bytes(self._buffer[:HEADER], "big")
            if size > self._max_frame:
                raise Malformed("a record larger than a run may send")
            if len(self._buffer) < HEADER + size:
                return
            body = bytes(self._buffer[HEADER : HEADER + size])
            del self._buffer[: HEADER + size]
            yield body

    @property
    def rest(self) -> int:
        """Bytes of a frame that was begun and not ended."""
        return len(self._buffer)


def decode_said(body: bytes) -> Said:
    """One record of a run.

    Raises:
        Malformed: the bytes are none of the record types, or break a cap.
    """
    try:
        record = _said.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Malformed(str(error)) from None
    if any(len(text) > MAX_TEXT for text in _texts(record)):
        raise Malformed("a text longer than a run may send")
    return record


def _texts(record: Said) -> Iterable[str]:
    if isinstance(record, Collected):
        return () if all(len(test) <= MAX_ID for test in record.tests) else ("x" * (MAX_TEXT + 1),)
    return [value for name in record.__struct_fields__ if isinstance(value := getattr(record, name), str)]


T = TypeVar("T", bound=Record)


class Link:
    """A socket between two of our own processes: whole records, some with descriptors.

    Args:
        sock: connected.
        decoder: of the records that may come; None: those of a grading's processes.
    """

    def __init__(self, sock: socket.socket, decoder: msgspec.msgpack.Decoder[Any] | None = None) -> None:
        self.sock = sock
        self._decoder = decoder or _any

    def send(self, record: Record, *descriptors: int) -> None:
        """Send a record; the receiver gets copies of `descriptors`."""
        data = frame(record)
        sent = socket.send_fds(self.sock, [data], descriptors) if descriptors else 0
        if sent < len(data):
            self.sock.sendall(data[sent:])

    def receive(self, kind: type[T]) -> tuple[T, list[int]]:
        """Wait for a record of one kind.

        Raises:
            EOFError: the other side is gone.
            TypeError: it is another kind of record.
        """
        record, descriptors = self.receive_any()
        if not isinstance(record, kind):
            msg = f"expected {kind.__name__}, got {type(record).__name__}"
            raise TypeError(msg)
        return record, descriptors

    def receive_any(self) -> tuple[Any, list[int]]:
        """Wait for a record and the descriptors that came with its header."""
        header, descriptors = self._header()
        body = self._exactly(int.from_bytes(header, "big"))
        return self._decoder.decode(body), descriptors

    def _header(self) -> tuple[bytes, list[int]]:
        data, descriptors, _flags, _address = socket.recv_fds(self.sock, HEADER, 8)
        if not data:
            raise EOFError
        return data + self._exactly(HEADER - len(data)), list(descriptors)

    def _exactly(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            data = self.sock.recv(min(size - len(parts), 1 << 20))
            if not data:
                raise EOFError
            parts += data
        return bytes(parts)

    def close(self) -> None:
        """Close the socket; the other side sees its end."""
        self.sock.close()


_any: msgspec.msgpack.Decoder[Control | Reply] = msgspec.msgpack.Decoder(Control | Reply)
