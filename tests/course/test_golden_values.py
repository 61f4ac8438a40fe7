"""The golden values of L7.1 are well formed, agree with the closed form, and can tell the faults apart.

The layout of the file is in the docstring of the script beside it, `fixtures/L7.1/rmsnorm_hf.py`. The oracle
here is the formula and its gradients in numpy float64: neither torch nor tinyllm takes part.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from numpy.typing import NDArray

FIXTURES = Path(__file__).parents[2] / "fixtures" / "L7.1"
GOLDEN = FIXTURES / "rmsnorm_hf.npz"
NAMES = ["llama", "gemma"]
EPSILONS = {1e-6, 1e-5, 1e-2, 0.0}
SCALES = {1.0, 1e-3, 1e2, 1e-2}
SHAPES = {(4,), (2, 5, 8), (3, 16), (1, 64)}
ARRAYS = ["x", "weight", "out", "upstream", "grad_x", "grad_weight"]

# float32 rounding of a few operations, as a part of the largest value of an array. The float64 formula agrees
# with every stored array to 3e-7.
TOLERANCE = 1e-6
# What a course test at float32 can be expected to see: well above its own tolerance of 1e-5.
VISIBLE = 1e-3

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Golden = dict[str, NDArray[Any]]
Formula = Callable[[Array, Array, float, float], Array]  # (x, weight, eps, offset) -> out


@dataclass(frozen=True)
class Case:
    """One stored forward and backward; the shapes of its arrays are in the script's docstring."""

    key: str
    offset: float
    eps: float
    scale: float
    arrays: dict[str, Floats]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.arrays["x"].shape

    def double(self, name: str) -> Array:
        return self.arrays[name].astype(np.float64)

    def apply(self, formula: Formula) -> Array:
        return formula(self.double("x"), self.double("weight"), self.eps, self.offset)


@pytest.fixture(scope="module")
def golden() -> Golden:
    with np.load(GOLDEN, allow_pickle=False) as stored:
        return dict(stored)


def cases_of(golden: Golden, name: str) -> list[Case]:
    return [read_case(golden, name, index) for index in range(int(golden[f"{name}/cases"]))]


def read_case(golden: Golden, name: str, index: int) -> Case:
    key = f"{name}/{index}"
    return Case(
        key=key,
        offset=float(golden[f"{name}/offset"]),
        eps=float(golden[f"{key}/eps"]),
        scale=float(golden[f"{key}/scale"]),
        arrays={array: golden[f"{key}/{array}"] for array in ARRAYS},
    )


def inverse_rms(x: Array, eps: float) -> Array:
    """1 / sqrt(mean(x²) + eps), [..., d] -> [..., 1]."""
    return np.asarray(1.0 / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps))


def rmsnorm(x: Array, weight: Array, eps: float, offset: float) -> Array:
    return x * inverse_rms(x, eps) * (offset + weight)


def rmsnorm_vjp(case: Case) -> tuple[Array, Array]:
    """The gradients of x [..., d] and of the gain [d], with r = 1 / rms(x) and u = upstream · (offset + weight).

    By x: r · u − r³ · x · mean(u · x). By the gain: the sum over all vectors of x · r · upstream.
    """
    x, upstream = case.double("x"), case.double("upstream")
    r = inverse_rms(x, case.eps)
    u = upstream * (case.offset + case.double("weight"))
    grad_x = r * u - r**3 * x * np.mean(u * x, axis=-1, keepdims=True)
    return grad_x, (x * r * upstream).reshape(-1, x.shape[-1]).sum(axis=0)


def eps_outside_the_root(x: Array, weight: Array, eps: float, offset: float) -> Array:
    return np.asarray(x / (np.sqrt(np.mean(x * x, axis=-1, keepdims=True)) + eps) * (offset + weight))


def mean_subtracted(x: Array, weight: Array, eps: float, offset: float) -> Array:
    return rmsnorm(x - np.mean(x, axis=-1, keepdims=True), weight, eps, offset)


