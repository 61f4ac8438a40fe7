"""Module, Linear, Embedding, LayerNorm and post_norm_residual."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from tinyllm.autograd.tensor import Tensor
from tinyllm.modern.norm import RMSNorm
from tinyllm.nn.layers import Embedding, LayerNorm, Linear, Module, post_norm_residual

GradCheck = Callable[..., None]


class Block(Module):
    def __init__(self) -> None:
        self.name = "block"
        self.embedding = Embedding(5, 3)
        self.layers = [Linear(3, 3), Linear(3, 3, bias=False)]
        self.norms = (LayerNorm(3),)
        self.scale = Tensor([2.0], requires_grad=True)
        self.constant = Tensor([1.0])
        self.readings = [self.scale, 3.0]

    def forward(self, ids: np.ndarray) -> Tensor:
        x = self.embedding(ids)
        for layer in self.layers:
            x = layer(x)
        return self.norms[0](x) * self.scale + self.constant


NAMES = [
    "embedding.weight",
    "layers.0.weight",
    "layers.0.bias",
    "layers.1.weight",
    "norms.0.weight",
    "norms.0.bias",
    "scale",
]


# Module


def test_parameters_are_found_by_attribute_through_modules_and_lists() -> None:
    block = Block()
    assert [name for name, _ in block.named_parameters()] == NAMES
    assert block.parameters() == [p for _, p in block.named_parameters()]


def test_a_parameter_assigned_anew_takes_the_place_of_the_old_one() -> None:
    norm, gamma = LayerNorm(3), Tensor([1.0, 2.0, 3.0], requires_grad=True)
    norm.weight = gamma
    assert dict(norm.named_parameters())["weight"] is gamma
    norm(Tensor(np.eye(3))).sum().backward()
    assert gamma.grad is not None


def test_a_shared_parameter_is_one_parameter_with_two_names() -> None:
    block = Block()
    block.layers[1].weight = block.layers[0].weight
    assert [name for name, _ in block.named_parameters()] == NAMES
    assert len(block.parameters()) == len(NAMES) - 1
    assert list(block.state_dict()) == NAMES


def test_a_call_is_forward() -> None:
    ids = np.array([[0, 1], [4, 0]])
    block = Block()
    np.testing.assert_array_equal(block(ids).data, block.forward(ids).data)


def test_a_module_without_forward_says_so() -> None:
    with pytest.raises(NotImplementedError, match=r"Module has no forward\(\)"):
        Module()(1)


def test_zero_grad_forgets_every_gradient() -> None:
    block = Block()
    block(np.array([0, 1])).backward(np.ones((2, 3)))
    assert all(p.grad is not None for p in block.parameters())
    block.zero_grad()
    assert all(p.grad is None for p in block.parameters())


def test_a_state_is_a_copy_and_loads_as_a_copy() -> None:
    source, target = Block(), Block()
    for p in source.parameters():
        p.data += 1
    state = source.state_dict()
    target.load_state_dict(state)
    for name, p in target.named_parameters():
        np.testing.assert_array_equal(p.data, state[name])
        assert not np.shares_memory(p.data, state[name])
    source.scale.data[:] = 9
    assert state["scale"] == 3


def test_a_loaded_parameter_keeps_its_dtype() -> None:
    norm = LayerNorm(2)
    norm.load_state_dict({"weight": np.array([1.0, 2.0]), "bias": [3, 4]})
    assert norm.weight.dtype == np.float32
    assert norm.bias.dtype == np.float32
    np.testing.assert_array_equal(norm.bias.data, [3, 4])


@pytest.mark.parametrize(
    ("state", "error", "message"),
    [
        ({"bias": np.ones(2)}, KeyError, "missing from the state: weight"),
        ({}, KeyError, "missing from the state: bias, weight"),
        ({"weight": np.ones(2), "bias": np.ones(2), "gain": 1}, KeyError, "not in LayerNorm: gain"),
        (
            {"weight": np.ones(2), "bias": np.ones(3)},
            ValueError,
            r"bias has shape \(2,\), the state has \(3,\)",
        ),
        ({"weight": np.ones(2), "bias": 5.0}, ValueError, r"bias has shape \(2,\), the state has \(\)"),
    ],
)
def test_a_state_that_does_not_fit_is_refused_and_changes_nothing(
    state: dict[str, np.ndarray], error: type[Exception], message: str
) -> None:
    norm = LayerNorm(2)
    norm.weight.data[:] = 7
    with pytest.raises(error, match=message):
        norm.load_state_dict(state)
    np.testing.assert_array_equal(norm.weight.data, [7, 7])
    np.testing.assert_array_equal(norm.bias.data, [0, 0])


# Linear


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (4, 2, 3)])
def test_linear_is_x_times_weight_transposed_plus_bias(
    shape: tuple[int, ...], bias: bool, gradcheck: GradCheck, rng: np.random.Generator
) -> None:
    linear, a = Linear(3, 2, bias=bias), rng.normal(size=shape)
    expected = a @ linear.weight.data.T + (linear.bias.data if linear.bias else 0)
    np.testing.assert_allclose(linear(Tensor(a)).data, expected, rtol=1e-12)
    gradcheck(linear, a)
    assert [name for name, _ in linear.named_parameters()] == ["weight", "bias"][: 1 + bias]


def test_the_gradient_of_linear_reaches_its_parameters(
    gradcheck: GradCheck, rng: np.random.Generator
) -> None:
    def forward(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        linear = Linear(3, 2)
        linear.weight, linear.bias = weight, bias
        return linear(x)

    gradcheck(forward, rng.normal(size=(4, 3)), rng.normal(size=(2, 3)), rng.normal(size=2))


def test_linear_is_drawn_alike_each_time_and_differently_from_another_generator() -> None:
    first, second = Linear(16, 8), Linear(16, 8)
    other = Linear(16, 8, rng=np.random.default_rng(1))
    np.testing.assert_array_equal(first.weight.data, second.weight.data)
    np.testing.assert_array_equal(first.weight.data, Linear(16, 8, bias=False).weight.data)
    assert not np.array_equal(first.weight.data, other.weight.data)
    assert first.weight.shape == (8, 16)
    assert first.weight.dtype == np.float32
    assert np.abs(first.weight.data).max() <= 0.25
    assert first.weight.data.std() == pytest.approx(0.25 / np.sqrt(3), rel=0.2)


def test_linear_names_both_shapes_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match=r"\(2, 4\) and \(3, 5\)"):
        Linear(3, 5)(Tensor(np.ones((2, 4))))


# LayerNorm


def oracle(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, eps: float) -> np.ndarray:
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    y: np.ndarray = (x - mean) / np.sqrt(variance + eps) * weight + bias
    return y


def norm_with(weight: Tensor, bias: Tensor, eps: float) -> LayerNorm:
    norm = LayerNorm(weight.shape[0], eps=eps)
    norm.weight, norm.bias = weight, bias
    return norm


@pytest.mark.parametrize("eps", [0.0, 1e-5, 0.1])
@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 4), (1, 4), (0, 4)])
def test_layer_norm_is_its_formula_in_value_and_gradient(
    shape: tuple[int, ...], eps: float, gradcheck: GradCheck, rng: np.random.Generator
) -> None:
    a, weight, bias = rng.normal(3, 2, size=shape), rng.normal(size=shape[-1]), rng.normal(size=shape[-1])
    y = norm_with(Tensor(weight), Tensor(bias), eps)(Tensor(a))
    np.testing.assert_allclose(y.data, oracle(a, weight, bias, eps), rtol=1e-12, atol=1e-14)
    gradcheck(lambda x, weight, bias: norm_with(weight, bias, eps)(x), a, weight, bias)


def test_eps_rules_where_the_deviations_are_small(rng: np.random.Generator) -> None:
    a = 1 + 1e-3 * rng.normal(size=(3, 8))
    np.testing.assert_allclose(
        LayerNorm(8)(Tensor(a)).data, oracle(a, np.ones(8), np.zeros(8), 1e-5), rtol=1e-10
    )


def test_a_fresh_layer_norm_has_mean_zero_and_variance_one(rng: np.random.Generator) -> None:
    y = LayerNorm(64)(Tensor(rng.normal(3, 2, size=(2, 64)))).data
    np.testing.assert_allclose(y.mean(-1), 0, atol=1e-12)
    np.testing.assert_allclose(y.var(-1), 1, rtol=1e-4)


def test_a_fresh_layer_norm_has_a_gain_of_ones_and_a_shift_of_zeros() -> None:
    norm = LayerNorm(3)
    assert [name for name, _ in norm.named_parameters()] == ["weight", "bias"]
    np.testing.assert_array_equal(norm.weight.data, np.ones(3, np.float32), strict=True)
    np.testing.assert_array_equal(norm.bias.data, np.zeros(3, np.float32), strict=True)


@pytest.mark.parametrize("values", [[3.0, 3.0, 3.0, 3.0], [0.0, 0.0, 0.0, 0.0]])
def test_a_constant_vector_gives_the_shift_and_has_a_gradient(values: list[float]) -> None:
    norm, x = LayerNorm(4), Tensor(values, requires_grad=True)
    norm.bias.data[:] = (1, 2, 3, 4)
    y = norm(x)
    y.backward([1, 0, 0, 0])
    np.testing.assert_array_equal(y.data, [1, 2, 3, 4])
    assert x.grad is not None
    np.testing.assert_allclose(x.grad, np.array([0.75, -0.25, -0.25, -0.25]) / np.sqrt(1e-5), rtol=1e-6)


def test_one_feature_alone_gives_the_shift() -> None:
    norm = LayerNorm(1)
    norm.bias.data[:] = 5
    np.testing.assert_array_equal(norm(Tensor([[2.0], [-7.0]])).data, [[5], [5]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_result_has_the_dtype_of_the_input(dtype: type) -> None:
    norm, x = LayerNorm(4, eps=np.float64(1e-5)), Tensor(np.eye(4, dtype=dtype), requires_grad=True)
    y = post_norm_residual(x, norm, norm)
    y.backward(np.ones((4, 4)))
    assert y.dtype == dtype
    assert x.grad is not None
    assert norm.weight.grad is not None
    assert norm.bias.grad is not None
    assert x.grad.dtype == dtype
    assert norm.weight.grad.dtype == norm.bias.grad.dtype == np.float32


@pytest.mark.parametrize("shape", [(2, 3), (), (4, 5), (4, 1), (4, 0)])
def test_layer_norm_names_both_widths_that_differ(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=re.escape(f"width 4 got x of shape {shape}")):
        LayerNorm(4)(Tensor(np.ones(shape)))


@pytest.mark.parametrize("d", [0, -1])
def test_a_layer_norm_of_a_width_below_one_is_refused(d: int) -> None:
    with pytest.raises(ValueError, match=f"d={d}"):
        LayerNorm(d)


@pytest.mark.parametrize("eps", [-1e-5, float("nan"), -float("inf")])
def test_a_layer_norm_with_a_negative_eps_or_nan_is_refused(eps: float) -> None:
    with pytest.raises(ValueError, match=f"eps={eps}"):
        LayerNorm(4, eps=eps)


# The post-norm step


@pytest.mark.parametrize("norm", [LayerNorm(4, eps=0.1), RMSNorm(4, eps=0.1)])
def test_the_post_norm_step_normalizes_the_sum_in_value_and_gradient(
    norm: Module, gradcheck: GradCheck, rng: np.random.Generator
) -> None:
    x, w = rng.normal(size=(2, 3, 4)), rng.normal(size=(4, 4))
    y = post_norm_residual(Tensor(x), norm, lambda h: h @ Tensor(w))
    np.testing.assert_allclose(y.data, norm(Tensor(x + x @ w)).data, rtol=1e-12)
    gradcheck(lambda x, w: post_norm_residual(x, norm, lambda h: h @ w), x, w)


def test_a_branch_of_zeros_leaves_the_norm_of_the_stream(rng: np.random.Generator) -> None:
    x, branch = Tensor(rng.normal(size=(3, 4))), Linear(4, 4, bias=False)
    branch.weight.data[:] = 0
    norm = LayerNorm(4)
    np.testing.assert_array_equal(post_norm_residual(x, norm, branch).data, norm(x).data)


# Embedding


@pytest.mark.parametrize("ids", [2, [0, 2, 2], np.array([[1, 0], [4, 4]]), np.zeros((0, 2), dtype=int)])
def test_embedding_gives_a_row_for_each_id(ids: np.ndarray, gradcheck: GradCheck) -> None:
    embedding = Embedding(5, 3)
    np.testing.assert_array_equal(embedding(ids).data, embedding.weight.data[ids])

    def forward(weight: Tensor) -> Tensor:
        embedding.weight = weight
        return embedding(ids)

    gradcheck(forward, embedding.weight.data)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([0, 5], "Embedding of 5 rows got ids from 0 to 5"),
        ([-1, 2], "Embedding of 5 rows got ids from -1 to 2"),
        ([0.0, 1.0], "integer ids, got float64"),
        ([True, False], "integer ids, got bool"),
    ],
)
def test_embedding_refuses_what_is_no_id(ids: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Embedding(5, 3)(ids)


def test_embedding_is_drawn_alike_each_time() -> None:
    first = Embedding(100, 8)
    np.testing.assert_array_equal(first.weight.data, Embedding(100, 8).weight.data)
    assert not np.array_equal(first.weight.data, Embedding(100, 8, rng=np.random.default_rng(1)).weight.data)
    assert first.weight.dtype == np.float32
    assert first.weight.data.std() == pytest.approx(0.02, rel=0.1)
