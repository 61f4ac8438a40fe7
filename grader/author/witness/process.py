"""The process that tries inputs: imports numpy once, and forks a bench for each faulty program.

Started as `python -S -P -s process.py DESCRIPTOR PATH…` with an environment of ours. What it runs is the course's own, and
wrong on purpose: a bench bounds its time and memory. It ends when the other end of its socket closes.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import resource
import signal
import sys
import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.author.witness.records import NewBench, Setup
    from grader.workers.wire import Link

MODULES = ("numpy.random", "hypothesis", "hypothesis.strategies")
MEMORY = 1 << 30  # bytes of address space above what is mapped


def main(arguments: list[str]) -> None:
    """Serve benches on the socket with this descriptor; then folders of packages."""
    descriptor, *folders = arguments
    sys.path[:] = [path for path in sys.path if path] + folders
    try:
        for name in MODULES:
            if importlib.util.find_spec(name.partition(".")[0]) is not None:  # hypothesis comes with an extra
                importlib.import_module(name)
        _serve(int(descriptor))
    except (EOFError, ConnectionError):
        pass
    except BaseException:  # noqa: BLE001 - the end of the process; --debug shows what it was
        traceback.print_exc()
    finally:
        os._exit(0)


def _serve(descriptor: int) -> None:
    # The path to these is set only now.
    import socket  # noqa: PLC0415

    from grader.author.witness.records import NewBench, Setup, decoder  # noqa: PLC0415
    from grader.workers.wire import Link  # noqa: PLC0415

    parent = os.getppid()
    link = Link(socket.socket(fileno=descriptor), decoder)
    setup, _none = link.receive(Setup)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # benches leave no zombies
    _end_with(parent)
    while True:
        asked, (channel,) = link.receive(NewBench)
        server = os.getpid()
        if os.fork() == 0:
            try:
                link.close()
                _end_with(server)
                _be_a_bench(Link(socket.socket(fileno=channel), decoder), setup, asked)
            finally:
                os._exit(0)
        os.close(channel)


def _end_with(parent: int) -> None:
    from grader.workers import limits  # noqa: PLC0415 - as above

    limits.die_with(parent)


def _be_a_bench(link: Link, setup: Setup, asked: NewBench) -> None:
    from grader.author.witness.bench import Trial  # noqa: PLC0415 - as above
    from grader.author.witness.hunting import Hunting  # noqa: PLC0415 - as above
    from grader.author.witness.records import Done, Hunt, Ready  # noqa: PLC0415 - as above
    from grader.workers import limits  # noqa: PLC0415 - as above

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    most = limits.mapped() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    trial = Trial(setup, asked.faulty)
    link.send(Ready(os.getpid()))
    while True:
        record, _none = link.receive_any()
        if isinstance(record, Hunt):
            Hunting(record, trial.judge, link.send).run()
            link.send(Done())
        else:
            link.send(trial.judge(record.call))


if __name__ == "__main__":
    main(sys.argv[1:])
