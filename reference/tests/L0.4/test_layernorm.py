"""What LayerNorm and its residual step must do. A test's docstring says its kind, what it checks, what relies on it.

Gains and shifts are set by hand except where the initial ones are the question, and single vectors are used
except where examples are: a fault fails the tests that name it and few others.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import ArrayLike
from tinyllm.autograd.tensor import Tensor
from tinyllm.nn.layers import LayerNorm, Linear, post_norm_residual

GOLDEN = Path(__file__).resolve().parents[3] / "fixtures" / "L0.4" / "layernorm_torch.npz"
DEFAULT_EPS = 1e-5  # torch's, and the contract's


def make_norm(gain: ArrayLike, shift: ArrayLike, eps: float | None = None) -> LayerNorm:
    """A norm with this gain and shift, in float64 if the gain is; eps is the norm's own default unless given."""
    weight = np.asarray(gain)
    dtype = np.float64 if weight.dtype == np.float64 else np.float32
    norm = LayerNorm(weight.size) if eps is None else LayerNorm(weight.size, eps=eps)
    norm.weight.data, norm.bias.data = weight.astype(dtype), np.array(shift, dtype=dtype)
    return norm


def normalized(x: ArrayLike) -> np.ndarray:
    """What a norm with gains of one, shifts of zero and no eps makes of x, in float32."""
    values = np.asarray(x, dtype=np.float32)
    width = values.shape[-1]
    return make_norm(np.ones(width, np.float32), np.zeros(width), eps=0.0)(Tensor(values)).data


def assert_near(got: np.ndarray | None, want: np.ndarray, what: str, tolerance: float = 1e-5) -> None:
    """Equal up to rounding, measured by the largest element of `want`."""
    assert got is not None, f"{what} is None"
    size = float(np.abs(want).max())
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * size, err_msg=what)


def test_hand_example() -> None:
    """[unit] (1, 7, 9, 15) has mean 8 and standard deviation 5: with a fresh gain and shift, and with others.

    Downstream: you and the test agree on the formula.
    """
    x = Tensor([1.0, 7.0, 9.0, 15.0])
    for gain, shift, want in (
        ((1, 1, 1, 1), (0, 0, 0, 0), (-1.4, -0.2, 0.2, 1.4)),
        ((1, 5, 2, 0.5), (0, 1, -1, 0.3), (-1.4, 0, -0.6, 1)),
    ):
        y = make_norm(np.array(gain, np.float32), shift, eps=0.0)(x)
        what = f"gain {gain}, shift {shift}"
        np.testing.assert_allclose(y.data, want, rtol=1e-6, atol=1e-6, err_msg=what)


class Golden(NamedTuple):
    """What torch's LayerNorm made of one input: x, out and their gradients [..., d], those of gain and shift [d]."""

    what: str
    size: float
    eps: float
    x: np.ndarray
    weight: np.ndarray
    bias: np.ndarray
    out: np.ndarray
    upstream: np.ndarray
    grad_x: np.ndarray
    grad_weight: np.ndarray
    grad_bias: np.ndarray


@cache
def golden(dtype: str) -> list[Golden]:
    """All stored cases of one dtype."""
    arrays = Golden._fields[3:]
    with np.load(GOLDEN, allow_pickle=False) as stored:
        cases = []
        for i in range(int(stored[f"{dtype}/cases"])):
            size, eps = (float(stored[f"{dtype}/{i}/{name}"]) for name in ("scale", "eps"))
            what = f"{dtype} case {i}, x of size {size:g}, eps {eps:g}"
            cases.append(Golden(what, size, eps, *(stored[f"{dtype}/{i}/{name}"] for name in arrays)))
    return cases


def compare_with_golden(dtype: str, tolerance: float) -> None:
    """Output and all three gradients of every case."""
    for case in golden(dtype):
        norm = make_norm(case.weight, case.bias, case.eps)
        x = Tensor(case.x, requires_grad=True)
        y = norm(x)
        y.backward(case.upstream)
        assert_near(y.data, case.out, f"output, {case.what}", tolerance)
        assert_near(x.grad, case.grad_x, f"gradient of x, {case.what}", tolerance)
        assert_near(norm.weight.grad, case.grad_weight, f"gradient of the gain, {case.what}", tolerance)
        assert_near(norm.bias.grad, case.grad_bias, f"gradient of the shift, {case.what}", tolerance)


def test_golden_torch() -> None:
    """[golden] Output and gradients equal those of torch.nn.LayerNorm in float32.

    Downstream: checkpoints of GPT-2 and BERT, whose norms are these.
    """
    compare_with_golden("float32", tolerance=1e-5)


