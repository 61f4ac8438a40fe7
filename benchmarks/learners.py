"""A class of learners, the same for the same seed: suites that real ones could have written, no two of them alike."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

LESSON = "L7.1"
SUITES = Path(__file__).resolve().parent.parent / "fixtures" / LESSON / "submissions"
HANGING = "hanging"

# What the suites of a kind are copies of, each with a line of its own.
KINDS = {
    "complete": [
        "complete", "exactly-eight", "class-based", "float64", "helper-module", "conftest-fixtures",
        "scoped-fixtures", "package-with-relative-imports", "real-keras", "real-torchtune",
    ],
    "partial": [
        "misses-eps", "misses-post-ln", "misses-the-mean", "misses-the-offset", "exactly-seven", "forward-only",
        "real-apex", "real-tinygrad", "real-vllm",
    ],
    "invalid": [
        "syntax-error", "tolerance-too-tight", "oracle-is-layernorm", "order-dependent", "flaky-random",
        "never-touches-the-module", "no-tests", "imports-os-subprocess-inspect", "misspelt-import",
    ],
    "hostile": [
        "attack-exits-by-exception", "attack-forges-passes", "attack-patches-reports", "attack-signals-everybody",
        "attack-kills-its-parent", "attack-sends-nonsense", "attack-floods-its-output", "exits-on-import",
        "stack-overflow", "attack-takes-all-memory",
    ],
    "refused": ["syntax-error", "imports-os-subprocess-inspect"],
    HANGING: ["endless-loop"],
}  # fmt: skip

# Of a thousand submissions so many hang, and of the others so many are of this kind.
MIXED = {"complete": 500, "partial": 340, "invalid": 120, "hostile": 40, HANGING: 1}
# Nearly all of these are refused before anything runs, so that thousands of them take minutes.
LIGHT = {"complete": 50, "refused": 950, HANGING: 0}


def make_class(folder: Path, count: int, seed: int, shares: Mapping[str, int] = MIXED) -> dict[Path, str]:
    """Lay a class down; each submission with its kind."""
    draw = random.Random(seed)  # noqa: S311 - the same class for the same seed
    awake = {kind: share for kind, share in shares.items() if kind != HANGING}
    made: dict[Path, str] = {}
    for number in range(count):
        hangs = draw.random() < shares[HANGING] / 1000
        kind = HANGING if hangs else draw.choices(list(awake), list(awake.values()))[0]
        learner = folder / f"learner-{number:05}"
        shutil.copytree(SUITES / draw.choice(KINDS[kind]) / "suite", learner)
        (learner / f"note_{number}.py").write_text(f"# handed in by learner {number}\n", encoding="utf-8")
        made[learner] = kind
    return made
