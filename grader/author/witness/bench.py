"""Runs one input on the reference and on a faulty program, each freshly loaded, and compares what they give."""

from __future__ import annotations

import importlib
import random
import sys
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from grader import values
from grader.author.witness.differences import differ, difference, plain
from grader.author.witness.package import Package
from grader.author.witness.records import DTYPES, MAX_TEXT, Judged, Kind
from grader.author.witness.watchdog import Endless, Watchdog
from grader.lesson.syntax import compiled_witness

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType

    from grader.author.witness.records import Setup
    from grader.workers.wire import Module

NOISE = 100  # a difference is that many times what correct programs differ by, at least


@dataclass(frozen=True)
class Result:
    """What an input gives: a value; or the name of an exception; or nothing, for it does not end."""

    value: Any = None
    raised: str = ""
    endless: bool = False

    @property
    def is_value(self) -> bool:
        """Whether there is a value."""
        return not self.raised and not self.endless

    def text(self) -> str:
        """As a verb and its object."""
        if self.endless:
            return values.DOES_NOT_END
        return (
            values.raises(self.raised) if self.raised else values.gives(values.text_of(self.value)[:MAX_TEXT])
        )


@dataclass(frozen=True)
class Witness:
    """An input: the code of a module that defines `witness()`, and whether its value can depend on the dtype."""

    code: CodeType
    asks_for_dtype: bool


class World:
    """The course's package with one program in it, loaded again for each input: no input leaves anything to the next."""

    def __init__(self, setup: Setup, watchdog: Watchdog, changed: Sequence[Module]) -> None:
        own = {module.name: module for module in changed}
        self._setup = setup
        self._watchdog = watchdog
        self._package = Package([own.get(module.name, module) for module in setup.package])

    def results(self, witness: Witness) -> list[Result]:
        """What an input gives in each of `DTYPES`."""
        first = self._result(witness.code, DTYPES[0])
        # What does not end in one precision is not waited for in the other.
        if first.endless or not witness.asks_for_dtype:
            return [first] * len(DTYPES)
        return [first, *(self._result(witness.code, dtype) for dtype in DTYPES[1:])]

    def _result(self, code: CodeType, dtype: str) -> Result:
        random.seed(0)
        np.random.seed(0)  # noqa: NPY002 - the global state is what an input may draw from
        try:
            with self._watchdog.watching():
                namespace = self._load() | {"dtype": getattr(np, dtype)}
                exec(code, namespace)  # noqa: S102 - the course's own text
                return Result(namespace["witness"]())
        except BaseException as error:  # noqa: BLE001 - whatever a program or an input raises is what it gives
            return Result(endless=True) if isinstance(error, Endless) else Result(raised=type(error).__name__)

    def _load(self) -> dict[str, Any]:
        self._package.load()
        module = vars(sys.modules[self._setup.module])
        public = {name: value for name, value in module.items() if not name.startswith("__")}
        return public | {name: _resolved(target) for name, target in self._setup.names.items()}


class Trial:
    """One faulty program beside the reference, and the other correct programs for what is in doubt."""

    def __init__(self, setup: Setup, faulty: Sequence[Module]) -> None:
        warnings.simplefilter("ignore")
        np.seterr(all="ignore")
        watchdog = Watchdog()
        self._reference = World(setup, watchdog, [])
        self._faulty = World(setup, watchdog, faulty) if faulty else None
        # The reference once more: a result that changes from load to load shows nothing.
        self._correct = [World(setup, watchdog, changed) for changed in ([], *setup.correct)]

    def judge(self, call: str) -> Judged:
        """What an input shows."""
        try:
            witness = Witness(compiled_witness(call), "dtype" in call)
        except SyntaxError:
            return Judged(Kind.NONE, known=False)
        rights = self._reference.results(witness)
        known = all(right.is_value for right in rights)
        if self._faulty is None:
            return Judged(Kind.NONE, known=known, right=rights[0].text())
        wrongs = self._faulty.results(witness)
        kinds = [_kind(*each) for each in zip(rights, wrongs, DTYPES, strict=True)]
        shown = self._fairly_shown(witness, rights, wrongs, kinds)
        if not shown:
            return Judged(Kind.NONE, known=known)
        return Judged(
            max(kinds[place] for place in shown),
            tuple(DTYPES[place] for place in shown),
            known,
            rights[shown[0]].text(),
            wrongs[shown[0]].text(),
        )

    def _fairly_shown(
        self, witness: Witness, rights: Sequence[Result], wrongs: Sequence[Result], kinds: Sequence[Kind]
    ) -> list[int]:
        """Places of the dtypes in which the faulty program differs, and correct ones do not."""
        differing = [place for place, kind in enumerate(kinds) if kind is not Kind.NONE]
        if not differing:
            return []
        others = [world.results(witness) for world in self._correct]
        return [
            place
            for place in differing
            if _fair(rights[place], wrongs[place], [other[place] for other in others], DTYPES[place])
        ]


def _kind(right: Result, wrong: Result, dtype: str) -> Kind:
    if right.endless:
        return Kind.NONE
    if wrong.endless:
        return Kind.ENDLESS
    if right.raised != wrong.raised:
        return Kind.RAISED
    if right.raised or not differ(right.value, wrong.value, dtype):
        return Kind.NONE
    return Kind.PLAIN if plain(right.value, wrong.value) else Kind.ODD


def _fair(right: Result, wrong: Result, others: Sequence[Result], dtype: str) -> bool:
    """Whether all correct programs agree, as far as it takes to tell the faulty one from them."""
    if any(_kind(right, other, dtype) is not Kind.NONE for other in others):
        return False
    if not (right.is_value and wrong.is_value):
        return True
    spread = max(difference(right.value, other.value) for other in others)
    return difference(right.value, wrong.value) >= NOISE * spread


def _resolved(target: str) -> object:
    module, _, attribute = target.partition(":")
    found = importlib.import_module(module)
    return getattr(found, attribute) if attribute else found
