"""Limits, capabilities and namespaces: what each takes away, and that it is there without it."""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import select
import signal
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.workers.sandbox import Layer, kernel
from grader.workers.sandbox.entering import NotEntered

from .inside import FILE_SIZE, FULL, MEMORY, TEMP_SIZE, Ground, needs, run_under

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")]
# In a user namespace where that is what the machine allows.
USER = (Layer.USER_NAMESPACE,) if Layer.USER_NAMESPACE in FULL else ()
PR_GET_DUMPABLE = 3


def under(ground: Ground, act: Callable[[Ground], Any], *layers: Layer) -> Any:
    return run_under([*USER, *layers], act, ground)


# --------------------------------------------------------------------------- limits


def test_memory_is_a_budget_above_what_is_mapped(ground: Ground) -> None:
    assert run_under([], lambda _: len(bytearray(MEMORY // 2)), ground) == MEMORY // 2
    assert isinstance(run_under([], lambda _: len(bytearray(2 * MEMORY)), ground), MemoryError)


def test_a_file_has_a_largest_size(ground: Ground) -> None:
    def write(size: int) -> Callable[[Ground], Any]:
        return lambda g: (g.temp / "file").write_bytes(bytes(size))

    assert run_under([], write(FILE_SIZE), ground) == FILE_SIZE
    error = run_under([], write(FILE_SIZE + 1), ground)
    assert isinstance(error, OSError)
    assert error.errno == errno.EFBIG


def test_open_files_are_bounded(ground: Ground) -> None:
    def open_many(g: Ground) -> int:
        return len([os.open(g.suite, os.O_RDONLY) for _ in range(300)])

    error = run_under([], open_many, ground)
    assert isinstance(error, OSError)
    assert error.errno == errno.EMFILE


def test_limits_cannot_be_raised_again(ground: Ground) -> None:
    def raise_it(_ground: Ground) -> None:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    # Root keeps the privilege to do so unless its capabilities are dropped.
    assert isinstance(run_under([Layer.CAPABILITIES], raise_it, ground), ValueError)


def test_core_files_locked_memory_and_processes_have_a_limit_of_nothing(ground: Ground) -> None:
    kinds = (resource.RLIMIT_CORE, resource.RLIMIT_MEMLOCK, resource.RLIMIT_NPROC, resource.RLIMIT_MSGQUEUE)
    assert run_under([], lambda _: [resource.getrlimit(kind) for kind in kinds], ground) == [(0, 0)] * 4


def test_a_run_gains_no_privileges_and_shows_no_memory(ground: Ground) -> None:
    def look(_ground: Ground) -> tuple[int, int]:
        return kernel.prctl(kernel.PR_GET_NO_NEW_PRIVS, 0), kernel.prctl(PR_GET_DUMPABLE, 0)

    assert run_under([], look, ground) == (1, 0)


def test_a_runs_files_are_its_own(ground: Ground) -> None:
    def mode(g: Ground) -> int:
        (g.temp / "file").touch()
        return (g.temp / "file").stat().st_mode & 0o777

    assert run_under([], mode, ground) == 0o600


# --------------------------------------------------------------------------- capabilities


def _effective(_ground: Ground) -> int:
    line = next(
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("CapEff")
    )
    return int(line.split()[1], 16)


@needs(Layer.CAPABILITIES)
def test_no_capability_is_left(ground: Ground) -> None:
    assert run_under([Layer.CAPABILITIES], _effective, ground) == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has any")
def test_without_the_layer_root_keeps_them(ground: Ground) -> None:
    assert run_under([], _effective, ground) != 0


# --------------------------------------------------------------------------- namespaces


@needs(Layer.PID_NAMESPACE)
def test_a_run_sees_no_process_but_itself(ground: Ground) -> None:
    assert under(ground, lambda _: (os.getpid(), os.getppid()), Layer.PID_NAMESPACE) == (1, 0)
    assert run_under([], lambda _: os.getpid(), ground) != 1


@needs(Layer.PID_NAMESPACE)
@pytest.mark.skipif(os.geteuid() != 0, reason="the limit of processes holds all but root")
def test_what_a_run_started_ends_with_it(ground: Ground) -> None:
    def ends_within(seconds: float, *layers: Layer) -> bool:
        reading, writing = os.pipe()
        pid = run_under(layers, lambda _: _leave_a_daemon(writing), ground)
        os.close(writing)
        # The end of the pipe is seen when no one holds its other side any more.
        ready, _, _ = select.select([reading], [], [], seconds)
        if not ready:
            os.kill(pid, signal.SIGKILL)
        os.close(reading)
        return bool(ready)

    assert ends_within(10, Layer.PID_NAMESPACE)
    assert not ends_within(0.2)


def _leave_a_daemon(holding: int) -> int:
    pid = os.fork()
    if pid == 0:
        os.closerange(3, holding)
        os.closerange(holding + 1, 1000)
        os.setsid()
        time.sleep(60)
        os._exit(0)
    return pid


@needs(Layer.NETWORK_NAMESPACE)
def test_a_run_sees_no_network_interface_of_the_machine(ground: Ground) -> None:
    names = under(ground, lambda _: [name for _i, name in socket.if_nameindex()], Layer.NETWORK_NAMESPACE)
    assert set(names) <= {"lo"}


@needs(Layer.IPC_NAMESPACE)
def test_a_run_sees_no_shared_memory_of_the_machine(ground: Ground) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    key = 0x6F6C0000 | os.getpid() & 0xFFFF
    made = libc.shmget(key, 4096, 0o1600)
    assert made >= 0
    try:
        assert run_under([], lambda _: libc.shmget(key, 0, 0), ground) == made
        assert under(ground, lambda _: libc.shmget(key, 0, 0), Layer.IPC_NAMESPACE) == -1
    finally:
        libc.shmctl(made, 0, None)


@needs(Layer.MOUNT_NAMESPACE)
def test_all_files_of_a_run_have_a_largest_size_together(ground: Ground) -> None:
    def fill(g: Ground) -> None:
        for index in range(TEMP_SIZE // FILE_SIZE + 1):
            (g.temp / str(index)).write_bytes(bytes(FILE_SIZE))

    assert run_under([], fill, ground) is None
    for file in ground.temp.iterdir():
        file.unlink()
    error = under(ground, fill, Layer.MOUNT_NAMESPACE)
    assert isinstance(error, OSError)
    assert error.errno == errno.ENOSPC


@needs(Layer.MOUNT_NAMESPACE)
def test_all_files_of_a_run_have_a_largest_number(ground: Ground) -> None:
    def fill(g: Ground) -> None:
        for index in range(11_000):
            (g.temp / str(index)).touch()

    error = under(ground, fill, Layer.MOUNT_NAMESPACE)
    assert isinstance(error, OSError)
    assert error.errno == errno.ENOSPC


@needs(Layer.MOUNT_NAMESPACE)
def test_files_of_a_run_are_gone_with_it_and_no_process_was_to_be_seen(ground: Ground) -> None:
    def look(g: Ground) -> list[str]:
        (g.temp / "marker").write_text("x")
        return os.listdir("/proc")  # noqa: PTH208 - its text

    assert under(ground, look, Layer.MOUNT_NAMESPACE) == []
    assert list(ground.temp.iterdir()) == []


@needs(*(layer for layer in FULL if layer.value.endswith("namespace")), Layer.LANDLOCK, Layer.SECCOMP)
def test_all_layers_together_still_let_a_run_work(ground: Ground) -> None:
    def work(g: Ground) -> tuple[str, str]:
        (g.temp / "x").write_text("mine")
        return (g.temp / "x").read_text(), (g.suite / "test_it.py").read_text()

    assert run_under(FULL, work, ground) == ("mine", "x = 1\n")


# --------------------------------------------------------------------------- no silent downgrade


def _fails(*_arguments: object) -> None:
    raise OSError(errno.EINVAL, "made to fail")


@pytest.mark.parametrize(
    ("layer", "place"),
    [
        (Layer.RLIMITS, "grader.workers.limits.enter"),
        (Layer.NO_NEW_PRIVS, "grader.workers.limits.gain_nothing"),
        (Layer.CAPABILITIES, "grader.workers.sandbox.kernel.drop_capabilities"),
        (Layer.LANDLOCK, "grader.workers.sandbox.landlock.Rules.enter"),
        (Layer.SECCOMP, "grader.workers.sandbox.seccomp.Filter.enter"),
        (Layer.IPC_NAMESPACE, "grader.workers.sandbox.namespaces.enter_ipc"),
        (Layer.MOUNT_NAMESPACE, "grader.workers.sandbox.namespaces.enter_mounts"),
    ],
)
def test_a_run_does_not_begin_without_a_layer_that_it_was_to_have(
    layer: Layer, place: str, ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    if layer in USER or layer not in FULL:
        pytest.skip("not on this machine")
    monkeypatch.setattr(place, _fails)

    def mark(g: Ground) -> None:
        (g.home / "begun").touch()

    error = run_under([layer], mark, ground)
    assert isinstance(error, NotEntered)
    assert f"the layer {layer} " in str(error)
    assert not (ground.home / "begun").exists()
