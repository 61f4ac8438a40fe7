"""Which layers work here: each is put on in a process of its own and must then refuse what it is there to refuse.

Costs a fork or two and imports nothing heavy, so every grading begins with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import socket
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from grader.errors import SandboxUnavailableError
from grader.workers import limits
from grader.workers.sandbox import kernel, landlock, namespaces, seccomp
from grader.workers.sandbox.layers import ALWAYS, REQUIRED, Layer, Layers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Mode = Literal["auto", "require", "off"]
OFF = "it was switched off: --sandbox off"
NOT_NEEDED = "the other namespaces do not need it here"
LOST = "the process that tried it ended"

FIXES: Mapping[Layer, str] = {
    Layer.LANDLOCK: "use Linux 5.13 or newer with `landlock` in the boot option `lsm=`, in a container one whose "
    "seccomp profile lets the landlock calls through",
    Layer.SECCOMP: "use a kernel with CONFIG_SECCOMP_FILTER on x86-64 or arm64",
    Layer.RLIMITS: "use Linux",
    Layer.NO_NEW_PRIVS: "use Linux",
    Layer.CAPABILITIES: "use Linux",
}
NAMESPACES_FIX = (
    "allow unprivileged user namespaces (sysctl kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor "
    "profile; in a container `--security-opt seccomp=unconfined`), or do without: they are a second line"
)


@dataclass(frozen=True)
class _Failed(Exception):  # noqa: N818 - an outcome of a probe
    """The layer was put on and refused nothing."""

    what: str

    def __str__(self) -> str:
        return f"it does not refuse {self.what}"


def choose(mode: Mode, temp: str | None = None) -> Layers:
    """The layers of a grading: all that work, all that work or an error, or the limits alone; `temp` as in `probe`.

    Raises:
        SandboxUnavailableError: `require`, and a layer that it needs does not work here.
    """
    if mode == "off":
        return Layers(ALWAYS, {layer: OFF for layer in Layer if layer not in ALWAYS})
    found = probe(temp)
    missing = [
        f"{layer} ({found.missing[layer]}; {fix_of(layer)})" for layer in REQUIRED if layer in found.missing
    ]
    if mode == "require" and missing:
        raise SandboxUnavailableError(missing)
    return found


def fix_of(layer: Layer) -> str:
    """What to do about a layer that does not work."""
    return FIXES.get(layer, NAMESPACES_FIX)


def probe(temp: str | None = None) -> Layers:
    """Try every layer in processes of their own, with files below `temp` (None: where temporary files go)."""
    with tempfile.TemporaryDirectory(prefix="ol-probe-", dir=temp) as folder:
        errors = _namespaces(folder) | _in_a_child(lambda: _try_the_rest(folder))
    missing = {layer: error for layer in Layer if (error := errors.get(layer, LOST))}
    return Layers(tuple(layer for layer in Layer if layer not in missing), missing)


def _namespaces(temp: str) -> dict[Layer, str]:
    """Without a user namespace, which takes a privilege; else within one."""
    alone = _in_a_child(lambda: _try_namespaces(temp, user=False))
    if alone and not any(alone.values()):
        return alone | {Layer.USER_NAMESPACE: NOT_NEEDED}
    within = _in_a_child(lambda: _try_namespaces(temp, user=True))
    # One that allows no other namespace inside is of no use.
    if _count(within) > _count(alone) + 1:
        return within
    return alone | {Layer.USER_NAMESPACE: within.get(Layer.USER_NAMESPACE, LOST) or NOT_NEEDED}


def _count(errors: Mapping[Layer, str]) -> int:
    return sum(not error for error in errors.values())


def _in_a_child(attempt: Callable[[], Mapping[Layer, str]]) -> dict[Layer, str]:
    """What an attempt returns in a process that ends with it; empty if that process ended otherwise."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writing, json.dumps(attempt()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as file:  # noqa: PTH123 - a descriptor
        said = file.read()
    os.waitpid(pid, 0)
    return {Layer(name): error for name, error in json.loads(said or b"{}").items()}


def _tried(steps: Mapping[Layer, Callable[[], object]]) -> dict[Layer, str]:
    """For each layer the reason why it does not work; empty where it does."""
    return {layer: _error_of(step) for layer, step in steps.items()}


def _error_of(step: Callable[[], object]) -> str:
    try:
        step()
    except (OSError, KeyError, ValueError, _Failed) as error:
        return str(error) or type(error).__name__
    return ""


def _refused(what: str, forbidden: Callable[[], object]) -> None:
    with contextlib.suppress(OSError):
        forbidden()
        raise _Failed(what)


# --------------------------------------------------------------------------- namespaces


