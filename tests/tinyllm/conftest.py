from collections.abc import Callable

import numpy as np
import pytest
from tinyllm.autograd.tensor import Tensor

STEP = 1e-6  # the error of a central difference is about STEP² from the curve and 1e-16 / STEP from rounding
TOLERANCE = 1e-7


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.fixture
def gradcheck() -> Callable[..., None]:
    """`gradcheck(f, *arrays)` fails unless the gradients of `f`, a function of tensors, are right."""
    return check_gradients


def check_gradients(f: Callable[..., Tensor], *arrays: np.ndarray) -> None:
    """Compare `backward()` with central differences in float64, for every element of every input.

    The upstream gradient is random: with ones, a gradient that is transposed or summed might pass.
    """
    inputs = [Tensor(np.asarray(a, dtype=np.float64), requires_grad=True) for a in arrays]
    y = f(*inputs)
    upstream = np.random.default_rng(0).normal(size=y.shape)
    y.backward(upstream)
    for position, x in enumerate(inputs):
        assert x.grad is not None, f"input {position} of shape {x.shape} got no gradient"
        expected = central_difference(lambda: float((f(*inputs).data * upstream).sum()), x.data)
        np.testing.assert_allclose(
            x.grad, expected, TOLERANCE, TOLERANCE, err_msg=f"input {position}", strict=True
        )


def central_difference(value: Callable[[], float], a: np.ndarray) -> np.ndarray:
    """The slope of `value`, which reads `a`, along each element of `a`; `a` is as before afterwards."""
    slope = np.empty_like(a)
    for i in np.ndindex(a.shape):
        here = a[i]
        a[i] = here + STEP
        above = value()
        a[i] = here - STEP
        slope[i] = (above - value()) / (2 * STEP)
        a[i] = here
    return slope
