"""The warm server: a clean interpreter that imports what every run needs, once, and forks a host per submission.

Started as `python -S -P -s server.py DESCRIPTOR TEMP PATH…` with an environment of ours: no site customisation, no
`.pth` file, nothing of the learner's on the path. It runs no learner's code and reads no learner's file. It ends when
the grader's end of its socket closes, and takes the temporary folder with it: a grader that was killed cannot.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import shutil
import sys
import traceback

MODULES = (
    "numpy.random",
    "numpy.testing",
    "pytest",
    "grader.workers.host",
)


def main(arguments: list[str]) -> None:
    """Serve hosts on the socket with this descriptor; then a folder to remove at the end, and folders of packages."""
    descriptor, temp, *folders = arguments
    sys.path[:] = [path for path in sys.path if path] + folders
    # Nothing that is made before a run is forked is ever thrown away; runs switch the collector on again.
    gc.disable()
    try:
        _import_what_runs_need()
        _serve(int(descriptor), temp)
    except BaseException:  # noqa: BLE001 - the end of the process; --debug shows what it was
        traceback.print_exc()
    finally:
        shutil.rmtree(temp, ignore_errors=True)
        # Taking numpy and pytest apart in an orderly way would take longer than a run.
        os._exit(0)


def _import_what_runs_need() -> None:
    """Import it here, so that no run pays for it; some of it numpy and pytest would load lazily in every run."""
    for name in MODULES:
        importlib.import_module(name)


def _serve(descriptor: int, temp: str) -> None:
    # The path to these is set only now.
    import socket  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415

    from grader.workers import host, library, limits, session  # noqa: PLC0415
    from grader.workers.wire import Library, Link, NewHost  # noqa: PLC0415

    link = Link(socket.socket(fileno=descriptor))
    config = session.configure(Path(temp, "pytest"))
    try:
        books, _none = link.receive(Library)
    except EOFError:
        return
    importer = library.install()
    importer.add(books.modules)
    importer.import_all(books.late)
    while True:
        try:
            _record, (hosted,) = link.receive(NewHost)
        except EOFError:
            break
        _reap()
        server = os.getpid()
        if os.fork() == 0:
            try:
                link.close()
                limits.die_with(server)
                host.serve(Link(socket.socket(fileno=hosted)), importer, config)
            finally:
                os._exit(0)
        os.close(hosted)
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


def _reap() -> None:
    """Take note of hosts that have ended, so that many submissions leave no zombies."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


if __name__ == "__main__":
    main(sys.argv[1:])