def mean_over_the_first_axis(x: Array, weight: Array, eps: float, offset: float) -> Array:
    return np.asarray(x / np.sqrt(np.mean(x * x, axis=0, keepdims=True) + eps) * (offset + weight))


def sum_for_mean(x: Array, weight: Array, eps: float, offset: float) -> Array:
    return np.asarray(x / np.sqrt(np.sum(x * x, axis=-1, keepdims=True) + eps) * (offset + weight))


def offset_dropped(x: Array, weight: Array, eps: float, offset: float) -> Array:
    return rmsnorm(x, weight, eps, 0.0)


def error(actual: Array, expected: Array) -> float:
    """The largest difference as a part of the largest value of either; 0 where both are all zeros."""
    assert actual.shape == expected.shape
    difference = float(np.max(np.abs(actual - expected)))
    return difference and difference / float(np.max(np.abs([actual, expected])))


def test_the_file_holds_plain_arrays_only(golden: Golden) -> None:
    # Loading with allow_pickle=False refuses an object array when it is read, and the fixture reads each.
    assert {array.dtype.kind for array in golden.values()} == {"U", "f", "i"}


def test_the_file_is_small_and_free_of_the_time_it_was_written() -> None:
    assert GOLDEN.stat().st_size < 200_000
    with ZipFile(GOLDEN) as archive:
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_the_versions_and_the_seed_are_recorded(golden: Golden) -> None:
    assert str(golden["meta/torch"]) == "2.13.0+cpu"
    assert str(golden["meta/transformers"]) == "5.19.0"
    assert golden["meta/seed"].shape == ()
    assert golden["meta/seed"].dtype == np.int64


@pytest.mark.parametrize("library", ["numpy", "torch", "transformers"])
def test_the_requirements_pin_what_the_values_were_made_with(golden: Golden, library: str) -> None:
    lines = (FIXTURES / "rmsnorm_hf.requirements.txt").read_text(encoding="utf-8").splitlines()
    assert f"{library}=={golden[f'meta/{library}']}" in lines


@pytest.mark.parametrize(
    ("name", "source", "offset"),
    [
        ("llama", "transformers.models.llama.modeling_llama.LlamaRMSNorm", 0.0),
        ("gemma", "transformers.models.gemma.modeling_gemma.GemmaRMSNorm", 1.0),
    ],
)
def test_both_classes_are_covered(golden: Golden, name: str, source: str, offset: float) -> None:
    assert str(golden[f"{name}/source"]) == source
    assert float(golden[f"{name}/offset"]) == offset
    assert len(cases_of(golden, name)) == 18


@pytest.mark.parametrize("name", NAMES)
def test_every_eps_meets_every_scale(golden: Golden, name: str) -> None:
    pairs = {(case.eps, case.scale) for case in cases_of(golden, name)}
    assert pairs >= set(product(EPSILONS, SCALES))


@pytest.mark.parametrize("name", NAMES)
def test_every_shape_meets_every_eps_and_every_scale(golden: Golden, name: str) -> None:
    cases = cases_of(golden, name)
    assert {(case.shape, case.eps) for case in cases} == set(product(SHAPES, EPSILONS))
    assert {(case.shape, case.scale) for case in cases} >= set(product(SHAPES, SCALES))


@pytest.mark.parametrize("name", NAMES)
def test_every_array_is_finite_float32_of_its_shape(golden: Golden, name: str) -> None:
    for case in cases_of(golden, name):
        for key, array in case.arrays.items():
            assert array.dtype == np.float32, f"{case.key}/{key}"
            assert array.shape == (case.shape[-1:] if "weight" in key else case.shape), f"{case.key}/{key}"
            assert np.isfinite(array).all(), f"{case.key}/{key}"


@pytest.mark.parametrize("name", NAMES)
def test_the_inputs_have_the_scale_that_is_recorded(golden: Golden, name: str) -> None:
    for case in cases_of(golden, name):
        root_mean_square = float(np.sqrt(np.mean(case.double("x") ** 2)))
        assert case.scale / 5 <= root_mean_square <= case.scale * 2, case.key