def test_golden_torch_float64() -> None:
    """[golden] Output and gradients equal those of torch.nn.LayerNorm in float64, where nothing hides in rounding.

    Downstream: every gradient check of a block that has a norm in it.
    """
    compare_with_golden("float64", tolerance=1e-12)


def test_eps_inside_the_root() -> None:
    """[golden] For x of size 1e-3, where eps is much of the denominator, outputs equal torch's; so does the default eps.

    Downstream: nearly constant vectors, such as those of a fresh embedding, in every model with a LayerNorm.
    """
    small = [case for case in golden("float32") if case.size == 1e-3]
    assert DEFAULT_EPS in {case.eps for case in small}
    for case in small:
        eps = None if case.eps == DEFAULT_EPS else case.eps
        y = make_norm(case.weight, case.bias, eps)(Tensor(case.x))
        assert_near(y.data, case.out, f"output, {case.what}")


def central_differences(f: Callable[[], float], at: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """df/d`at`, element by element; `f` reads `at`, which is moved in place and put back."""
    slope = np.zeros_like(at)
    for i in np.ndindex(at.shape):
        here = at[i]
        at[i] = here + step
        above = f()
        at[i] = here - step
        slope[i] = (above - f()) / (2 * step)
        at[i] = here
    return slope


def gradcheck(*names: str) -> None:
    """Compare gradients with central differences in float64; `names` are of x, weight and bias."""
    rng = np.random.default_rng(0)
    upstream = rng.standard_normal((2, 5))
    norm = make_norm(rng.standard_normal(5), rng.standard_normal(5), eps=1e-2)
    x = Tensor(rng.standard_normal((2, 5)), requires_grad=True)
    norm(x).backward(upstream)
    tensors = {"x": x, "weight": norm.weight, "bias": norm.bias}
    for name in names:
        tensor, what = tensors[name], f"gradient of {name}"
        assert tensor.grad is not None, f"{what} is None"
        estimate = central_differences(lambda: float((norm(x).data * upstream).sum()), tensor.data)
        np.testing.assert_allclose(tensor.grad, estimate, rtol=1e-6, atol=1e-8, err_msg=what)


def test_gradcheck_x() -> None:
    """[gradcheck] In float64, the gradient of x equals central differences.

    Downstream: everything before the norm learns through it.
    """
    gradcheck("x")


def test_gradcheck_gain_and_shift() -> None:
    """[gradcheck] In float64, the gradients of `weight` and `bias` equal central differences.

    Downstream: gain and shift learn at all.
    """
    gradcheck("weight", "bias")


def test_mean_zero_and_variance_one() -> None:
    """[property] Without eps the output has mean 0 and mean square 1.

    Downstream: a layer reads vectors of one size, whatever the depth.
    """
    y = normalized(np.random.default_rng(1).standard_normal(16))
    assert np.mean(y, dtype=np.float64) == pytest.approx(0, abs=1e-6)
    assert np.mean(np.square(y, dtype=np.float64)) == pytest.approx(1, rel=1e-5)


def test_scale_and_shift_invariance() -> None:
    """[property] Without eps the output depends neither on where x lies nor on how long it is.

    Downstream: what the layer before adds to all features alike, or multiplies all of them by, changes nothing.
    """
    x = np.random.default_rng(1).standard_normal(16)
    for scale, center in ((1e-3, 0.0), (7.0, -3.0), (1e4, 1e4)):
        what = f"x scaled by {scale:g} and moved by {center:g}"
        np.testing.assert_allclose(normalized(scale * x + center), normalized(x), atol=1e-5, err_msg=what)


def test_a_constant_vector_gives_the_shift() -> None:
    """[boundary] Where all features are equal, nothing is left but the shift.

    Downstream: padding and fresh embeddings give no NaN.
    """
    shift = np.array([1.0, -2.0, 0.5, 3.0])
    norm = make_norm(np.array([2, 3, 4, 5], np.float32), shift, eps=1e-5)
    for value in (3.0, -0.5, 0.0):
        y = norm(Tensor(np.full(4, value)))
        np.testing.assert_allclose(y.data, shift, rtol=1e-6, err_msg=f"x of {value} throughout")


def test_parameter_names_and_init() -> None:
    """[unit] Two parameters of width d, float32: `weight` of ones, then `bias` of zeros.

    Downstream: the keys of every norm in a checkpoint, and a new norm that only normalizes.
    """
    norm = LayerNorm(5)
    assert [name for name, _ in norm.named_parameters()] == ["weight", "bias"]
    for parameter, start in ((norm.weight, 1.0), (norm.bias, 0.0)):
        assert parameter.dtype == np.float32
        np.testing.assert_array_equal(parameter.data, np.full(5, start))


def test_normalizes_each_example_on_its_own() -> None:
    """[property] An example's output and gradient are the same in a batch as alone, in any number of axes.

    Downstream: nothing leaks between positions or sequences, and a batch of one is as good as any.
    """
    values, upstream = np.random.default_rng(4).standard_normal((2, 2, 3, 4)).astype(np.float32)
    values[0, 1] *= 100
    norm = make_norm(np.ones(4, np.float32), np.zeros(4), eps=1e-5)
    x = Tensor(values, requires_grad=True)
    y = norm(x)
    y.backward(upstream)
    assert x.grad is not None
    for example in np.ndindex(2, 3):
        alone = Tensor(values[example], requires_grad=True)
        y_alone = norm(alone)
        y_alone.backward(upstream[example])
        assert_near(y.data[example], y_alone.data, f"output of example {example}")
        assert_near(alone.grad, x.grad[example], f"gradient of example {example}")


def test_post_norm_residual_normalizes_the_sum() -> None:
    """[unit] The step is norm(x + F(x)), in value and in gradient, for any size of x.

    Downstream: both residual steps of a block of the 2017 transformer (L5.5).
    """
    norm, sublayer = make_norm(np.ones(8, np.float32), np.zeros(8), eps=1e-5), Linear(8, 8)
    values, upstream = np.random.default_rng(3).standard_normal((2, 8)).astype(np.float32)
    for scale in (1.0, 1e2, 1e4):
        x, same = (Tensor(scale * values, requires_grad=True) for _ in range(2))
        y, want = post_norm_residual(x, norm, sublayer), norm(same + sublayer(same))
        y.backward(upstream)
        want.backward(upstream)
        assert same.grad is not None
        assert_near(y.data, want.data, f"output, x scaled by {scale:g}")
        assert_near(x.grad, same.grad, f"gradient of x, x scaled by {scale:g}")


def test_post_norm_residual_feeds_the_stream_to_the_sublayer() -> None:
    """[unit] What the sublayer reads is x itself, not normalized.

    Downstream: attention and MLP of the 2017 block read the stream as it is (L5.5).
    """
    read = []

    def sublayer(h: Tensor) -> Tensor:
        read.append(h.data)
        return h * 2.0

    x = np.random.default_rng(5).standard_normal((3, 8)).astype(np.float32)
    post_norm_residual(Tensor(x), LayerNorm(8), sublayer)
    np.testing.assert_array_equal(read, [x])


def test_post_norm_residual_has_no_identity_path() -> None:
    """[property] A norm that gives zero lets nothing through, in value and in gradient, however large the stream.

    Downstream: vectors of one size at any depth, and the warm-up of the learning rate that post-norm needs (L5.5).
    """
    norm, sublayer = make_norm(np.zeros(8, np.float32), np.zeros(8), eps=1e-5), Linear(8, 8)
    values, upstream = np.random.default_rng(2).standard_normal((2, 3, 8)).astype(np.float32)
    x = Tensor(1e3 * values, requires_grad=True)
    y = post_norm_residual(x, norm, sublayer)
    y.backward(upstream)
    np.testing.assert_array_equal(y.data, np.zeros((3, 8)))
    np.testing.assert_array_equal(x.grad, np.zeros((3, 8)))


def test_validation() -> None:
    """[boundary] A wrong width, a width below 1, a negative eps and NaN are ValueErrors.

    Downstream: wiring bugs fail where they are made, and loudly.
    """
    norm = LayerNorm(4)
    for shape in ((3,), (5,), (1,), (4, 3), (2, 4, 1), ()):
        with pytest.raises(ValueError):  # noqa: PT011 - the contract fixes the type, not the words
            norm(Tensor(np.ones(shape, np.float32)))
    for d, eps in ((0, 1e-5), (-1, 1e-5), (4, -1e-5), (4, float("nan"))):
        with pytest.raises(ValueError):  # noqa: PT011 - the contract fixes the type, not the words
            LayerNorm(d, eps=eps)
    assert LayerNorm(1, eps=0.0).weight.shape == (1,)
    assert norm(Tensor(np.ones((2, 0, 4), np.float32))).shape == (2, 0, 4)
