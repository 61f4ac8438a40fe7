"""All randomness of a suite follows one seed, and draws that the suite did not seed are counted.

Covered: the functions of `random`, unseeded `random.Random()` and `SystemRandom`, the functions of `numpy.random`,
and unseeded `default_rng()`, `RandomState()`, `SeedSequence()`, bit generators. numpy takes its entropy from
`numpy.random.bit_generator.randbits`, an attribute of that module, so replacing it reaches all of them. Hypothesis
seeds and restores both global generators around each example; what it does is told apart by its module name.
"""

from __future__ import annotations

import hashlib
import os
import random
import sys
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import bit_generator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SEED_BYTES = 16
# Modules whose own generators decide nothing about a test: what they draw is not the suite's.
LIBRARIES = frozenset({"hypothesis", "tempfile"})


def derive(seed: str, label: str) -> int:
    """A number that follows from `seed` by a one-way hash; another label gives another number."""
    digest = hashlib.sha256(f"{seed}/{label}".encode()).digest()
    return int.from_bytes(digest[:SEED_BYTES], "big")


class Draws:
    """Counts what is drawn without a seed, from `begin` on; until then, entropy is the operating system's."""

    def __init__(self) -> None:
        self._entropy: random.Random | None = None
        self._count = 0
        self._global_random = _Global(random.getstate)
        self._global_numpy = _Global(lambda: np.random.get_state(legacy=False))  # noqa: NPY002 - what suites use

    def begin(self, seed: str) -> None:
        """Seed every generator from `seed`, in the run, before anything of the suite is imported."""
        random.seed(derive(seed, "random"))
        np.random.seed(derive(seed, "numpy") % 2**32)  # noqa: NPY002 - what suites use
        self._entropy = random.Random(derive(seed, "entropy"))  # noqa: S311 - to be repeatable is its purpose
        self._count = 0
        self._global_random.begin()
        self._global_numpy.begin()

    def bits(self, count: int, *, counted: bool = True) -> int:
        """Stand-in for entropy of the operating system."""
        if self._entropy is None:
            return int.from_bytes(os.urandom(-(-count // 8)), "big") >> (-count % 8)
        self._count += counted
        return self._entropy.getrandbits(count)

    @contextmanager
    def uncounted(self) -> Iterator[None]:
        """Entropy that is drawn meanwhile is thrown away by whoever draws it."""
        before = self._count
        yield
        self._count = before

    def total(self) -> int:
        """Draws so far; the two global generators count once each, however often they were used."""
        self._global_random.look()
        self._global_numpy.look()
        return self._count + self._global_random.unseeded + self._global_numpy.unseeded

    def seeding_random(self) -> None:
        """The suite seeds the global generator of `random`."""
        self._global_random.suite_seeds()

    def seeding_numpy(self) -> None:
        """The suite seeds the global generator of `numpy.random`."""
        self._global_numpy.suite_seeds()


class _Global:
    """A global generator: has it moved from where we put it, before the suite put it elsewhere?"""

    def __init__(self, state: Callable[[], Any]) -> None:
        self._state = state
        self._start: Any = None
        self._seeded = False
        self.unseeded = False

    def begin(self) -> None:
        self._start = _plain(self._state())
        self._seeded = False
        self.unseeded = False

    def look(self) -> None:
        if not self._seeded and _plain(self._state()) != self._start:
            self.unseeded = True

    def suite_seeds(self) -> None:
        self.look()
        self._seeded = True


def _plain(state: Any) -> Any:
    if isinstance(state, dict):
        return {key: _plain(value) for key, value in state.items()}
    return state.tobytes() if isinstance(state, np.ndarray) else state


def install() -> Draws:
    """Put the counters in place, once for all runs that are forked from this process; `begin` starts them in each."""
    draws = Draws()
    _patch_random(draws)
    _patch_numpy(draws)
    return draws


def _caller_is_a_library() -> bool:
    """Whether one of `LIBRARIES` called the function that asks; frames of `random` itself do not count."""
    frame = sys._getframe(2)  # noqa: SLF001 - the caller's module is the question
    while frame.f_back is not None and frame.f_globals.get("__name__") == "random":
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] in LIBRARIES


def _patch_random(draws: Draws) -> None:
    plain_seed = random.Random.seed
    plain_setstate = random.Random.setstate
    shared = random._inst  # noqa: SLF001 - the generator behind `random.random`

    def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
        by_library = _caller_is_a_library()
        if self is shared and a is not None and not by_library:
            draws.seeding_random()
        plain_seed(self, draws.bits(128, counted=not by_library) if a is None else a, version)

    def setstate(self: random.Random, state: Any) -> None:
        if self is shared and not _caller_is_a_library():
            draws.seeding_random()
        plain_setstate(self, state)

    random.Random.seed = seed  # type: ignore[method-assign]  # the point of this module
    random.Random.setstate = setstate  # type: ignore[method-assign]  # as above
    random.seed = shared.seed
    random.setstate = shared.setstate
    random._urandom = lambda size: draws.bits(8 * size).to_bytes(size, "big")  # type: ignore[attr-defined]  # noqa: SLF001 - SystemRandom's source


def _patch_numpy(draws: Draws) -> None:
    plain_seed = np.random.seed
    plain_set_state = np.random.set_state
    plain_state = np.random.RandomState

    def seed(seed: Any = None) -> None:
        if seed is not None and not _caller_is_a_library():
            draws.seeding_numpy()
        plain_seed(seed)

    def set_state(state: Any) -> None:
        if not _caller_is_a_library():
            draws.seeding_numpy()
        plain_set_state(state)

    class SameKind(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, plain_state)

    class RandomState(plain_state, metaclass=SameKind):  # type: ignore[misc,valid-type]  # a class of numpy's own
        def __init__(self, seed: Any = None) -> None:
            # numpy makes a generator from entropy first, and then seeds it.
            with draws.uncounted() if seed is not None else nullcontext():
                super().__init__(seed)

    np.random.RandomState = RandomState  # type: ignore[misc]  # the point of this module
    np.random.seed = seed
    np.random.set_state = set_state
    bit_generator.randbits = draws.bits  # type: ignore[attr-defined]  # a module attribute, see above
