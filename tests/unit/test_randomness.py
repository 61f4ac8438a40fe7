"""All randomness of a suite follows the run's seed, and exactly what the suite did not seed itself is counted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TypeAlias

import pytest

from grader.workers.randomness import derive

ROOT = Path(__file__).parents[2]

# Each draws a value into `x` that the suite did not seed.
UNSEEDED = {
    "random.random": "import random; x = random.random()",
    "random.shuffle": "import random; x = list(range(30)); random.shuffle(x)",
    "from random import": "from random import gauss; x = gauss(0, 1)",
    "Random": "import random; x = random.Random().random()",
    "Random seeded with None": "import random; x = random.Random(None).random()",
    "Random reseeded without a seed": "import random; r = random.Random(3); r.seed(); x = r.random()",
    "random.seed without a seed": "import random; random.seed(); x = random.random()",
    "SystemRandom": "import random; x = random.SystemRandom().random()",
    "SystemRandom.getrandbits": "import random; x = random.SystemRandom().getrandbits(64)",
    "np.random.rand": "import numpy as np; x = np.random.rand(3).tolist()",
    "np.random.randn": "import numpy as np; x = np.random.randn(3).tolist()",
    "from numpy.random import": "from numpy.random import normal; x = normal()",
    "default_rng": "import numpy as np; x = np.random.default_rng().random()",
    "default_rng of None": "import numpy as np; x = np.random.default_rng(None).random()",
    "RandomState": "import numpy as np; x = np.random.RandomState().rand()",
    "SeedSequence": "import numpy as np; x = np.random.SeedSequence().entropy",
    "PCG64": "import numpy as np; x = np.random.Generator(np.random.PCG64()).random()",
    "MT19937": "import numpy as np; x = np.random.Generator(np.random.MT19937()).random()",
    "np.random.seed without a seed": "import numpy as np; np.random.seed(); x = np.random.rand()",
    "drawn before it is seeded": "import random; x = random.random(); random.seed(1)",
    "one of two generators is seeded": "import random, numpy as np; random.seed(1); x = np.random.rand()",
}
SEEDED = {
    "random.seed": "import random; random.seed(1); x = random.random()",
    "from random import seed": "from random import seed, random; seed(1); x = random()",
    "Random": "import random; x = random.Random(1).random()",
    "Random subclass": "import random\nclass R(random.Random): pass\nx = R(5).random()",
    "random.setstate": "import random; random.setstate(random.Random(1).getstate()); x = random.random()",
    "np.random.seed": "import numpy as np; np.random.seed(0); x = np.random.rand()",
    "np.random.set_state": "import numpy as np; np.random.set_state(np.random.RandomState(1).get_state()); x = np.random.rand()",
    "default_rng": "import numpy as np; x = np.random.default_rng(0).random()",
    "default_rng of a list": "import numpy as np; x = np.random.default_rng([1, 2]).random()",
    "default_rng of a generator": "import numpy as np; x = np.random.default_rng(np.random.default_rng(3)).random()",
    "RandomState": "import numpy as np; x = np.random.RandomState(7).rand()",
    "SeedSequence": "import numpy as np; x = np.random.default_rng(np.random.SeedSequence(5)).random()",
    "spawned": "import numpy as np; x = np.random.default_rng(1).spawn(2)[1].random()",
    "nothing drawn": "x = 1",
    "imports alone": "import random, numpy, hypothesis; x = 1",
}
HYPOTHESIS = {
    "hypothesis draws": """
import hypothesis, hypothesis.strategies as st
seen = []
@hypothesis.settings(derandomize=True, database=None, max_examples=10, deadline=None)
@hypothesis.given(st.integers())
def prop(n):
    seen.append(n)
prop()
x = seen
""",
    "hypothesis hands out the global generator": """
import hypothesis, hypothesis.strategies as st, random
seen = []
@hypothesis.settings(derandomize=True, database=None, max_examples=5, deadline=None)
@hypothesis.given(st.randoms(use_true_random=False))
def prop(r):
    seen.append(r.random())
prop()
x = seen
""",
}
SNIPPETS = {f"unseeded {name}": code for name, code in UNSEEDED.items()} | SEEDED | HYPOTHESIS
SEEDS = ("aa", "aa", "bb")

# Forks once per snippet and seed, as runs do, and prints what each drew.
PROGRAM = """
import json, os, sys, hypothesis
from grader.workers import randomness
found = {}
draws = randomness.install()
for name, code in json.load(sys.stdin).items():
    for seed in %r:
        read, write = os.pipe()
        if os.fork() == 0:
            draws.begin(seed)
            space = {"__name__": "suite.test_a"}
            try:
                exec(code, space)
                said = [space["x"], draws.total()]
            except BaseException as error:
                said = [repr(error), -1]
            os.write(write, json.dumps(said).encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            found.setdefault(name, []).append(json.load(pipe))
        os.wait()
print(json.dumps(found))
"""

Drawn: TypeAlias = dict[str, list[tuple[object, int]]]


@pytest.fixture(scope="module")
def drawn() -> Drawn:
    """For each snippet and seed: what it drew, and how many draws were counted."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM % (SEEDS,)],
        input=json.dumps(SNIPPETS),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        cwd=ROOT,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"},
    )
    found: Drawn = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", UNSEEDED)
def test_unseeded_randomness_follows_the_seed_of_the_run_and_is_counted(name: str, drawn: Drawn) -> None:
    (first, count), (same, _count), (other, _other_count) = drawn[f"unseeded {name}"]
    assert first == same
    assert first != other
    assert count > 0


@pytest.mark.parametrize("name", SEEDED)
def test_what_the_suite_seeds_itself_is_its_own_and_not_counted(name: str, drawn: Drawn) -> None:
    assert [count for _value, count in drawn[name]] == [0, 0, 0]
    assert len({json.dumps(value) for value, _count in drawn[name]}) == 1


@pytest.mark.parametrize("name", HYPOTHESIS)
def test_hypothesis_is_not_counted(name: str, drawn: Drawn) -> None:
    assert [count for _value, count in drawn[name]] == [0, 0, 0]


def test_a_seeded_generator_gives_the_values_that_it_gives_without_the_grader() -> None:
    plain = [sys.executable, "-c", "import random; random.seed(1); print(random.random())"]
    ours = [
        sys.executable,
        "-c",
        f"from grader.workers import randomness; randomness.install().begin('aa'); {plain[2]}",
    ]
    found = [
        subprocess.run(command, capture_output=True, timeout=60, check=True, cwd=ROOT).stdout
        for command in (plain, ours)
    ]
    assert found[0] == found[1]


def test_a_derived_number_depends_on_seed_and_label() -> None:
    assert derive("aa", "random") == derive("aa", "random")
    assert len({derive("aa", "random"), derive("aa", "numpy"), derive("bb", "random")}) == 3
