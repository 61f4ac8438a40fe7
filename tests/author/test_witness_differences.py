"""When two values differ enough for a witness: by a share of their size in arrays, and by more than the last bit in floats."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from grader.author.tolerance import LEAST
from grader.author.witness.differences import differ, difference, plain

DTYPES = ("float32", "float64")
each_dtype = pytest.mark.parametrize("dtype", DTYPES)


def array(*values: float) -> np.ndarray:
    return np.array(values)


@each_dtype
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_arrays_differ_from_a_share_of_their_size_on(dtype: str, size: float) -> None:
    right, step = array(size, -size / 2), size * LEAST[dtype]
    assert differ(right, right + array(0, 1.1 * step), dtype)
    assert not differ(right, right + array(0, 0.9 * step), dtype)


@each_dtype
def test_what_differs_holds_by_the_rule_for_stored_witnesses_too(dtype: str) -> None:
    source = np.random.default_rng(0)
    found = 0
    for _ in range(500):
        right = source.normal(size=3) * 10.0 ** source.integers(-6, 6)
        wrong = right * (1 + source.normal(size=3) * LEAST[dtype])
        if differ(right, wrong, dtype):
            found += 1
            assert np.abs(right - wrong).max() >= LEAST[dtype] * np.abs(right).max()
    assert 0 < found < 500


SAME: list[tuple[Any, Any]] = [
    (array(0, 0), array(0, 0)),
    (array(math.nan, 1), array(math.nan, 1)),
    (array(math.inf), array(math.inf)),
    (array(), array()),
    (np.float32(1), np.array(1, np.float32)[()]),
    (0.1 + 0.2, 0.3),
    (np.float64(1), 1.0),
    ([0.1 + 0.2, "a"], [0.3, "a"]),
    ({"a": array(1)}, {"a": array(1)}),
    (None, None),
    (2**60, 2**60),
    ("x", "x"),
    (np.array(["a"]), np.array(["a"])),
    ((1, (2.0,)), (1, (2.0,))),
]
UNLIKE: list[tuple[Any, Any]] = [
    (array(0, 0), array(0, 1e-9)),
    (array(math.nan, 1), array(0, 1)),
    (array(1), array(math.nan)),
    (array(1), array(1, 1)),
    (array(1), array(1).reshape(1, 1)),
    (array(1), None),
    (array(1), 1.0),
    (1.0, 1.1),
    ([1, 2], [1, 2, 3]),
    ([1, 2], (1, 2)),
    ({"a": 1}, {"b": 1}),
    (None, 0),
    (2**60, 2**60 + 1),
    ("x", "y"),
    (np.array(["a"]), np.array(["b"])),
    (True, False),
]


@each_dtype
@pytest.mark.parametrize(("one", "other"), SAME)
def test_these_are_the_same(one: object, other: object, dtype: str) -> None:
    assert not differ(one, other, dtype)
    assert not differ(other, one, dtype)


@each_dtype
@pytest.mark.parametrize(("one", "other"), UNLIKE)
def test_these_differ(one: object, other: object, dtype: str) -> None:
    assert differ(one, other, dtype)
    assert differ(other, one, dtype)


def test_what_cannot_be_compared_differs() -> None:
    class Touchy:
        def __ne__(self, other: object) -> bool:
            raise TypeError

        __hash__ = None  # type: ignore[assignment] # as for everything that has its own `!=`

    assert difference(Touchy(), Touchy()) == math.inf


@pytest.mark.parametrize(
    ("right", "wrong"), [(array(1), array(2)), (1.0, 2.0), ("a", "b"), (None, None), ([1], [2, 3])]
)
def test_values_of_one_type_and_shape_are_plain(right: object, wrong: object) -> None:
    assert plain(right, wrong)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (array(1), array(1, 2)),
        (array(1), array(math.inf)),
        (array(math.nan), array(1)),
        (array(1), None),
        (1.0, math.nan),
        (1, 1.5),
        ([array(1)], [array(2)]),
    ],
)
def test_others_are_not(right: object, wrong: object) -> None:
    assert not plain(right, wrong)
