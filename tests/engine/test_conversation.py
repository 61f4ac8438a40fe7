"""One run seen from the grader: what it looks at and when it stops, with a keeper that is played by the test."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import TYPE_CHECKING

import pytest

from grader.errors import HarnessError
from grader.run import Ending
from grader.runner import any_failure
from grader.workers import wire
from grader.workers.conversation import Job, KeeperGone, Slot
from grader.workers.wire import Collected, Ended, Finished, Gone, Link, Loading, Outcome, Start, Started, Stop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from grader.run import RunResult, Transcript

RUN = wire.Run([], wire.Order.COLLECTION, 0, "aa")
TESTS = ["test_a.py::test_1", "test_a.py::test_2", "test_a.py::test_3"]
BEGUN = (Loading("test_a.py"), Collected(TESTS, last=True))


def failed(index: int) -> tuple[wire.Record, ...]:
    return Started(index), Finished(index, Outcome.FAILED, "no", "")


def stream(*records: wire.Record) -> bytes:
    return b"".join(wire.frame(record) for record in records)


@contextlib.contextmanager
def keeper(act: Callable[[Link, socket.socket], None]) -> Iterator[Slot]:
    """A slot whose keeper is a thread: it takes the start and the program, then does what `act` says."""
    ours, theirs = socket.socketpair()

    def serve() -> None:
        link = Link(theirs)
        _start, (descriptor,) = link.receive(Start)
        with socket.socket(fileno=descriptor) as channel:
            while channel.recv(1 << 16):
                pass
            act(link, channel)
        # As the real one does, it stays until the grader is gone; a late `Stop` is nothing to it.
        with contextlib.suppress(EOFError, OSError):
            while True:
                link.receive_any()
        link.close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield Slot(Link(ours), lambda: False)
    finally:
        ours.close()
        thread.join()


def result(
    act: Callable[[Link, socket.socket], None], watch: Callable[[Transcript], bool] | None = None
) -> RunResult:
    with keeper(act) as slot:
        return slot.run(Job(RUN, 60, watch=watch), ["test_a.py"])


def says(*records: wire.Record) -> Callable[[Link, socket.socket], None]:
    """Say it all at once, and end."""

    def act(link: Link, channel: socket.socket) -> None:
        channel.sendall(stream(*records))
        channel.shutdown(socket.SHUT_WR)
        link.send(Gone(0, 0, 0.0))

    return act


def says_until_stopped(*records: wire.Record) -> Callable[[Link, socket.socket], None]:
    def act(link: Link, channel: socket.socket) -> None:
        channel.sendall(stream(*records))
        link.receive(Stop)
        channel.sendall(stream(*failed(2)))
        link.send(Gone(9, 0, 0.0))

    return act


def test_what_comes_after_the_record_that_was_waited_for_is_not_looked_at() -> None:
    """How much of it has come by then is chance, and a report must not follow from chance."""
    records = (*BEGUN, *failed(1), *failed(0))
    for act in (says_until_stopped(*records), says(*records, *failed(2), Ended(0))):
        run = result(act, any_failure)
        assert run.ending is Ending.STOPPED
        assert run.failed() == [TESTS[1]]


def test_without_anything_to_wait_for_all_is_taken_in() -> None:
    run = result(says(*BEGUN, *failed(1), *failed(0), Ended(0)))
    assert run.ending is Ending.COMPLETED
    assert run.failed() == TESTS[:2]


def test_a_malformed_record_stops_the_run() -> None:
    def act(link: Link, channel: socket.socket) -> None:
        channel.sendall(stream(*BEGUN) + b"\xff" * 8)
        link.receive(Stop)
        link.send(Gone(9, 0, 0.0))

    assert result(act).ending is Ending.CRASHED


def test_a_run_of_which_nothing_of_the_suite_had_run_is_the_houses_failure() -> None:
    for records in ((), (wire.Trouble("no memory"),)):
        with pytest.raises(HarnessError):
            result(says(*records))


def test_a_keeper_that_ends_in_the_middle_of_a_run_is_noticed() -> None:
    def act(link: Link, channel: socket.socket) -> None:
        channel.sendall(stream(*BEGUN))
        link.close()

    with pytest.raises(KeeperGone):
        result(act)


def test_a_run_that_says_nothing_more_is_ended_at_its_deadline() -> None:
    def act(link: Link, channel: socket.socket) -> None:
        channel.sendall(stream(*BEGUN, Started(0)))
        link.receive(Stop)
        link.send(Gone(9, 0, 0.0))

    with keeper(act) as slot:
        run = slot.run(Job(RUN, 0.3), ["test_a.py"])
    assert run.ending is Ending.TIMEOUT
