"""The gradient checker that the other tests rely on: it passes right gradients and fails wrong ones."""

from collections.abc import Callable

import numpy as np
import pytest
from tinyllm.autograd.tensor import Tensor, attach

GradCheck = Callable[..., None]


def cube_with(vjp: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Callable[[Tensor], Tensor]:
    return lambda x: attach(x.data**3, (x, lambda g: vjp(g, x.data)))


def test_it_passes_a_right_gradient(gradcheck: GradCheck, rng: np.random.Generator) -> None:
    gradcheck(cube_with(lambda g, a: g * 3 * a**2), rng.normal(size=(3, 3)))


@pytest.mark.parametrize(
    "vjp",
    [
        pytest.param(lambda g, a: -g * 3 * a**2, id="wrong sign"),
        pytest.param(lambda g, a: g * a**2, id="lost factor"),
        pytest.param(lambda g, a: g * 3 * a**2 * 1.00001, id="a little off"),
        pytest.param(lambda g, a: 3 * a**2 + 0 * g, id="upstream gradient ignored"),
        pytest.param(lambda g, a: g.T * 3 * a**2, id="upstream gradient transposed"),
        pytest.param(lambda g, a: (g * 3 * a**2).sum() + 0 * a, id="summed"),
        pytest.param(lambda g, a: np.where(a == a.flat[4], 0, g * 3 * a**2), id="one element missing"),
        pytest.param(lambda g, a: 0 * g * a, id="zero"),
    ],
)
def test_it_fails_a_wrong_gradient(
    vjp: Callable[[np.ndarray, np.ndarray], np.ndarray], gradcheck: GradCheck, rng: np.random.Generator
) -> None:
    with pytest.raises(AssertionError, match="input 0"):
        gradcheck(cube_with(vjp), rng.normal(size=(3, 3)))


def test_it_fails_a_gradient_that_does_not_reach_an_input(gradcheck: GradCheck) -> None:
    with pytest.raises(AssertionError, match=r"input 1 of shape \(2,\) got no gradient"):
        gradcheck(lambda a, b: a * b.data, np.ones(2), np.ones(2))


def test_it_fails_a_wrong_gradient_of_the_second_input(gradcheck: GradCheck) -> None:
    with pytest.raises(AssertionError, match="input 1"):
        gradcheck(
            lambda a, b: attach(a.data - b.data, (a, lambda g: g), (b, lambda g: g)), np.ones(2), np.ones(2)
        )
