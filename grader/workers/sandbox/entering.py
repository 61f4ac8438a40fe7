"""The way into the sandbox: every layer that was asked for, in the one order that works, or an error."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from grader.workers import limits
from grader.workers.sandbox import kernel, landlock, listings, namespaces, seccomp
from grader.workers.sandbox.layers import ALWAYS, Layer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from grader.workers.sandbox.landlock import Places
    from grader.workers.wire import Start

# Reading files of whatever owner, for installations whose folders root could not read otherwise. Kept only where
# Landlock says which files these are; open_by_handle_at, the other thing that it allows, is refused by seccomp.
CAP_DAC_READ_SEARCH = 1 << 2


class NotEntered(Exception):  # noqa: N818 - what the run says before it ends
    """A layer that was to hold could not be put on."""


class Prepared:
    """What a keeper makes once for all its runs; each part when it is first asked for, before the fork."""

    def __init__(self, places: Places) -> None:
        self._places = places

    @cached_property
    def mapped(self) -> int:
        """Bytes of address space that a run starts with."""
        return limits.mapped()

    @cached_property
    def rules(self) -> landlock.Rules:
        """Landlock's, and what imports need under them."""
        listings.hold(landlock.folders(self._places.home))
        return landlock.Rules(self._places)

    @cached_property
    def filter(self) -> seccomp.Filter:
        """Of system calls."""
        return seccomp.Filter()

    def make(self, layers: Collection[Layer]) -> None:
        """Make what these layers need, now.

        Raises:
            NotEntered: one of them does not work here.
        """
        parts = {Layer.RLIMITS: "mapped", Layer.LANDLOCK: "rules", Layer.SECCOMP: "filter"}
        for layer in parts.keys() & layers:
            with _named(layer):
                getattr(self, parts[layer])


@contextlib.contextmanager
def _named(layer: Layer) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, KeyError) as error:
        msg = f"the layer {layer} of the sandbox could not be put on: {error}"
        raise NotEntered(msg) from error


@dataclass(frozen=True)
class Entrance:
    """What a run needs to know to enter.

    Attributes:
        start: the layers and the limits.
        places: what lies where.
        prepared: what was made before the run was forked.
        temp: the run's own folder.
    """

    start: Start
    prepared: Prepared
    temp: str

    def enter(self) -> None:
        """Give up, in this process and for good, what a run must not have.

        Raises:
            NotEntered: a layer does not hold; the run must end.
        """
        for layer, put_on in self._steps():
            with _named(layer):
                put_on()

    def _steps(self) -> Iterator[tuple[Layer, Callable[[], object]]]:
        """Limits read `/proc`, which a mount hides; mounts need capabilities; Landlock forbids mounts; seccomp all."""
        layers = frozenset(Layer(name) for name in self.start.layers) | set(ALWAYS)
        steps: dict[Layer, Callable[[], object]] = {
            Layer.RLIMITS: lambda: limits.enter(self.start, self.prepared.mapped),
            Layer.IPC_NAMESPACE: namespaces.enter_ipc,
            Layer.MOUNT_NAMESPACE: lambda: namespaces.enter_mounts(self.temp, self.start.temp_size),
            Layer.CAPABILITIES: lambda: kernel.drop_capabilities(_kept(layers)),
            Layer.NO_NEW_PRIVS: limits.gain_nothing,
            Layer.LANDLOCK: lambda: self.prepared.rules.enter(self.temp),
            Layer.SECCOMP: lambda: self.prepared.filter.enter(),  # noqa: PLW0108 - made only where it is needed
        }
        return ((layer, step) for layer, step in steps.items() if layer in layers)


def _kept(layers: frozenset[Layer]) -> int:
    return CAP_DAC_READ_SEARCH if {Layer.LANDLOCK, Layer.SECCOMP} <= layers else 0
