"""Values and gradients of the functions in F."""

from collections.abc import Callable

import numpy as np
import pytest
from tinyllm.autograd import functional as F
from tinyllm.autograd.tensor import Tensor

GradCheck = Callable[..., None]
Function = Callable[[Tensor], Tensor]

POSITIVE = {F.log: np.log, F.sqrt: np.sqrt}
ANYWHERE = {
    F.exp: np.exp,
    F.tanh: np.tanh,
    F.relu: lambda a: np.where(a > 0, a, 0),
    F.silu: lambda a: a / (1 + np.exp(-a)),
    F.gelu: lambda a: 0.5 * a * (1 + np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a**3))),
}


@pytest.mark.parametrize("shape", [(), (5,), (2, 3)])
@pytest.mark.parametrize(("f", "expected"), POSITIVE.items())
def test_functions_of_positive_numbers(
    f: Function,
    expected: Callable[[np.ndarray], np.ndarray],
    shape: tuple[int, ...],
    gradcheck: GradCheck,
    rng: np.random.Generator,
) -> None:
    a = np.asarray(rng.uniform(0.5, 3, shape))
    np.testing.assert_allclose(f(Tensor(a)).data, expected(a), rtol=1e-13)
    gradcheck(f, a)


@pytest.mark.parametrize("shape", [(), (5,), (2, 3)])
@pytest.mark.parametrize(("f", "expected"), ANYWHERE.items())
def test_functions_of_all_numbers(
    f: Function,
    expected: Callable[[np.ndarray], np.ndarray],
    shape: tuple[int, ...],
    gradcheck: GradCheck,
    rng: np.random.Generator,
) -> None:
    a = np.asarray(rng.normal(0, 2, shape))
    np.testing.assert_allclose(f(Tensor(a)).data, expected(a), rtol=1e-12)
    gradcheck(f, a)


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_relu_has_gradient_zero_at_zero(zero: float) -> None:
    x = Tensor([-1.0, zero, 1.0], requires_grad=True)
    y = F.relu(x)
    y.backward(np.full(3, 5.0))
    np.testing.assert_array_equal(y.data, [0, 0, 1])
    np.testing.assert_array_equal(x.grad, [0, 0, 5])


@pytest.mark.parametrize("f", [F.silu, F.gelu])
def test_silu_and_gelu_have_slope_one_half_at_zero(f: Function) -> None:
    x = Tensor([0.0], requires_grad=True)
    y = f(x)
    y.backward()
    assert y.data == 0
    np.testing.assert_array_equal(x.grad, [0.5])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("f", [F.silu, F.gelu])
def test_silu_and_gelu_become_relu_far_from_zero_without_a_warning(f: Function, dtype: type) -> None:
    far: np.ndarray = np.array([-1e38, -1e20, -1e4, -101, 101, 1e4, 1e20, 1e38], dtype=dtype)
    x = Tensor(far, requires_grad=True)
    y = f(x)
    y.backward(np.ones(8))
    np.testing.assert_allclose(y.data, np.maximum(far, 0), atol=1e-40)
    assert x.grad is not None
    np.testing.assert_allclose(x.grad, np.where(far > 0, 1, 0), atol=1e-40)


def test_gelu_keeps_its_digits_where_tanh_is_near_minus_one() -> None:
    x = Tensor(np.linspace(-6, -3, 7, dtype=np.float32))
    exact = F.gelu(Tensor(x.data.astype(np.float64))).data
    np.testing.assert_allclose(F.gelu(x).data, exact, rtol=2e-5)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_softmax_sums_to_one_over_its_axis(axis: int, gradcheck: GradCheck, rng: np.random.Generator) -> None:
    a = rng.normal(size=(2, 3, 4))
    y = F.softmax(Tensor(a), axis=axis).data
    np.testing.assert_allclose(y, np.exp(a) / np.exp(a).sum(axis=axis, keepdims=True), rtol=1e-13)
    np.testing.assert_allclose(y.sum(axis=axis), 1, rtol=1e-13)
    gradcheck(lambda x: F.softmax(x, axis), a)


def test_softmax_takes_the_last_axis_by_default(rng: np.random.Generator) -> None:
    x = Tensor(rng.normal(size=(2, 3)))
    np.testing.assert_array_equal(F.softmax(x).data, F.softmax(x, axis=1).data)


def test_softmax_of_a_tie_is_even(gradcheck: GradCheck) -> None:
    np.testing.assert_allclose(F.softmax(Tensor(np.full((2, 4), 3.0))).data, 0.25)
    gradcheck(F.softmax, np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 2.0]]))


def test_softmax_of_huge_numbers_and_of_a_mask_is_finite() -> None:
    x = Tensor([[1e38, 0.0, -1e38], [-np.inf, 5.0, 5.0]], requires_grad=True)
    y = F.softmax(x)
    y.backward(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]))
    np.testing.assert_allclose(y.data, np.array([[1, 0, 0], [0, 0.5, 0.5]]))
    assert x.grad is not None
    np.testing.assert_allclose(x.grad, np.array([[0, 0, 0], [0, -0.25, 0.25]]))


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
def test_reductions_are_those_of_the_tensor(
    axis: int | tuple[int, ...] | None, keepdims: bool, gradcheck: GradCheck, rng: np.random.Generator
) -> None:
    a = rng.normal(size=(2, 3))
    for f, expected in ((F.sum, np.sum), (F.mean, np.mean)):
        y = f(Tensor(a), axis=axis, keepdims=keepdims)
        np.testing.assert_allclose(y.data, expected(a, axis=axis, keepdims=keepdims), rtol=1e-13)
        gradcheck(lambda x, f=f: f(x, axis, keepdims), a)
