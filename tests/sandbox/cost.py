"""Prints what each layer adds to the start of a run: `python tests/sandbox/cost.py`. Not a test: it depends on the load."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np  # noqa: F401 - it maps what a run has mapped

from grader.workers import limits
from grader.workers.sandbox import Layer, choose, namespaces
from grader.workers.sandbox.entering import Entrance, Prepared
from grader.workers.sandbox.landlock import Places
from grader.workers.wire import Start

RUNS = 60


def seconds(home: str, layers: tuple[Layer, ...]) -> list[float]:
    """For each of some runs, how long it took to put these layers on."""
    os.makedirs(f"{home}/suite", exist_ok=True)  # noqa: PTH103 - plain
    prepared = Prepared(Places(f"{home}/suite", home))
    prepared.make({Layer.RLIMITS, *layers})
    ground = namespaces.Ground(layers)
    start = Start(2 << 30, 30, 64 << 20, 128 << 20, [str(layer) for layer in layers], [])
    return [_one(ground, Entrance(start, prepared, tempfile.mkdtemp(dir=home))) for _ in range(RUNS)]


def _one(ground: namespaces.Ground, entrance: Entrance) -> float:
    reading, writing = os.pipe()
    pid = ground.fork()
    if pid == 0:
        limits.stand_alone()
        begun = time.perf_counter()
        entrance.enter()
        os.write(writing, json.dumps(time.perf_counter() - begun).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(pid, 0)
    with open(reading, "rb") as file:  # noqa: PTH123 - a descriptor
        taken: float = json.loads(file.read())
    return taken


def main() -> None:
    """Each layer alone, then all of them; smallest and median, in milliseconds."""
    found = choose("auto").active
    user = tuple(layer for layer in found if layer is Layer.USER_NAMESPACE)
    for layers in [(), *((layer,) for layer in found if layer not in user), found]:
        if os.fork() == 0:
            with tempfile.TemporaryDirectory() as home:
                taken = seconds(home, (*user, *layers) if layers != found else found)
            name = ", ".join(layers) if layers != found else "all"
            sys.stdout.write(
                f"{name or 'limits alone':20} {1000 * min(taken):6.2f} {1000 * median(taken):6.2f} ms\n"
            )
            sys.stdout.flush()
            os._exit(0)
        os.wait()


if __name__ == "__main__":
    main()
