"""Starts the process of the warm server; imports next to nothing, so that it can come before everything else."""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

PACKAGES = ("numpy", "pytest", "_pytest", "pluggy", "msgspec", "hypothesis", "grader")
# The one variable of the machine that a run keeps: which kernels numpy's BLAS may use on this processor.
KEPT_ENVIRONMENT = ("OPENBLAS_CORETYPE",)
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LC_ALL": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    # Threads and fork do not go together, and one thread adds up in one order.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


@dataclass(frozen=True)
class Launched:
    """A server that has been started.

    Attributes:
        process: the server; it ends, and removes `temp`, when the other end of its socket is closed.
        socket: our end.
        temp: its temporary folder.
    """

    process: subprocess.Popen[bytes]
    socket: socket.socket
    temp: str


# At most one: a server that was started before it was known what it is for.
_ahead: list[Launched] = []


def launch() -> Launched:
    """Start a server."""
    temp = tempfile.mkdtemp(prefix="ol-")
    try:
        ours, theirs = socket.socketpair()
        with theirs:
            server = str(Path(__file__).with_name("server.py"))
            return Launched(start([server, str(theirs.fileno()), temp], theirs.fileno(), temp), ours, temp)
    except BaseException:
        shutil.rmtree(temp, ignore_errors=True)
        raise


def launch_ahead() -> None:
    """Start a server for whoever takes one first."""
    _ahead.append(launch())


def take() -> Launched:
    """The server that was started ahead, or a new one."""
    return _ahead.pop() if _ahead else launch()


def dispose_of_the_rest() -> None:
    """End a server that nobody took."""
    while _ahead:
        launched = _ahead.pop()
        launched.socket.close()
        launched.process.kill()
        launched.process.wait()
        shutil.rmtree(launched.temp, ignore_errors=True)


def package_folders() -> list[str]:
    """The folders that hold the packages of a run, found without importing them."""
    folders: dict[str, None] = {}
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin:
            folders[str(Path(spec.origin).parent.parent)] = None
    return list(folders)


def start(arguments: list[str], descriptor: int, home: str, **environment: str) -> subprocess.Popen[bytes]:
    """Start a Python that has an environment of ours, in a session of its own, and sees nothing that is installed.

    Args:
        arguments: the program and what it is told; the folders of the packages follow.
        descriptor: of the socket that it inherits.
        home: the folder that it works in, and that it takes for the user's and for temporary files.
        environment: variables besides.
    """
    kept = {name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ}
    return subprocess.Popen(
        [sys.executable, "-S", "-P", "-s", *arguments, *package_folders()],
        env=ENVIRONMENT | kept | {"HOME": home, "TMPDIR": home} | environment,
        cwd=home,
        pass_fds=(descriptor,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=None if os.environ.get("OL_DEBUG") else subprocess.DEVNULL,
        start_new_session=True,
    )
