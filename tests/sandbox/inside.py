"""Runs a function in a process that has put on chosen layers, and says what came of it."""

from __future__ import annotations

import errno
import os
import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from grader.workers import limits
from grader.workers.sandbox import Layer, choose, namespaces
from grader.workers.sandbox.entering import Entrance, Prepared
from grader.workers.sandbox.landlock import Places
from grader.workers.sandbox.layers import ALWAYS, REQUIRED
from grader.workers.wire import Start

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

MEMORY, FILE_SIZE, TEMP_SIZE = 256 << 20, 1 << 20, 4 << 20
MACHINE = choose("auto")
Act: TypeAlias = "Callable[[Ground], Any]"


def needs(*layers: Layer) -> pytest.MarkDecorator:
    """Skip a test where the machine lacks a layer, saying why it does."""
    lacking = [f"{layer}: {MACHINE.missing[layer]}" for layer in layers if layer in MACHINE.missing]
    return pytest.mark.skipif(bool(lacking), reason="; ".join(lacking))


def start(layers: Iterable[Layer], readable: Iterable[str] = ()) -> Start:
    """Limits small enough to be met, and these layers."""
    return Start(MEMORY, 20, FILE_SIZE, TEMP_SIZE, [str(layer) for layer in layers], list(readable))


@dataclass(frozen=True)
class Ground:
    """What lies where for a run under test.

    Attributes:
        suite: its suite, with one file `test_it.py`.
        temp: its own folder.
        sibling: another run's folder, with a file `notes`.
        outside: a folder of the machine's, with a file `secret`.
        parent: the process id of its keeper.
    """

    suite: Path
    temp: Path
    sibling: Path
    outside: Path
    parent: int

    @property
    def home(self) -> Path:
        return self.temp.parent

    @property
    def secret(self) -> Path:
        return self.outside / "secret"


def in_a_child(act: Callable[[], Any]) -> Any:
    """What a function of ours returns, in a process of its own; an exception is returned too."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(reading)
            os.write(writing, pickle.dumps(_caught(act)))
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as file:  # noqa: PTH123 - a descriptor
        said = file.read()
    _pid, status = os.waitpid(pid, 0)
    return pickle.loads(said) if said else os.waitstatus_to_exitcode(status)  # noqa: S301 - our own function's


def _caught(act: Callable[[], Any]) -> Any:
    try:
        return act()
    except Exception as error:  # noqa: BLE001 - what it is, is the result
        return error


def run_under(layers: Iterable[Layer], act: Act, ground: Ground, *, readable: Iterable[str] = ()) -> Any:
    """What `act` returns or raises in a run that has put on `layers` (limits and no_new_privs always are)."""
    chosen = frozenset({*ALWAYS, *layers})

    def keep() -> Any:
        prepared = Prepared(Places(str(ground.suite), str(ground.home), tuple(readable)))
        keeper = namespaces.Ground(chosen)
        prepared.make(chosen)
        entrance = Entrance(start(chosen, readable), prepared, str(ground.temp))
        reading, writing = os.pipe()
        pid = keeper.fork()
        if pid == 0:
            try:
                limits.stand_alone()
                os.write(writing, pickle.dumps(_caught(lambda: _entered(entrance, act, ground))))
            finally:
                os._exit(0)
        os.close(writing)
        with open(reading, "rb") as file:  # noqa: PTH123 - a descriptor
            said = file.read()
        _pid, status = os.waitpid(pid, 0)
        return pickle.loads(said) if said else os.waitstatus_to_exitcode(status)  # noqa: S301 - as above

    return in_a_child(keep)


def _entered(entrance: Entrance, act: Act, ground: Ground) -> Any:
    entrance.enter()
    return act(ground)


def refused(result: Any) -> bool:
    """Whether the kernel said no, and not that something is missing or malformed."""
    return isinstance(result, OSError) and result.errno in {errno.EPERM, errno.EACCES}


FULL = tuple(layer for layer in MACHINE.active)
REQUIRED_HERE = needs(*REQUIRED)
