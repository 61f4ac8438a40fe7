"""Keepers with real runs: what a run leaves behind is gone, and a run that cannot be held is not begun."""

from __future__ import annotations

import os
import signal
import socket
import time
from typing import TYPE_CHECKING, Any

import pytest

from grader.workers import conversation, keeper, usage
from grader.workers.sandbox import Layer
from grader.workers.sandbox.landlock import Places
from grader.workers.wire import Frames, Gone, Link, Trouble, decode_said

from .inside import FULL, start

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from .inside import Ground

pytestmark = [pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")]
WITHOUT_MOUNTS = tuple(layer for layer in FULL if layer is not Layer.MOUNT_NAMESPACE)
Run = "Callable[[int, str], None]"


class Kept:
    """A keeper in a process of its own, seen from the grader.

    Args:
        run: what a run does; it gets its channel and its folder.
    """

    def __init__(self, ground: Ground, run: Callable[[int, str], None]) -> None:
        self.ground = ground
        ours, theirs = socket.socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                ours.close()
                keeper.serve(Link(theirs), Places(str(ground.suite), str(ground.home)), run)
            finally:
                os._exit(0)
        theirs.close()
        self.link = Link(ours)

    def make(self, layers: Sequence[str]) -> tuple[Gone, bytes]:
        """One run: what the keeper says of its end, and what the run said."""
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                self.link.send(start([Layer(name) for name in layers]), theirs.fileno())
            said = b"".join(iter(lambda: ours.recv(1 << 16), b""))
        gone, _none = self.link.receive(Gone)
        return gone, said

    def runs(self) -> list[str]:
        """The folders of runs that are there."""
        return [path.name for path in self.ground.home.glob("run-*") if path.name not in {"run-1", "run-2"}]

    def close(self) -> None:
        self.link.close()
        os.waitpid(self.pid, 0)


@pytest.fixture
def kept(ground: Ground) -> Iterator[Callable[[Callable[[int, str], None]], Kept]]:
    keepers: list[Kept] = []

    def keep(run: Callable[[int, str], None]) -> Kept:
        keepers.append(Kept(ground, run))
        return keepers[-1]

    yield keep
    for each in keepers:
        each.close()


def _say(channel: int, what: object) -> None:
    os.write(channel, str(what).encode())
    os._exit(0)


@pytest.mark.parametrize("layers", [FULL, WITHOUT_MOUNTS, ()], ids=["full", "without mounts", "none"])
def test_each_run_has_a_fresh_folder_and_leaves_none(kept: Any, layers: Sequence[str]) -> None:
    def run(channel: int, temp: str) -> None:
        found = os.listdir(temp)  # noqa: PTH208 - its text
        os.mkdir(f"{temp}/left")  # noqa: PTH102 - plain
        _say(channel, found)

    keeper_of_it = kept(run)
    for _again in range(3):
        gone, said = keeper_of_it.make(layers)
        assert (gone.status, said) == (0, b"[]")
        assert keeper_of_it.runs() == []


def test_folders_in_one_another_and_folders_without_rights_are_removed(kept: Any) -> None:
    def run(channel: int, temp: str) -> None:
        os.chdir(temp)
        os.mkdir("closed")  # noqa: PTH102 - plain
        os.mkdir("closed/in", 0)  # noqa: PTH102 - plain
        for _depth in range(1500):
            os.mkdir("d")  # noqa: PTH102 - plain
            os.chdir("d")
        _say(channel, "done")

    keeper_of_it = kept(run)
    _gone, said = keeper_of_it.make(())
    assert said in {b"done", b""}  # the keeper may have found it too deep before
    assert keeper_of_it.runs() == []


@pytest.mark.parametrize(
    ("place", "layer"),
    [
        ("grader.workers.sandbox.seccomp.Filter.enter", Layer.SECCOMP),
        ("grader.workers.sandbox.landlock.Rules.enter", Layer.LANDLOCK),
        ("grader.workers.sandbox.landlock.Rules.__init__", Layer.LANDLOCK),
        ("grader.workers.sandbox.namespaces.Ground.fork", Layer.PID_NAMESPACE),
    ],
)
def test_a_run_that_cannot_be_held_says_so_and_is_not_begun(
    kept: Any, place: str, layer: Layer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_arguments: object) -> None:
        raise OSError(1, "made to fail")

    monkeypatch.setattr(place, fails)
    keeper_of_it = kept(lambda channel, _temp: _say(channel, "begun"))
    for _again in range(2):
        gone, said = keeper_of_it.make([layer])
        (body,) = Frames().feed(said)
        trouble = decode_said(body)
        assert isinstance(trouble, Trouble)
        assert "made to fail" in trouble.message
        assert os.waitstatus_to_exitcode(gone.status) == keeper.REFUSED


def test_an_unknown_layer_is_refused_and_not_ignored(kept: Any, ground: Ground) -> None:
    keeper_of_it = kept(lambda channel, _temp: _say(channel, "begun"))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        unknown = start([])
        unknown.layers.append("armour")
        keeper_of_it.link.send(unknown, theirs.fileno())
        gone, _none = keeper_of_it.link.receive(Gone)
    assert os.waitstatus_to_exitcode(gone.status) == keeper.REFUSED
    assert ground.home.exists()


def test_a_run_that_writes_too_much_is_ended_where_no_file_system_bounds_it(kept: Any) -> None:
    def run(_channel: int, temp: str) -> None:
        for index in range(10):
            with open(f"{temp}/{index}", "wb") as file:  # noqa: PTH123 - plain
                file.write(bytes(1 << 20))
        time.sleep(60)

    gone, _said = kept(run).make(())
    assert os.WTERMSIG(gone.status) == signal.SIGXFSZ


@pytest.mark.skipif(Layer.USER_NAMESPACE in FULL, reason="the keeper is a child of this one")
def test_a_run_ends_with_its_keeper(kept: Any) -> None:
    def run(channel: int, _temp: str) -> None:
        os.write(channel, b"begun")
        time.sleep(60)

    keeper_of_it = kept(run)
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            keeper_of_it.link.send(start(FULL), theirs.fileno())
        assert ours.recv(5) == b"begun"
        os.kill(keeper_of_it.pid, signal.SIGKILL)
        ours.settimeout(10)
        assert ours.recv(1) == b""


# --------------------------------------------------------------------------- how much has been written


def test_usage_counts_bytes_files_and_depth(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/file").write_bytes(bytes(100_000))
    assert not usage.exceeds(str(tmp_path), 200_000, 10)
    assert usage.exceeds(str(tmp_path), 90_000, 10)
    assert usage.exceeds(str(tmp_path), 200_000, 1)
    deep = tmp_path.joinpath(*["d"] * (usage.DEEPEST + 2))
    deep.mkdir(parents=True)
    assert usage.exceeds(str(tmp_path), 10**9, 10**6)


def test_usage_follows_no_link_and_takes_what_is_gone_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "big").write_bytes(bytes(100_000))
    (tmp_path / "own/link").symlink_to(tmp_path / "big")
    (tmp_path / "own/loop").symlink_to(tmp_path / "own")
    assert not usage.exceeds(str(tmp_path / "own"), 50_000, 10)
    assert not usage.exceeds(str(tmp_path / "gone"), 0, 0)


def test_all_files_of_a_run_may_hold_more_than_one_file_may() -> None:
    assert conversation.TEMP_SIZE > conversation.FILE_SIZE
