"""Which program runs in which setting and in which order: drawn from the seed of the grading, before anything runs."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.workers.wire import Order

if TYPE_CHECKING:
    from grader.programs import Program, Programs

CORRECT_RUNS_WITH_RANDOMNESS = 12
LATER_CORRECT_RUNS = 2  # among the repeats, so that their time and number tell nothing
OTHER_SEEDS = 3  # seeds that are tried before a failure is blamed on anything but chance


@dataclass(frozen=True)
class Setting:
    """The order and the seed in which a suite runs; neither depends on the program."""

    order: Order
    order_seed: int
    seed: str

    def in_collection_order(self) -> Setting:
        """The same seed, in the order in which pytest finds the tests."""
        return Setting(Order.COLLECTION, 0, self.seed)

    def with_other_seeds(self) -> list[Setting]:
        """The same order, with other seeds that follow from this one."""
        return [Setting(self.order, self.order_seed, _hash(self.seed, str(i))) for i in range(OTHER_SEEDS)]


@dataclass(frozen=True)
class Planned:
    """A program and the setting that it runs in."""

    program: Program
    setting: Setting


@dataclass(frozen=True)
class Plan:
    """All first runs of a grading.

    Attributes:
        correct: every run of a correct program, each in a setting of its own; reference in collection order first.
        extra: further correct runs, for a suite that draws randomness.
        canary: the canary's run.
        faults: each fault's first run.
        repeats: fault's name → the other setting in which its failures must show again.
        first: the correct run that comes before all others.
        rest: what comes after it and the canary, in random order.
        later: what comes when all these are done, in random order: the faults, for their repeats, and correct runs that
            were made before, which must come out as before.
    """

    correct: tuple[Planned, ...]
    extra: tuple[Planned, ...]
    canary: Planned
    faults: tuple[Planned, ...]
    repeats: dict[str, Setting]
    first: Planned
    rest: tuple[Planned, ...]
    later: tuple[Planned, ...]


def draw_plan(programs: Programs, seed: int) -> Plan:
    """The plan that follows from `seed`."""
    draw = random.Random(_hash(str(seed), "plan"))  # noqa: S311 - to be repeatable is its purpose
    owners = [programs.reference, *programs.correct]
    settings = [_setting(seed, index) for index in range(len(owners))]
    correct = tuple(Planned(program, setting) for program, setting in zip(owners, settings, strict=True))
    pairs = {fault.name: draw.sample(settings, 2) for fault in programs.faults}
    faults = tuple(Planned(fault, pairs[fault.name][0]) for fault in programs.faults)
    first = draw.choice(correct)
    rest = [planned for planned in (*correct, *faults) if planned is not first]
    draw.shuffle(rest)
    later = [*faults, *draw.sample(correct, min(LATER_CORRECT_RUNS, len(correct)))]
    draw.shuffle(later)
    return Plan(
        correct=correct,
        extra=_extra(programs, seed, len(owners)),
        canary=Planned(programs.canary, draw.choice(settings)),
        faults=faults,
        repeats={name: pair[1] for name, pair in pairs.items()},
        first=first,
        rest=tuple(rest),
        later=tuple(later),
    )


def _extra(programs: Programs, seed: int, made: int) -> tuple[Planned, ...]:
    count = max(0, CORRECT_RUNS_WITH_RANDOMNESS - made)
    owners = [programs.correct[index % len(programs.correct)] for index in range(count)]
    return tuple(Planned(program, _setting(seed, made + index)) for index, program in enumerate(owners))


def _setting(seed: int, index: int) -> Setting:
    """The reference's are the first two: collection order, and its exact reverse."""
    order = (Order.COLLECTION, Order.REVERSED)[index] if index < 2 else Order.SHUFFLED  # noqa: PLR2004 - see above
    digest = _hash(str(seed), f"order {index}")
    return Setting(order, int(digest[:12], 16), _hash(str(seed), f"setting {index}"))


def _hash(seed: str, label: str) -> str:
    return hashlib.sha256(f"{seed}/{label}".encode()).hexdigest()
