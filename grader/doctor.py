"""What the sandbox can do on this machine, each layer proven by what it refuses."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from grader.machine import Check
from grader.workers.sandbox import Layer, probe
from grader.workers.sandbox.layers import REQUIRED
from grader.workers.sandbox.probes import fix_of

if TYPE_CHECKING:
    from grader.workers.sandbox import Layers

# What each layer was seen to refuse, or to hide, when it was tried.
PROVEN = {
    Layer.RLIMITS: "refuses one open file too many",
    Layer.USER_NAMESPACE: "gives the other namespaces without a privilege",
    Layer.PID_NAMESPACE: "hides all other processes",
    Layer.NETWORK_NAMESPACE: "hides the network interfaces",
    Layer.IPC_NAMESPACE: "hides shared memory and queues",
    Layer.MOUNT_NAMESPACE: "refuses a file beyond the size of the run's own file system",
    Layer.CAPABILITIES: "refuses root's privileges",
    Layer.NO_NEW_PRIVS: "cannot be taken off again",
    Layer.LANDLOCK: "refuses to read and to write elsewhere",
    Layer.SECCOMP: "refuses a socket, a signal to others, a process, a program, a mount, a namespace",
}
FORKS = 5
SLOW = 0.05  # seconds for one fork and its end, of a process as small as this one


def examine() -> list[Check]:
    """One line for each layer of the sandbox, one for the speed of a fork."""
    found = probe()
    return [*(_layer(layer, found) for layer in Layer), _fork()]


def _layer(layer: Layer, found: Layers) -> Check:
    if layer in found.active:
        return Check(str(layer), ok=True, sentence=PROVEN[layer])
    why = f"does not work here: {found.missing[layer]}"
    if layer in REQUIRED:
        return Check(str(layer), ok=False, sentence=why, fix=fix_of(layer))
    return Check(str(layer), ok=True, sentence=f"not used: {found.missing[layer]}")


def _fork() -> Check:
    seconds = min(_one_fork() for _ in range(FORKS))
    fix = "" if seconds < SLOW else "close what else is running: every run begins with one"
    return Check("fork", seconds < SLOW, f"{1000 * seconds:.1f} ms", fix)


def _one_fork() -> float:
    begun = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return time.perf_counter() - begun
