"""Values by which two programs are compared: what some short calls return on them."""

from __future__ import annotations

import importlib
import math
import warnings
from typing import TYPE_CHECKING, Any

from grader.author.candidates.records import Value
from grader.author.tolerance import LEAST
from grader.lesson.syntax import compiled_witness

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import CodeType, ModuleType

MOST_NUMBERS = 10_000
RAISED = "raised"


class Probes:
    """Bodies of witnesses, ready to be called on a module that is in use.

    Args:
        calls: the bodies.
        names: a name in them, to a module or `module:attribute`.
        module: whose names they see.
    """

    def __init__(self, calls: Sequence[str], names: Mapping[str, str], module: ModuleType) -> None:
        self._codes = [compiled_witness(call) for call in calls]
        self._names = {name: _resolved(target) for name, target in names.items()}
        self._module = module

    def values(self) -> list[Value]:
        """What each returns, for each of `LEAST`."""
        return [self._value(code, dtype) for code in self._codes for dtype in LEAST]

    def _value(self, code: CodeType, dtype: str) -> Value:
        import numpy as np  # noqa: PLC0415 - in the workbench alone

        space: dict[str, Any] = vars(self._module) | self._names | {"dtype": getattr(np, dtype)}
        try:
            exec(code, space)  # noqa: S102 - the course's own text
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return _plain(space["witness"]())
        except Exception as error:  # noqa: BLE001 - that a program raises is a way to differ
            return Value(RAISED, type(error).__name__, [])


def _resolved(target: str) -> object:
    module, _, attribute = target.partition(":")
    found = importlib.import_module(module)
    return getattr(found, attribute) if attribute else found


def _plain(value: object) -> Value:
    import numpy as np  # noqa: PLC0415 - in the workbench alone

    if isinstance(value, np.ndarray | np.generic | float) and np.asarray(value).dtype.kind in "biuf":
        array = np.asarray(value)
        return Value("array", str(array.shape), [float(each) for each in array.flat[:MOST_NUMBERS]])
    return Value("object", repr(value), [])


def alike(one: Sequence[Value], other: Sequence[Value]) -> bool:
    """Whether two programs gave the same values, as far as numbers go to the tolerance of each dtype."""
    tolerances = list(LEAST.values())
    return len(one) == len(other) and all(
        _same(a, b, tolerances[index % len(tolerances)])
        for index, (a, b) in enumerate(zip(one, other, strict=True))
    )


def _same(one: Value, other: Value, tolerance: float) -> bool:
    if (one.kind, one.text, len(one.numbers)) != (other.kind, other.text, len(other.numbers)):
        return False
    size = max((abs(each) for each in one.numbers + other.numbers if math.isfinite(each)), default=0.0)
    return all(
        a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) < tolerance * size
        for a, b in zip(one.numbers, other.numbers, strict=True)
    )
