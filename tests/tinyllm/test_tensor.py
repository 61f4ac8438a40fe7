"""What a Tensor is: its dtype, its memory, and how gradients walk its graph."""

import gc
import operator
import re
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tinyllm.autograd import functional as F
from tinyllm.autograd.tensor import Tensor

CHAIN = 20_000
ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow]


def leaf(*values: float) -> Tensor:
    return Tensor(np.array(values), requires_grad=True)


# dtype


@pytest.mark.parametrize("data", [np.ones(2), np.ones((2, 3)), np.array(1.0), np.ones(0)], ids=np.shape)
def test_a_float64_array_stays_float64(data: np.ndarray) -> None:
    assert Tensor(data).dtype == np.float64


@pytest.mark.parametrize(
    "data",
    [
        1,
        1.0,
        True,
        [1.0, 2.0],
        [[1, 2], [3, 4]],
        np.float64(1),
        np.float32(1),
        np.int64(1),
        np.ones(2, dtype=np.float32),
        np.ones(2, dtype=np.float16),
        np.ones(2, dtype=np.int64),
        np.ones(2, dtype=bool),
    ],
    ids=repr,
)
def test_everything_else_becomes_float32(data: Any) -> None:
    x = Tensor(data)
    assert x.dtype == np.float32
    assert x.shape == np.shape(data)
    np.testing.assert_array_equal(x.data, data)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("number", [2, 2.5, True, np.float64(2.5), np.float32(2.5), np.int64(2)], ids=repr)
@pytest.mark.parametrize("op", ARITHMETIC)
def test_a_number_takes_the_dtype_of_the_tensor_beside_it(
    op: Callable[[Any, Any], Any], number: Any, dtype: type
) -> None:
    x = Tensor(np.array([1.0, 2.0], dtype=dtype), requires_grad=True)
    assert op(x, number).dtype == dtype
    assert op(number, x).dtype == dtype


@pytest.mark.parametrize("op", [*ARITHMETIC, operator.matmul])
def test_float32_and_float64_give_float64_and_each_its_own_gradient(op: Callable[[Any, Any], Any]) -> None:
    a = Tensor(np.ones((2, 2), dtype=np.float32), requires_grad=True)
    b = Tensor(np.ones((2, 2)), requires_grad=True)
    for y in (op(a, b), op(b, a), op(a, b.data), op(b.data, a)):
        assert y.dtype == np.float64
        y.sum().backward()
    assert a.grad is not None
    assert b.grad is not None
    assert a.grad.dtype == np.float32
    assert b.grad.dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3)])
def test_ops_and_gradients_keep_dtype_and_shape(shape: tuple[int, ...], dtype: type) -> None:
    x = Tensor(np.full(shape, 0.5, dtype=dtype), requires_grad=True)
    functions = (F.exp, F.log, F.sqrt, F.tanh, F.relu, F.gelu, F.silu, F.sum, F.mean)
    results = [f(x) for f in functions] + [-x, x.T, x.reshape(-1), x[...], x**-0.5, x / 3, 1 - x]
    for y in results:
        assert isinstance(y.data, np.ndarray)
        assert y.dtype == dtype
        y.sum().backward()
        assert isinstance(x.grad, np.ndarray)
        assert x.grad.dtype == dtype
        assert x.grad.shape == shape


# Memory


def test_a_tensor_copies_what_it_is_given() -> None:
    a = np.ones(2)
    x = Tensor(a)
    a[0] = 5
    x.data[1] = 7
    assert x.data.tolist() == [1, 7]
    assert a.tolist() == [5, 1]


def test_an_op_copies_the_array_beside_it(rng: np.random.Generator) -> None:
    x, a = leaf(1, 2), np.array([3.0, 4.0])
    y = x * a
    a[:] = 0
    y.backward(np.ones(2))
    np.testing.assert_array_equal(x.grad, [3, 4])


def test_a_new_data_array_does_not_change_the_gradient_of_an_old_result() -> None:
    x, w = leaf(1, 2), leaf(3, 4)
    y = (x * w).sum()
    w.data = np.zeros(2)
    y.backward()
    np.testing.assert_array_equal(x.grad, [3, 4])


def test_no_gradient_shares_memory_with_another_or_with_the_upstream_one() -> None:
    a, b, upstream = leaf(1, 2), leaf(3, 4), np.ones(2)
    y = a + b
    z = y.reshape(2)
    for _ in range(2):
        z.backward(upstream)
    grads = [a.grad, b.grad, y.grad, z.grad, upstream]
    for i, one in enumerate(grads):
        for other in grads[:i]:
            assert isinstance(one, np.ndarray)
            assert isinstance(other, np.ndarray)
            assert not np.shares_memory(one, other)


def test_a_gradient_may_be_changed_in_place() -> None:
    x = leaf(1, 2)
    x.sum().backward()
    assert x.grad is not None
    x.grad *= 0.5
    np.testing.assert_array_equal(x.grad, [0.5, 0.5])


def test_backward_leaves_the_upstream_array_and_an_old_gradient_as_they_were() -> None:
    x, upstream = leaf(1, 2), np.array([1.0, 10.0])
    y = x * 3
    y.backward(upstream)
    first = x.grad
    y.backward(upstream)
    np.testing.assert_array_equal(upstream, [1, 10])
    np.testing.assert_array_equal(first, [3, 30])
    np.testing.assert_array_equal(x.grad, [6, 60])


# Backward


def test_a_tensor_used_twice_gets_both_gradients(gradcheck: Callable[..., None]) -> None:
    x = leaf(3)
    (x * x + x).sum().backward()
    np.testing.assert_array_equal(x.grad, [7])
    gradcheck(lambda x, w: x + F.tanh((x * (F.mean(x * x) + 0.1) ** -0.5) @ w), np.ones(2), np.eye(2))


