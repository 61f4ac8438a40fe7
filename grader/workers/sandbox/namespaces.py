"""Namespaces: a view of processes, network, System V objects and mounts that is a run's alone; namespaces(7).

They stand behind Landlock and seccomp: what they take away is refused there too. What is cheap to share by the runs
of one keeper (user, network) is made once; process ids, mounts and System V objects are new for each run.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from grader.workers import limits
from grader.workers.sandbox import kernel
from grader.workers.sandbox.layers import Layer

if TYPE_CHECKING:
    from collections.abc import Collection

TEMP_FILES = 10_000  # files and folders in a run's own folder


class Ground:
    """The namespaces of a keeper, in which it starts runs."""

    def __init__(self, layers: Collection[Layer]) -> None:
        """Enter the namespaces that runs share.

        With a user namespace the caller goes on as a child of itself, which is the first process of a process
        namespace that it may extend; what was the caller waits for it, and ends as it does.

        Raises:
            OSError: the kernel refuses.
        """
        self.layers = frozenset(layers)
        self._own_pids = -1
        if Layer.USER_NAMESPACE in self.layers:
            _become_root_of_nothing()
        if Layer.NETWORK_NAMESPACE in self.layers:
            kernel.unshare(kernel.CLONE_NEWNET)
        if Layer.PID_NAMESPACE in self.layers:
            self._own_pids = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)

    def fork(self) -> int:
        """As os.fork; the child is the first process of a process namespace, if there is that layer."""
        if self._own_pids < 0:
            return os.fork()
        kernel.unshare(kernel.CLONE_NEWPID)
        pid = os.fork()
        if pid:
            # The next one gets another namespace.
            kernel.setns(self._own_pids, kernel.CLONE_NEWPID)
        return pid


def _become_root_of_nothing() -> None:
    """A user namespace that maps the own user and group only, and in it a process namespace, by a fork."""
    user, group = os.geteuid(), os.getegid()
    kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWPID)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")
    outer = os.pidfd_open(os.getpid())
    pid = os.fork()
    if pid:
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        _, status = os.waitpid(pid, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    limits.die_with_handle(outer)
    os.close(outer)


def _write(path: str, text: str) -> None:
    opened = os.open(path, os.O_WRONLY)
    try:
        os.write(opened, text.encode())
    finally:
        os.close(opened)


def enter_ipc() -> None:
    """System V objects and POSIX queues of its own."""
    kernel.unshare(kernel.CLONE_NEWIPC)


def enter_mounts(temp: str, temp_size: int) -> None:
    """Mounts of its own: `temp` becomes a file system of limited size, and there is no `/proc`.

    Args:
        temp: an empty folder.
        temp_size: bytes of all files in it.
    """
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    safe = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
    options = f"mode=0700,size={temp_size},nr_inodes={TEMP_FILES}"
    kernel.mount("tmpfs", temp, "tmpfs", safe, options)
    # No list of processes, not even by asking whether a number exists.
    kernel.mount("tmpfs", "/proc", "tmpfs", safe | kernel.MS_RDONLY, "nr_inodes=1,size=4k")
