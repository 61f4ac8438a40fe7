"""What `tinyllm.modern.norm` must do. A test's docstring says its kind, what it checks, and what relies on it.

Gains are set by hand except where the initial gain is the question, and single vectors are used except
where tokens are: a fault fails the tests that name it and few others.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import ArrayLike
from tinyllm.autograd.tensor import Tensor
from tinyllm.modern.norm import RMSNorm, pre_norm_residual
from tinyllm.nn.layers import Linear

GOLDEN = Path(__file__).resolve().parents[3] / "fixtures" / "L7.1" / "rmsnorm_hf.npz"


def make_norm(gain: ArrayLike, eps: float, offset: float = 0.0) -> RMSNorm:
    """A norm whose stored gain (`weight`, without the offset) is `gain`."""
    weight = np.asarray(gain)
    norm = RMSNorm(weight.size, eps=eps, offset=offset)
    norm.weight.data = weight if weight.dtype == np.float64 else weight.astype(np.float32)
    return norm


def normalized(x: ArrayLike, eps: float = 0.0) -> np.ndarray:
    """What a norm with a gain of ones makes of x, in float32."""
    values = np.asarray(x, dtype=np.float32)
    return make_norm(np.ones(values.shape[-1], np.float32), eps)(Tensor(values)).data


def assert_near(got: np.ndarray | None, want: np.ndarray, what: str) -> None:
    """Equal up to float32 rounding, measured by the largest element of `want`."""
    assert got is not None, f"{what} is None"
    size = float(np.abs(want).max())
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=2e-6 * size, err_msg=what)


def test_hand_example() -> None:
    """[unit] (3, 4, 0, 0) has RMS 2.5: with a gain of ones, and with another.

    Downstream: you and the test agree on the formula.
    """
    x = Tensor([3.0, 4.0, 0.0, 0.0])
    for gain, want in (((1, 1, 1, 1), (1.2, 1.6, 0, 0)), ((1, 0.5, 2, 2), (1.2, 0.8, 0, 0))):
        y = make_norm(np.array(gain, np.float32), eps=0.0)(x)
        np.testing.assert_allclose(y.data, want, rtol=1e-6, err_msg=f"gain {gain}")


class Golden(NamedTuple):
    """What one Hugging Face norm made of one input: x, out and their gradients [..., d], the gain's [d]."""

    what: str
    size: float
    eps: float
    offset: float
    x: np.ndarray
    weight: np.ndarray
    out: np.ndarray
    upstream: np.ndarray
    grad_x: np.ndarray
    grad_weight: np.ndarray


@cache
def golden(model: str) -> list[Golden]:
    """All stored cases of one Hugging Face class."""
    arrays = Golden._fields[4:]
    with np.load(GOLDEN, allow_pickle=False) as stored:
        offset = float(stored[f"{model}/offset"])
        cases = []
        for i in range(int(stored[f"{model}/cases"])):
            size, eps = (float(stored[f"{model}/{i}/{name}"]) for name in ("scale", "eps"))
            what = f"{model} case {i}, x of size {size:g}, eps {eps:g}"
            cases.append(Golden(what, size, eps, offset, *(stored[f"{model}/{i}/{name}"] for name in arrays)))
    return cases


def compare_with_golden(model: str) -> None:
    """Output and both gradients of every case."""
    for case in golden(model):
        norm = make_norm(case.weight, case.eps, case.offset)
        x = Tensor(case.x, requires_grad=True)
        y = norm(x)
        y.backward(case.upstream)
        assert_near(y.data, case.out, f"output, {case.what}")
        assert_near(x.grad, case.grad_x, f"gradient of x, {case.what}")
        assert_near(norm.weight.grad, case.grad_weight, f"gradient of the gain, {case.what}")


def test_golden_hf_llama() -> None:
    """[golden] Output and gradients equal those of Hugging Face's LlamaRMSNorm.

    Downstream: SmolLM2's 61 norms, whose logits are compared with Hugging Face's (L7.9).
    """
    compare_with_golden("llama")


def test_golden_hf_gemma_offset() -> None:
    """[golden] With offset 1, output and gradients equal those of Hugging Face's GemmaRMSNorm.

    Downstream: checkpoints of the Gemma family, which store the gain minus one.
    """
    compare_with_golden("gemma")


def test_eps_inside_the_root() -> None:
    """[golden] For x of size 1e-3, where eps is much of the denominator, outputs equal Hugging Face's.

    Downstream: tiny activations in deep layers, in every model that is loaded from here on.
    """
    small = [case for case in golden("llama") if case.size == 1e-3]
    assert small
    for case in small:
        y = make_norm(case.weight, case.eps)(Tensor(case.x))
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


def test_gradcheck_x_and_gain() -> None:
    """[gradcheck] In float64, both gradients equal central differences, for both offsets.

    Downstream: everything before the norm learns through it, and the gain learns at all.
    """
    rng = np.random.default_rng(0)
    upstream = rng.standard_normal((2, 5))
    for offset in (0.0, 1.0):
        norm = make_norm(rng.standard_normal(5), eps=1e-2, offset=offset)
        x = Tensor(rng.standard_normal((2, 5)), requires_grad=True)
        norm(x).backward(upstream)

        def loss(norm: RMSNorm = norm, x: Tensor = x) -> float:
            return float((norm(x).data * upstream).sum())

        for name, tensor in (("x", x), ("the gain", norm.weight)):
            what = f"gradient of {name}, offset {offset:g}"
            assert tensor.grad is not None, f"{what} is None"
            estimate = central_differences(loss, tensor.data)
            np.testing.assert_allclose(tensor.grad, estimate, rtol=1e-6, atol=1e-8, err_msg=what)


