"""The host of one submission: reads, checks and compiles its suite, prepares pytest, forks keepers.

It executes nothing of the suite, and no other submission shares it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from grader.workers import child, hypothesis_settings, keeper, limits, randomness, session, suite
from grader.workers.recorder import Recorder
from grader.workers.sandbox.landlock import Places
from grader.workers.wire import Link, NewKeeper, Prepare, Prepared, Reading

if TYPE_CHECKING:
    from collections.abc import Callable

    from _pytest.config import Config

    from grader.workers.library import LibraryImporter


def serve(link: Link, library: LibraryImporter, config: Config) -> None:
    """Prepare the suite that comes first, then fork a keeper for each `NewKeeper`, until the other side closes.

    Args:
        link: the grader.
        library: the course's package.
        config: pytest's configuration.
    """
    prepare, _none = link.receive(Prepare)
    home = Path(prepare.home)
    root = Path(prepare.root) if prepare.root else _lay_down(prepare, home / prepare.root_name)
    with limits.reading():
        own = suite.read(prepare, root, lambda file: link.send(Reading(file)))
    link.send(Reading(""))
    if own.findings:
        link.send(Prepared(own.findings, own.test_files))
        return
    recorder = Recorder(own)
    importer = suite.install(own, recorder.loading)
    _import_for_all_runs(own.packages)
    prepared = session.start(config, root, importer, recorder, (file.data for file in prepare.files))
    forked = child.Forked(prepared, recorder, library, randomness.install())
    # Objects made so far are the same in all runs: the collector need not look at them, so their pages stay shared.
    gc.freeze()
    link.send(Prepared([], own.test_files))

    def run(channel: int, temp: str) -> None:
        child.main(channel, forked, temp)

    _fork_keepers(link, Places(str(root), str(home)), run)


def _import_for_all_runs(packages: list[str]) -> None:
    """Import here what every run would; a run could not open all that some of it needs, either."""
    for name in packages:
        # Of `from a import b` only one of a and a.b may be a module; what else goes wrong, each run will say.
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    if "hypothesis" in sys.modules:
        hypothesis_settings.load_profile()


def _lay_down(prepare: Prepare, root: Path) -> Path:
    root.mkdir(parents=True)
    for file in prepare.files:
        path = root / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
    return root


def _fork_keepers(link: Link, places: Places, run: Callable[[int, str], None]) -> None:
    host = os.getpid()
    while True:
        try:
            _record, (descriptor,) = link.receive(NewKeeper)
        except EOFError:
            break
        if os.fork() == 0:
            try:
                link.close()
                limits.die_with(host)
                keeper.serve(Link(socket.socket(fileno=descriptor)), places, run)
            finally:
                os._exit(0)
        os.close(descriptor)
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return
