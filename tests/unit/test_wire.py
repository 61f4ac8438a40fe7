"""Bytes from a run are hostile: each is a record of the closed set, within its caps, or it is `Malformed`."""

from __future__ import annotations

import socket
import tracemalloc

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.workers import wire
from grader.workers.wire import (
    Broken,
    Collected,
    Ended,
    Finished,
    Frames,
    Gone,
    LoadEnding,
    Loading,
    Malformed,
    Module,
    NewHost,
    NotLoaded,
    Outcome,
    Prepared,
    Record,
    Said,
    Started,
    Stop,
    Trouble,
    decode_said,
    encode,
    frame,
)

EXAMPLES: list[Said] = [
    Loading("test_a.py"),
    NotLoaded("test_a.py", LoadEnding.EXITED, "SystemExit: 0", "test_a.py:3"),
    Collected(["test_a.py::test_x[é\n]"], last=True),
    Started(0),
    Finished(0, Outcome.XPASSED_STRICT, "a message", "test_a.py:4"),
    Broken("stopped"),
    Trouble("ours"),
    Ended(2),
]


@pytest.mark.parametrize("record", EXAMPLES, ids=lambda record: type(record).__name__)
def test_each_record_of_a_run_comes_back_as_it_was_sent(record: Said) -> None:
    (body,) = Frames().feed(frame(record))
    assert decode_said(body) == record


@pytest.mark.parametrize("record", [NewHost(), Stop(), Gone(0, 0, 0.0), Prepared([], [])])
def test_what_only_the_grader_may_say_is_no_record_of_a_run(record: Record) -> None:
    with pytest.raises(Malformed):
        decode_said(encode(record))


# Caps ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        Loading,
        Broken,
        Trouble,
        lambda text: Finished(0, Outcome.FAILED, text, ""),
        lambda text: Finished(0, Outcome.FAILED, "", text),
        lambda text: NotLoaded("", LoadEnding.RAISED, text, ""),
    ],
)
def test_a_text_may_have_so_many_characters_and_not_one_more(make: type[Loading]) -> None:
    longest = "é" * wire.MAX_TEXT
    assert decode_said(encode(make(longest))) == make(longest)
    with pytest.raises(Malformed, match="longer"):
        decode_said(encode(make(longest + "é")))


def test_a_node_id_may_have_so_many_characters_and_not_one_more() -> None:
    longest = "x" * wire.MAX_ID
    assert decode_said(encode(Collected(["a", longest], last=True))) == Collected(["a", longest], last=True)
    with pytest.raises(Malformed, match="longer"):
        decode_said(encode(Collected(["a", longest + "x"], last=True)))


def test_a_frame_larger_than_allowed_is_refused_by_its_header_alone() -> None:
    frames = Frames(max_frame=100)
    assert list(frames.feed((100).to_bytes(4, "big") + b"x" * 100)) == [b"x" * 100]
    with pytest.raises(Malformed, match="larger"):
        list(frames.feed((101).to_bytes(4, "big")))


def test_a_stream_larger_than_allowed_is_refused() -> None:
    frames = Frames(max_stream=40)
    for _ in range(4):
        list(frames.feed((6).to_bytes(4, "big") + b"abcdef"))
    with pytest.raises(Malformed, match="more bytes"):
        list(frames.feed(b"\0"))


def test_the_buffer_holds_no_more_than_a_frame_and_what_came_with_it() -> None:
    frames = Frames()
    chunk = b"x" * wire.MAX_FRAME
    record = len(chunk).to_bytes(4, "big") + chunk
    tracemalloc.start()
    try:
        for _ in range(wire.MAX_STREAM // len(record)):
            assert list(frames.feed(record)) == [chunk]
            assert frames.rest == 0
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * wire.MAX_FRAME


# Any bytes ----------------------------------------------------------------------------------------------------


@given(st.binary(max_size=300))
def test_any_bytes_are_a_record_or_malformed(body: bytes) -> None:
    try:
        record = decode_said(body)
    except Malformed:
        return
    assert isinstance(record, Said)


plain_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
tags = st.sampled_from([type(record).__name__ for record in EXAMPLES])


@given(tags, st.lists(plain_values, max_size=5))
def test_a_record_with_any_fields_is_a_record_or_malformed(tag: str, fields: list[object]) -> None:
    try:
        record = decode_said(msgspec.msgpack.encode([tag, *fields]))
    except Malformed:
        return
    assert type(record).__name__ == tag


@given(st.sampled_from(EXAMPLES), st.data())
def test_a_record_with_one_byte_changed_is_a_record_or_malformed(record: Said, data: st.DataObject) -> None:
    body = bytearray(encode(record))
    body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    try:
        decode_said(bytes(body))
    except Malformed:
        return


def test_a_deeply_nested_body_is_malformed() -> None:
    with pytest.raises(Malformed):
        decode_said(b"\x91" * 60_000 + b"\xc0")


@given(st.lists(st.sampled_from(EXAMPLES), max_size=6), st.data())
def test_records_come_out_whole_however_the_stream_is_cut(records: list[Said], data: st.DataObject) -> None:
    stream = b"".join(frame(record) for record in records)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    frames = Frames()
    found: list[Said] = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        found += [decode_said(body) for body in frames.feed(stream[start:end])]
    assert found == records
    assert frames.rest == 0


@given(st.lists(st.binary(max_size=200), max_size=10))
def test_any_stream_gives_frames_within_the_cap_or_is_malformed(chunks: list[bytes]) -> None:
    frames = Frames(max_frame=50, max_stream=500)
    try:
        for chunk in chunks:
            assert all(len(body) <= 50 for body in frames.feed(chunk))
            assert frames.rest <= 50 + 4 + len(chunk)
    except Malformed:
        return


# Between processes of ours ------------------------------------------------------------------------------------


def links() -> tuple[wire.Link, wire.Link]:
    ours, theirs = socket.socketpair()
    return wire.Link(ours), wire.Link(theirs)


def test_a_link_carries_records_with_descriptors() -> None:
    here, there = links()
    carried, other = socket.socketpair()
    here.send(NewHost(), carried.fileno())
    _record, (descriptor,) = there.receive(NewHost)
    with socket.socket(fileno=descriptor) as received:
        received.sendall(b"x")
        assert other.recv(1) == b"x"
    for sock in (carried, other, here.sock, there.sock):
        sock.close()


def test_a_link_whose_other_side_is_gone_ends() -> None:
    here, there = links()
    here.close()
    with pytest.raises(EOFError):
        there.receive(Stop)
    there.close()


def test_a_link_refuses_a_record_of_another_kind() -> None:
    here, there = links()
    here.send(Stop())
    with pytest.raises(TypeError, match="expected Gone, got Stop"):
        there.receive(Gone)
    here.close()
    there.close()


def test_modules_travel_inside_a_run_only_as_text() -> None:
    run = wire.Run([Module("words", "x = 1")], wire.Order.COLLECTION, 0, "ab")
    assert wire.run_decoder.decode(encode_run(run)) == run


def encode_run(run: wire.Run) -> bytes:
    return msgspec.msgpack.encode(run)