def test_unit_rms_and_scale_invariance() -> None:
    """[property] Without eps the output's mean square is 1, and it does not depend on the length of x.

    Downstream: a sublayer sees the direction of its input, whatever the depth.
    """
    x = np.random.default_rng(1).standard_normal(16)
    y = normalized(x)
    assert np.mean(np.square(y, dtype=np.float64)) == pytest.approx(1, rel=1e-5)
    for c in (1e-3, 7.0, 1e4):
        np.testing.assert_allclose(normalized(c * x), y, rtol=1e-5, err_msg=f"x scaled by {c:g}")


def test_no_mean_is_subtracted() -> None:
    """[boundary] A constant vector stays constant and keeps its sign; any other keeps its direction.

    Downstream: RMSNorm is not LayerNorm, and a checkpoint of one is no checkpoint of the other.
    """
    for x in (np.full(6, 3.0), np.full(6, -0.5), np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])):
        ratio = normalized(x, eps=1e-6) / x
        assert ratio[0] > 0
        np.testing.assert_allclose(ratio, ratio[0], rtol=1e-5, err_msg=f"y / x for x = {x}")


def test_parameter_names_and_init() -> None:
    """[unit] One parameter, `weight` [d], float32: ones for offset 0, zeros for offset 1.

    Downstream: the key of every norm in a safetensors file, and a new norm that only normalizes.
    """
    for offset, start in ((0.0, 1.0), (1.0, 0.0)):
        norm = RMSNorm(5, offset=offset)
        assert [name for name, _ in norm.named_parameters()] == ["weight"]
        assert norm.weight.dtype == np.float32
        np.testing.assert_array_equal(norm.weight.data, np.full(5, start), err_msg=f"offset {offset:g}")


def test_pre_norm_residual_identity_path() -> None:
    """[property] A branch that gives zero leaves exactly x, and exactly the upstream gradient.

    Downstream: deep stacks train, since no norm stands between the loss and the embedding.
    """
    rng = np.random.default_rng(2)
    values, upstream = rng.standard_normal((2, 3, 8)).astype(np.float32)
    x = Tensor(values, requires_grad=True)
    y = pre_norm_residual(x, RMSNorm(8), lambda h: h * 0.0)
    y.backward(upstream)
    np.testing.assert_array_equal(y.data, values)
    np.testing.assert_array_equal(x.grad, upstream)


def test_pre_norm_residual_adds_the_branch() -> None:
    """[unit] The step is x + F(norm(x)), and the size of the branch does not follow the size of x.

    Downstream: both residual steps of a Llama block (L7.9).
    """
    norm, sublayer = make_norm(np.ones(8, np.float32), eps=1e-6), Linear(8, 8, bias=False)
    longest = np.linalg.norm(sublayer.weight.data, ord=2) * np.sqrt(8)  # of W h, for an h of unit RMS
    x = np.random.default_rng(3).standard_normal(8).astype(np.float32)
    for c in (1.0, 1e2, 1e4):
        stream = Tensor(c * x)
        y = pre_norm_residual(stream, norm, sublayer)
        want = stream.data + sublayer(norm(stream)).data
        np.testing.assert_allclose(y.data, want, rtol=1e-5, atol=1e-5, err_msg=f"x scaled by {c:g}")
        assert np.linalg.norm(y.data - stream.data) < 1.01 * longest, f"x scaled by {c:g}"


def test_normalizes_each_vector_on_its_own() -> None:
    """[property] A token's output and gradient are the same in a batch as alone, in any number of axes.

    Downstream: nothing leaks from later positions to earlier ones, or between sequences.
    """
    values, upstream = np.random.default_rng(4).standard_normal((2, 2, 3, 4)).astype(np.float32)
    values[0, 1] *= 100
    norm = make_norm(np.ones(4, np.float32), eps=1e-6)
    x = Tensor(values, requires_grad=True)
    y = norm(x)
    y.backward(upstream)
    assert x.grad is not None
    for token in np.ndindex(2, 3):
        alone = Tensor(values[token], requires_grad=True)
        y_alone = norm(alone)
        y_alone.backward(upstream[token])
        assert_near(y.data[token], y_alone.data, f"output of token {token}")
        assert_near(alone.grad, x.grad[token], f"gradient of token {token}")


def test_validation() -> None:
    """[boundary] A wrong width, a width below 1, a negative eps and NaN are ValueErrors.

    Downstream: wiring bugs fail where they are made, and loudly.
    """
    norm = RMSNorm(4)
    for shape in ((3,), (5,), (1,), (4, 3), (2, 4, 1), ()):
        with pytest.raises(ValueError):  # noqa: PT011 - the contract fixes the type, not the words
            norm(Tensor(np.ones(shape, np.float32)))
    for d, eps in ((0, 1e-6), (-1, 1e-6), (4, -1e-6), (4, float("nan"))):
        with pytest.raises(ValueError):  # noqa: PT011 - the contract fixes the type, not the words
            RMSNorm(d, eps=eps)
    assert norm(Tensor(np.ones((2, 0, 4), np.float32))).shape == (2, 0, 4)
