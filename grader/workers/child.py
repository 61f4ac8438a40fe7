"""A run: one program, one setting, the whole suite (or some tests of it).

The only process in which learner's code runs. It learns neither which program it holds nor what is expected of it.
"""

from __future__ import annotations

import gc
import os
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from _pytest.outcomes import Exit

from grader.workers import hypothesis_settings, session
from grader.workers.library import file_of
from grader.workers.wire import (
    MAX_ID,
    MAX_TESTS,
    Broken,
    Collected,
    Ended,
    Order,
    Run,
    Started,
    Trouble,
    run_decoder,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from _pytest.main import Session
    from _pytest.nodes import Item

    from grader.workers.library import LibraryImporter
    from grader.workers.randomness import Draws
    from grader.workers.recorder import Recorder

IDS_IN_A_RECORD = 50
CHANNEL = 3  # the descriptor of a run's channel, in the run


@dataclass(frozen=True)
class Forked:
    """What a run finds made before its fork.

    Attributes:
        session: pytest's.
        recorder: the plugin that writes records.
        library: where the program's modules go.
        draws: the counters of randomness.
    """

    session: Session
    recorder: Recorder
    library: LibraryImporter
    draws: Draws


def main(channel: int, forked: Forked, temp: str) -> None:
    """Receive a program, run the suite on it, send records; never returns.

    Args:
        channel: socket to the grader: the program comes in, records go out.
        forked: what was made before the fork.
        temp: the run's own folder, which exists and is empty.
    """
    _leave_everything_but(channel)
    _move_to(temp)
    gc.enable()
    run = run_decoder.decode(_read_all(CHANNEL))
    prepared, recorder, library = forked.session, forked.recorder, forked.library
    recorder.channel = CHANNEL
    recorder.temp = temp
    try:
        if run.whole:
            library.clear()
            recorder.own_modules = frozenset(file_of(m.name, is_package=m.is_package) for m in run.program)
        library.add(run.program)
        forked.draws.begin(run.seed)
        run = _without_program(run)
        session.use_temp(prepared.config, Path(temp, "tmp"))
        if "hypothesis" in sys.modules:
            hypothesis_settings.use_home(temp)
        items = _collect(prepared, recorder)
        if _run_tests(prepared, recorder, _chosen(items, run)):
            recorder.send(Ended(forked.draws.total()))
    except (SystemExit, KeyboardInterrupt, Exit) as error:
        recorder.send(Broken(recorder.masked(f"{type(error).__name__}: {error}")))
    except BaseException as error:  # noqa: BLE001 - whatever is left is said to the grader, then the process ends
        recorder.send(Trouble(recorder.masked(f"{type(error).__name__}: {error}")))
    # No clean-up of the suite's, no waiting for its threads: everything that counts has been said.
    os._exit(0)


def _leave_everything_but(channel: int) -> None:
    if channel != CHANNEL:
        os.dup2(channel, CHANNEL)
    os.closerange(CHANNEL + 1, os.sysconf("SC_OPEN_MAX"))
    os.set_inheritable(CHANNEL, False)  # noqa: FBT003 - its signature


def _move_to(temp: str) -> None:
    os.chdir(temp)
    os.environ["HOME"] = os.environ["TMPDIR"] = temp


def _read_all(descriptor: int) -> bytes:
    parts = []
    while data := os.read(descriptor, 1 << 20):
        parts.append(data)
    return b"".join(parts)


def _without_program(run: Run) -> Run:
    return Run([], run.order, run.order_seed, "", run.only, run.whole)


def _collect(prepared: Session, recorder: Recorder) -> list[Item]:
    items = list(prepared.perform_collect())
    if len(items) > MAX_TESTS:
        msg = f"the suite has {len(items)} tests; {MAX_TESTS} is the most that is graded"
        raise Exit(msg)
    if "hypothesis" in sys.modules:
        hypothesis_settings.apply_to(items)
    for item in items:
        # pytest would look up each test's line, for reports that are not made here.
        item.__dict__["location"] = (item.nodeid, None, item.name)
    ids = [item.nodeid[:MAX_ID] for item in items]
    for start in range(0, len(ids), IDS_IN_A_RECORD):
        recorder.send(Collected(ids[start : start + IDS_IN_A_RECORD], last=False))
    recorder.send(Collected([], last=True))
    return items


def _chosen(items: Sequence[Item], run: Run) -> list[tuple[int, Item]]:
    numbered = list(enumerate(items))
    if run.only is not None:
        numbered = [(index, item) for index, item in numbered if item.nodeid[:MAX_ID] in run.only]
    if run.order is Order.REVERSED:
        numbered.reverse()
    elif run.order is Order.SHUFFLED:
        numbered = shuffled(numbered, random.Random(run.order_seed))  # noqa: S311 - to be repeatable is its purpose
    return numbered


def shuffled(
    numbered: Sequence[tuple[int, Item]], draw: random.Random, depth: int = 0
) -> list[tuple[int, Item]]:
    """Files in random order, in each its classes, in each of these its tests: what shares a scope stays together."""
    groups: dict[str, list[tuple[int, Item]]] = {}
    for index, item in numbered:
        parts = item.nodeid.partition("[")[0].split("::")
        key = parts[depth] if depth < len(parts) - 1 else f"test {index}"
        groups.setdefault(key, []).append((index, item))
    in_order = list(groups.values())
    draw.shuffle(in_order)
    if len(in_order) == len(numbered):
        return [pair for group in in_order for pair in group]
    return [pair for group in in_order for pair in shuffled(group, draw, depth + 1)]


def _run_tests(prepared: Session, recorder: Recorder, chosen: Sequence[tuple[int, Item]]) -> bool:
    """Run each test through pytest's own protocol; False when the session was told to stop before the end."""
    following: list[Item | None] = [*(item for _index, item in chosen[1:]), None][: len(chosen)]
    for (index, item), after in zip(chosen, following, strict=True):
        recorder.send(Started(index))
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        recorder.finish(index)
        if prepared.shouldstop or prepared.shouldfail:
            recorder.send(
                Broken(f"the session was told to stop: {prepared.shouldstop or prepared.shouldfail}")
            )
            return False
    return True