@pytest.mark.parametrize("swap", [False, True])
def test_a_node_waits_for_all_who_use_it(swap: bool) -> None:
    x = leaf(1)
    near = x * 2
    far = near * 3 * 5
    (far + near if swap else near + far).backward()
    np.testing.assert_array_equal(x.grad, [32])
    np.testing.assert_array_equal(near.grad, [16])


def test_a_graph_with_2_to_the_40_paths_is_walked_once() -> None:
    x = y = leaf(1)
    for _ in range(40):
        y = y + y
    y.backward()
    np.testing.assert_array_equal(x.grad, [2**40])


def test_gradients_add_up_over_several_graphs_until_zero_grad() -> None:
    x = leaf(1, 2)
    (x * 2).sum().backward()
    (x * 3).sum().backward()
    np.testing.assert_array_equal(x.grad, [5, 5])
    x.zero_grad()
    assert x.grad is None
    (x * 7).sum().backward()
    np.testing.assert_array_equal(x.grad, [7, 7])


def test_a_second_backward_adds_the_same_again_and_no_more() -> None:
    x = leaf(1, 2)
    middle = x * 3
    y = (middle * middle).sum()
    for times in (1, 2, 3):
        y.backward()
        np.testing.assert_array_equal(x.grad, times * 18 * x.data)
        np.testing.assert_array_equal(middle.grad, times * 2 * middle.data)
        np.testing.assert_array_equal(y.grad, times)


def test_a_scalar_accumulates_into_an_array_of_no_axes() -> None:
    x = Tensor(np.array(2.0), requires_grad=True)
    y = x * x
    y.backward()
    y.backward()
    assert isinstance(x.grad, np.ndarray)
    assert x.grad.shape == ()
    assert x.grad == 8


def test_constants_get_no_gradient_and_keep_no_graph() -> None:
    x, constant = leaf(1, 2), Tensor([3.0, 4.0])
    (x * constant).sum().backward()
    assert constant.grad is None
    doubled = constant * 2
    assert not doubled.requires_grad
    assert doubled.inputs == ()


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_backward_of_one_element_starts_with_one(shape: tuple[int, ...]) -> None:
    x = Tensor(np.full(shape, 3.0), requires_grad=True)
    (x * 2).backward()
    np.testing.assert_array_equal(x.grad, np.full(shape, 2))


@pytest.mark.parametrize(
    "upstream", [[1, 10], np.array([1, 10]), Tensor([1, 10])], ids=["list", "array", "tensor"]
)
def test_backward_takes_an_upstream_gradient(upstream: Any) -> None:
    x = leaf(1, 2)
    (x * 2).backward(upstream)
    np.testing.assert_array_equal(x.grad, [2, 20])


def test_a_float64_upstream_gradient_does_not_promote_float32() -> None:
    x = Tensor([1, 2], requires_grad=True)
    y = x * 2
    y.backward(np.ones(2))
    assert x.grad is not None
    assert y.grad is not None
    assert x.grad.dtype == np.float32
    assert y.grad.dtype == np.float32


def test_backward_of_several_elements_needs_an_upstream_gradient() -> None:
    with pytest.raises(ValueError, match=r"needs one element, got shape \(2,\)"):
        (leaf(1, 2) * 2).backward()


@pytest.mark.parametrize("shape", [(), (1,), (3,), (1, 2), (2, 1)])
def test_an_upstream_gradient_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    x = leaf(1, 2)
    with pytest.raises(ValueError, match=re.escape(f"shape (2,) got a gradient of shape {shape}")):
        (x * 2).backward(np.ones(shape))
    assert x.grad is None


def test_backward_without_anything_to_differentiate_is_refused() -> None:
    with pytest.raises(RuntimeError, match=r"shape \(\) that does not require a gradient"):
        Tensor([1.0, 2.0]).sum().backward()


# Deep graphs


@pytest.mark.parametrize(
    "op",
    [
        pytest.param(lambda x: x + 1, id="add"),
        pytest.param(lambda x: 1 - x, id="subtract"),
        pytest.param(F.tanh, id="closure"),
        pytest.param(lambda x: x[0:1], id="view"),
        pytest.param(lambda x: x.sum(keepdims=True), id="reduction"),
    ],
)
def test_a_chain_of_20000_ops_overflows_no_stack_in_backward_or_when_freed(
    op: Callable[[Tensor], Tensor],
) -> None:
    x = leaf(0.5)
    y = op(x)
    first = weakref.ref(y)
    for _ in range(CHAIN):
        y = op(y)
    y.backward()
    assert x.grad is not None
    del y
    assert first() is None


def test_a_graph_is_freed_without_the_garbage_collector() -> None:
    x = leaf(1, 2)
    y = F.softmax(x @ Tensor(np.eye(2)) + x[[0, 0]]).sum()
    middle = weakref.ref(y.inputs[0][0])
    y.backward()
    gc.disable()
    try:
        del y
        assert middle() is None
    finally:
        gc.enable()


# What it shows


def test_shape_ndim_and_dtype_are_those_of_the_data() -> None:
    x = Tensor(np.ones((2, 3)))
    assert (x.shape, x.ndim, x.dtype) == ((2, 3), 2, np.dtype("float64"))


def test_repr_shows_values_dtype_and_whether_a_gradient_is_wanted() -> None:
    x = Tensor([[1, 2], [3, 4]], requires_grad=True)
    assert repr(x) == "Tensor([[1., 2.],\n        [3., 4.]], dtype=float32, requires_grad=True)"