@pytest.mark.parametrize(("name", "initial"), [("llama", 1.0), ("gemma", 0.0)])
def test_only_the_first_case_keeps_the_initial_gain(golden: Golden, name: str, initial: float) -> None:
    fresh, *others = cases_of(golden, name)
    assert (fresh.arrays["weight"] == initial).all()
    for case in others:
        weight = case.arrays["weight"]
        assert (weight != initial).all(), case.key
        assert len(np.unique(weight)) == weight.size, case.key


@pytest.mark.parametrize("name", NAMES)
def test_the_outputs_agree_with_the_formula(golden: Golden, name: str) -> None:
    errors = {case.key: error(case.double("out"), case.apply(rmsnorm)) for case in cases_of(golden, name)}
    assert max(errors.values()) <= TOLERANCE, errors


@pytest.mark.parametrize("name", NAMES)
def test_the_gradients_agree_with_the_closed_form(golden: Golden, name: str) -> None:
    for case in cases_of(golden, name):
        grad_x, grad_weight = rmsnorm_vjp(case)
        assert error(case.double("grad_x"), grad_x) <= TOLERANCE, case.key
        assert error(case.double("grad_weight"), grad_weight) <= TOLERANCE, case.key


@pytest.mark.parametrize("name", NAMES)
def test_every_small_input_shows_an_eps_outside_the_root(golden: Golden, name: str) -> None:
    small = [case for case in cases_of(golden, name) if case.scale == 1e-3 and case.eps > 0]
    assert len(small) == 3
    for case in small:
        assert error(case.double("out"), case.apply(eps_outside_the_root)) > 0.1, case.key


@pytest.mark.parametrize("name", NAMES)
def test_inputs_of_ordinary_size_barely_show_an_eps_outside_the_root(golden: Golden, name: str) -> None:
    # Why the small inputs are needed: at eps = 1e-6 the two places of eps differ by about eps itself.
    ordinary = [case for case in cases_of(golden, name) if case.scale >= 1 and case.eps == 1e-6]
    assert len(ordinary) == 3
    for case in ordinary:
        assert error(case.double("out"), case.apply(eps_outside_the_root)) < 1e-5, case.key


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("formula", [mean_subtracted, sum_for_mean])
def test_every_nonzero_input_shows_a_wrong_statistic(golden: Golden, name: str, formula: Formula) -> None:
    nonzero = [case for case in cases_of(golden, name) if case.scale > 0]
    # Inputs of size 1e-3 at eps = 1e-2 are left out: eps outweighs the mean of squares there, whatever it is.
    telling = [case for case in nonzero if case.eps <= 100 * case.scale**2]
    errors = {case.key: error(case.double("out"), case.apply(formula)) for case in telling}
    assert len(errors) == 16
    assert min(errors.values()) > VISIBLE, errors


@pytest.mark.parametrize("name", NAMES)
def test_every_input_of_several_vectors_shows_a_mean_over_the_wrong_axis(golden: Golden, name: str) -> None:
    stacked = [case for case in cases_of(golden, name) if len(case.shape) > 1 and case.scale >= 1]
    errors = {case.key: error(case.double("out"), case.apply(mean_over_the_first_axis)) for case in stacked}
    assert min(errors.values()) > VISIBLE, errors


def test_every_nonzero_gemma_case_shows_a_missing_offset(golden: Golden) -> None:
    nonzero = [case for case in cases_of(golden, "gemma") if case.scale > 0]
    errors = {case.key: error(case.double("out"), case.apply(offset_dropped)) for case in nonzero}
    assert min(errors.values()) > VISIBLE, errors


def test_the_error_measure_sees_one_wrong_value() -> None:
    expected = np.array([1.0, -4.0, 2.0])
    assert error(expected, expected) == 0.0
    assert error(np.array([1.0, -4.0, 2.1]), expected) == pytest.approx(0.025)
