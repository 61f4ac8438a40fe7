"""RMSNorm and pre_norm_residual."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from tinyllm.autograd.tensor import Tensor
from tinyllm.modern.norm import RMSNorm, pre_norm_residual
from tinyllm.nn.layers import LayerNorm, Linear, Module

GradCheck = Callable[..., None]
OFFSETS = [0.0, 1.0]


def oracle(x: np.ndarray, w: np.ndarray, eps: float, offset: float) -> np.ndarray:
    y: np.ndarray = x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) * (offset + w)
    return y


def norm_with(weight: Tensor, eps: float, offset: float) -> RMSNorm:
    norm = RMSNorm(weight.shape[0], eps=eps, offset=offset)
    norm.weight = weight
    return norm


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("eps", [0.0, 1e-6, 0.1])
@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 4), (1, 4), (0, 4), (3, 1)])
def test_rms_norm_is_its_formula_in_value_and_gradient(
    shape: tuple[int, ...], eps: float, offset: float, gradcheck: GradCheck, rng: np.random.Generator
) -> None:
    a, w = rng.normal(1, 2, size=shape), rng.normal(size=shape[-1])
    y = norm_with(Tensor(w), eps, offset)(Tensor(a))
    np.testing.assert_allclose(y.data, oracle(a, w, eps, offset), rtol=1e-12)
    gradcheck(lambda x, w: norm_with(w, eps, offset)(x), a, w)


def test_eps_rules_where_the_input_is_small(rng: np.random.Generator) -> None:
    a = 1e-3 * rng.normal(size=(3, 8))
    np.testing.assert_allclose(RMSNorm(8)(Tensor(a)).data, oracle(a, np.ones(8), 1e-6, 0), rtol=1e-12)


def test_a_zero_vector_stays_zero_and_has_a_gradient() -> None:
    x = Tensor(np.zeros(4), requires_grad=True)
    y = RMSNorm(4)(x)
    y.backward(np.ones(4))
    np.testing.assert_array_equal(y.data, np.zeros(4))
    assert x.grad is not None
    np.testing.assert_allclose(x.grad, np.full(4, 1e3))


@pytest.mark.parametrize(("offset", "expected"), [(0.0, 1), (1.0, 0), (0.25, 0.75), (1, 0)])
def test_a_fresh_norm_has_one_parameter_and_gain_one(offset: float, expected: float) -> None:
    norm = RMSNorm(3, offset=offset)
    [(name, weight)] = norm.named_parameters()
    assert name == "weight"
    assert weight.dtype == np.float32
    np.testing.assert_array_equal(weight.data, np.full(3, expected, np.float32), strict=True)


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_result_has_the_dtype_of_the_input(dtype: type, offset: float) -> None:
    norm, x = (
        RMSNorm(4, eps=np.float64(1e-5), offset=offset),
        Tensor(np.ones((2, 4), dtype), requires_grad=True),
    )
    y = pre_norm_residual(x, norm, norm)
    y.backward(np.ones((2, 4)))
    assert y.dtype == dtype
    assert x.grad is not None
    assert norm.weight.grad is not None
    assert x.grad.dtype == dtype
    assert norm.weight.grad.dtype == np.float32


@pytest.mark.parametrize("shape", [(3,), (2, 5), (), (4, 1), (4, 0)])
def test_a_wrong_width_is_named_with_the_right_one(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=re.escape(f"width 4 got x of shape {shape}")):
        RMSNorm(4)(Tensor(np.ones(shape)))


@pytest.mark.parametrize("d", [0, -1])
def test_a_width_below_one_is_refused(d: int) -> None:
    with pytest.raises(ValueError, match=f"d={d}"):
        RMSNorm(d)


@pytest.mark.parametrize("eps", [-1e-6, -1.0, float("nan"), -float("inf")])
def test_a_negative_eps_or_nan_is_refused(eps: float) -> None:
    with pytest.raises(ValueError, match=f"eps={eps}"):
        RMSNorm(4, eps=eps)


@pytest.mark.parametrize("norm", [RMSNorm(4, eps=0.1), RMSNorm(4, eps=0.1, offset=1), LayerNorm(4, eps=0.1)])
def test_the_stream_gets_the_gradient_of_the_skip_and_of_the_branch(
    norm: Module, gradcheck: GradCheck, rng: np.random.Generator
) -> None:
    x, w = rng.normal(size=(2, 3, 4)), rng.normal(size=(4, 4))
    y = pre_norm_residual(Tensor(x), norm, lambda h: h @ Tensor(w))
    np.testing.assert_allclose(y.data, x + norm(Tensor(x)).data @ w, rtol=1e-12)
    gradcheck(lambda x, w: pre_norm_residual(x, norm, lambda h: h @ w), x, w)


def test_a_branch_of_zeros_leaves_the_stream_and_its_gradient_alone(rng: np.random.Generator) -> None:
    x, branch = Tensor(rng.normal(size=(3, 4)), requires_grad=True), Linear(4, 4, bias=False)
    branch.weight.data[:] = 0
    y = pre_norm_residual(x, RMSNorm(4), branch)
    y.backward(np.ones((3, 4)))
    np.testing.assert_array_equal(y.data, x.data)
    np.testing.assert_array_equal(x.grad, np.ones((3, 4)))