def _try_namespaces(temp: str, *, user: bool) -> dict[Layer, str]:
    errors: dict[Layer, str] = {}
    if user:
        errors[Layer.USER_NAMESPACE] = _error_of(lambda: namespaces.Ground({Layer.USER_NAMESPACE}))
        if errors[Layer.USER_NAMESPACE]:
            return errors
    return errors | _tried(
        {
            Layer.PID_NAMESPACE: _try_pids,
            Layer.NETWORK_NAMESPACE: _try_network,
            Layer.IPC_NAMESPACE: lambda: _moved("ipc", namespaces.enter_ipc),
            Layer.MOUNT_NAMESPACE: lambda: _try_mounts(temp),
        }
    )


def _moved(name: str, enter: Callable[[], object]) -> None:
    place = Path("/proc/self/ns", name)
    before = place.readlink()
    enter()
    if place.readlink() == before:
        what = "the machine's objects"
        raise _Failed(what)


def _try_pids() -> None:
    ground = namespaces.Ground({Layer.PID_NAMESPACE})
    for _run in range(2):
        pid = ground.fork()
        if pid == 0:
            os._exit(0 if (os.getpid(), os.getppid()) == (1, 0) else 1)
        if os.waitpid(pid, 0)[1]:
            what = "other processes' numbers"
            raise _Failed(what)


def _try_network() -> None:
    kernel.unshare(kernel.CLONE_NEWNET)
    if [name for _index, name in socket.if_nameindex() if name != "lo"]:
        what = "the machine's network interfaces"
        raise _Failed(what)


def _try_mounts(temp: str) -> None:
    namespaces.enter_mounts(temp, resource.getpagesize())
    _refused("a file beyond its size", lambda: _fill(f"{temp}/file", 2 * resource.getpagesize()))
    _refused("a look at /proc", Path("/proc/self").stat)


def _fill(path: str, size: int) -> None:
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY)
    try:
        if os.write(descriptor, bytes(size)) < size:
            raise OSError
    finally:
        os.close(descriptor)


# --------------------------------------------------------------------------- the other layers


def _try_the_rest(temp: str) -> dict[Layer, str]:
    parent = os.getppid()
    return _tried(
        {
            Layer.RLIMITS: lambda: _try_limits(temp),
            Layer.NO_NEW_PRIVS: _try_no_new_privs,
            Layer.LANDLOCK: lambda: _try_landlock(temp),
            Layer.CAPABILITIES: _try_capabilities,
            Layer.SECCOMP: lambda: _try_seccomp(parent, temp),
        }
    )


def _try_limits(temp: str) -> None:
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(limits.OPEN_FILES, hard),) * 2)
    lowest = os.open(temp, os.O_RDONLY)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, min(limits.OPEN_FILES, hard)))
    _refused("one open file too many", lambda: os.open(temp, os.O_RDONLY))
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(limits.OPEN_FILES, hard),) * 2)


def _try_capabilities() -> None:
    kernel.drop_capabilities(0)
    _refused("a change of the machine's name", lambda: socket.sethostname(socket.gethostname()))


def _try_no_new_privs() -> None:
    limits.gain_nothing()
    if kernel.prctl(kernel.PR_GET_NO_NEW_PRIVS, 0) != 1:
        what = "new privileges"
        raise _Failed(what)
    _refused("taking it off again", lambda: kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 0))


def _try_landlock(temp: str) -> None:
    suite = f"{temp}/suite"
    own = f"{temp}/own"
    Path(suite).mkdir()
    Path(own).mkdir()
    _fill(f"{temp}/secret", 1)
    places = landlock.Places(suite, temp)
    landlock.Rules(places).enter(own)
    _fill(f"{own}/file", 1)
    _refused("reading a file elsewhere", lambda: os.open(f"{temp}/secret", os.O_RDONLY))
    _refused("writing beside the suite", lambda: _fill(f"{suite}/file", 1))
    _refused("a look at the root folder", lambda: list(Path("/").iterdir()))


def _try_seccomp(parent: int, temp: str) -> None:
    seccomp.Filter().enter()
    refused: dict[str, Callable[[], object]] = {
        "a socket": socket.socket,
        "a socket pair": socket.socketpair,
        "a signal to another process": lambda: os.kill(parent, 0),
        "a new process": _a_process,
        "a new program": lambda: os.execv("/bin/true", ["true"]),  # noqa: S606 - that it is refused is the point
        "a mount": lambda: kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE),
        "a new namespace": lambda: kernel.unshare(kernel.CLONE_NEWUSER),
        "a change of rights": lambda: Path(temp).chmod(0o700),
    }
    for what, forbidden in refused.items():
        _refused(what, forbidden)


def _a_process() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
