"""When two values differ enough to be a witness: arrays by a share of their size, anything else by `!=`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from grader.author.tolerance import LEAST

INEXACT = (float, complex, np.inexact)


def differ(right: Any, wrong: Any, dtype: str) -> bool:
    """Whether two values differ, relative to the larger of them by at least `LEAST`, where they are arrays or floats.

    Floats, which the rule for stored witnesses compares by `!=`, are compared as arrays are: the last bit is no witness.
    """
    found = difference(right, wrong)
    return found > 0 and (math.isinf(found) or found >= LEAST[dtype] * max(_size(right), _size(wrong)))


def difference(one: Any, other: Any) -> float:
    """The largest difference of two numbers in the same place; infinite for all that differs and is no number."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return _of_arrays(one, other)
    if isinstance(one, INEXACT) and isinstance(other, INEXACT):
        return _of_arrays(np.asarray(one), np.asarray(other))
    if isinstance(one, list | tuple) and type(one) is type(other) and len(one) == len(other):
        return max(map(difference, one, other), default=0.0)
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return max((difference(one[key], other[key]) for key in one), default=0.0)
    return math.inf if _unequal(one, other) else 0.0


def plain(right: Any, wrong: Any) -> bool:
    """Whether both are what a person compares at a glance: one type, one shape, no infinities."""
    if type(right) is not type(wrong):
        return False
    if isinstance(right, np.ndarray):
        return right.shape == wrong.shape and _finite(right) and _finite(wrong)
    if isinstance(right, INEXACT):
        return _finite(np.asarray(right)) and _finite(np.asarray(wrong))
    return not (isinstance(right, list | tuple) and any(isinstance(each, np.ndarray) for each in right))


def _of_arrays(one: np.ndarray, other: np.ndarray) -> float:
    if one.shape != other.shape or not (_numeric(one) and _numeric(other)):
        return math.inf if one.shape != other.shape or not np.array_equal(one, other) else 0.0
    a, b = (np.asarray(each, np.result_type(each, np.float64)) for each in (one, other))
    unequal = ~((a == b) | (np.isnan(a) & np.isnan(b)))
    apart = np.abs(a[unequal] - b[unequal])
    if not apart.size:
        return 0.0
    return float(apart.max()) if np.isfinite(apart).all() else math.inf


def _size(value: Any) -> float:
    if isinstance(value, list | tuple):
        return max(map(_size, value), default=0.0)
    if isinstance(value, dict):
        return max(map(_size, value.values()), default=0.0)
    if isinstance(value, np.ndarray | float | complex | np.inexact):
        array = np.asarray(value)
        return float(np.abs(array).max()) if array.size and _numeric(array) else 0.0
    return 0.0


def _unequal(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return True
    try:
        return bool(one != other)
    except Exception:  # noqa: BLE001 - what cannot be compared is not the same
        return True


def _numeric(array: np.ndarray) -> bool:
    return array.dtype.kind in "biufc"


def _finite(array: np.ndarray) -> bool:
    return not _numeric(array) or bool(np.isfinite(array).all())
