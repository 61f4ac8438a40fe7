"""The names of the layers, as they stand in a report."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Layer(enum.StrEnum):
    """One thing that holds a run, in the order in which a run gives things up."""

    RLIMITS = "rlimits"
    USER_NAMESPACE = "user_namespace"
    PID_NAMESPACE = "pid_namespace"
    NETWORK_NAMESPACE = "network_namespace"
    IPC_NAMESPACE = "ipc_namespace"
    MOUNT_NAMESPACE = "mount_namespace"
    CAPABILITIES = "capabilities"
    NO_NEW_PRIVS = "no_new_privs"
    LANDLOCK = "landlock"
    SECCOMP = "seccomp"


REQUIRED = (Layer.LANDLOCK, Layer.SECCOMP, Layer.RLIMITS, Layer.NO_NEW_PRIVS)
# What holds a run even when no sandbox is asked for: limits that keep the machine alive.
ALWAYS = (Layer.RLIMITS, Layer.NO_NEW_PRIVS)


@dataclass(frozen=True)
class Layers:
    """What holds the runs of a grading.

    Attributes:
        active: the layers that every run puts on; one that fails ends the run before the suite begins.
        missing: for each other layer, why this machine does not give it.
    """

    active: tuple[Layer, ...]
    missing: Mapping[Layer, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The active layers, as a report names them."""
        return tuple(str(layer) for layer in self.active)
