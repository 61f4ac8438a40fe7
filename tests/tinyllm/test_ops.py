"""Values and gradients of the operators and methods of Tensor."""

import operator
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tinyllm.autograd.tensor import Tensor

GradCheck = Callable[..., None]
BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow]
BROADCASTS = [
    ((), ()),
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((2, 1), (1, 3)),
    ((1,), (2, 3)),
    ((), (2, 3)),
    ((2, 3, 4), (3, 1)),
    ((1, 1), (4,)),
    ((0, 3), (1, 3)),
]


def assert_value(value: object, expected: np.ndarray) -> None:
    assert isinstance(value, Tensor)
    np.testing.assert_allclose(value.data, expected, rtol=1e-14)


@pytest.mark.parametrize(("a_shape", "b_shape"), BROADCASTS)
@pytest.mark.parametrize("op", BINARY)
def test_arithmetic_broadcasts_in_value_and_gradient(
    op: Callable[[Any, Any], Any],
    a_shape: tuple[int, ...],
    b_shape: tuple[int, ...],
    gradcheck: GradCheck,
    rng: np.random.Generator,
) -> None:
    a, b = rng.uniform(0.5, 1.5, a_shape), rng.uniform(0.5, 1.5, b_shape)
    assert_value(op(Tensor(np.array(a)), Tensor(np.array(b))), op(a, b))
    gradcheck(op, a, b)
    gradcheck(op, b, a)


@pytest.mark.parametrize("op", BINARY)
def test_a_number_may_stand_on_either_side(
    op: Callable[[Any, Any], Any], gradcheck: GradCheck, rng: np.random.Generator
) -> None:
    a = rng.uniform(0.5, 1.5, (2, 3))
    assert_value(op(Tensor(a), 3), op(a, 3))
    assert_value(op(2.5, Tensor(a)), op(2.5, a))
    gradcheck(lambda x: op(x, 3), a)
    gradcheck(lambda x: op(2.5, x), a)


@pytest.mark.parametrize("op", [*BINARY, operator.matmul])
def test_a_numpy_array_may_stand_on_either_side(
    op: Callable[[Any, Any], Any], gradcheck: GradCheck, rng: np.random.Generator
) -> None:
    a, b = rng.uniform(0.5, 1.5, (2, 3, 3))
    assert_value(op(Tensor(a), b), op(a, b))
    assert_value(op(b, Tensor(a)), op(b, a))
    gradcheck(lambda x: op(x, b), a)
    gradcheck(lambda x: op(b, x), a)


@pytest.mark.parametrize("op", [*BINARY, operator.matmul])
@pytest.mark.parametrize("other", ["3", [3.0, 4.0], None, 1j])
def test_other_operands_are_a_type_error_on_either_side(op: Callable[[Any, Any], Any], other: object) -> None:
    with pytest.raises(TypeError, match=type(other).__name__):
        op(Tensor([1.0, 2.0]), other)
    with pytest.raises(TypeError):
        op(other, Tensor([1.0, 2.0]))


def test_minus_turns_the_sign(gradcheck: GradCheck, rng: np.random.Generator) -> None:
    a = rng.normal(size=(2, 3))
    assert_value(-Tensor(a), -a)
    gradcheck(operator.neg, a)


@pytest.mark.parametrize("exponent", [-2, -1, -0.5, 0.5, 1, 2, 3])
def test_a_power_has_the_gradient_of_a_power(
    exponent: float, gradcheck: GradCheck, rng: np.random.Generator
) -> None:
    gradcheck(lambda x: x**exponent, rng.uniform(0.5, 1.5, (2, 3)))


@pytest.mark.parametrize("exponent", [-3, -1, 2, 3])
def test_a_negative_base_may_have_a_whole_exponent(exponent: int, gradcheck: GradCheck) -> None:
    gradcheck(lambda x: x**exponent, np.array([-1.5, -0.7]))


@pytest.mark.parametrize(("exponent", "slope"), [(0, 0), (1, 1), (2, 0), (3, 0)])
def test_a_power_has_its_slope_at_zero(exponent: int, slope: float) -> None:
    x = Tensor([0.0], requires_grad=True)
    (x**exponent).backward()
    np.testing.assert_array_equal(x.grad, [slope])


@pytest.mark.parametrize(
    ("a_shape", "b_shape"),
    [
        ((3,), (3,)),
        ((3,), (3, 2)),
        ((2, 3), (3,)),
        ((2, 3), (3, 4)),
        ((5, 2, 3), (3, 4)),
        ((5, 2, 3), (5, 3, 4)),
        ((5, 1, 2, 3), (4, 3, 2)),
        ((2, 3), (5, 3, 4)),
        ((5, 2, 3), (3,)),
        ((3,), (5, 3, 2)),
        ((1, 3), (3, 1)),
        ((2, 0), (0, 3)),
    ],
)
def test_matmul_takes_rows_columns_matrices_and_batches(
    a_shape: tuple[int, ...], b_shape: tuple[int, ...], gradcheck: GradCheck, rng: np.random.Generator
) -> None:
    a, b = rng.normal(size=a_shape), rng.normal(size=b_shape)
    y = Tensor(a) @ Tensor(b)
    assert y.shape == (a @ b).shape
    np.testing.assert_allclose(y.data, a @ b, rtol=1e-13)
    gradcheck(operator.matmul, a, b)


@pytest.mark.parametrize(
    ("a_shape", "b_shape"), [((2, 3), (2, 3)), ((3,), (2,)), ((2, 3), (2,)), ((), (3,)), ((3,), ())]
)
def test_matmul_names_both_shapes_that_do_not_fit(a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=re.escape(f"of shapes {a_shape} and {b_shape}")):
        Tensor(np.ones(a_shape)) @ Tensor(np.ones(b_shape))


@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow])
def test_arithmetic_names_both_shapes_that_do_not_broadcast(op: Callable[[Any, Any], Any]) -> None:
    with pytest.raises(ValueError, match=r"\(2,3\) \(2,\)"):
        op(Tensor(np.ones((2, 3))), Tensor(np.ones(2)))


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0,), (0, 2), (-1, 0), (0, 1, 2), ()])
@pytest.mark.parametrize("name", ["sum", "mean"])
def test_reductions_take_an_axis_several_or_none(
    name: str,
    axis: int | tuple[int, ...] | None,
    keepdims: bool,
    gradcheck: GradCheck,
    rng: np.random.Generator,
) -> None:
    a = rng.normal(size=(2, 3, 4))
    expected = getattr(a, name)(axis=axis, keepdims=keepdims)
    y = getattr(Tensor(a), name)(axis=axis, keepdims=keepdims)
    assert y.shape == expected.shape
    np.testing.assert_allclose(y.data, expected, rtol=1e-13)
    gradcheck(lambda x: getattr(x, name)(axis, keepdims), a)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4)])
def test_the_transpose_reverses_the_axes(
    shape: tuple[int, ...], gradcheck: GradCheck, rng: np.random.Generator
) -> None:
    a = rng.normal(size=shape)
    np.testing.assert_array_equal(Tensor(np.array(a)).T.data, np.array(a).T)
    gradcheck(lambda x: x.T, a)


@pytest.mark.parametrize("axes", [(), (0, 2, 1), (2, 0, 1), (1, 2, 0), (-1, 0, 1), ((1, 2, 0),)])
def test_transpose_takes_the_axes_as_numpy_does(
    axes: Any, gradcheck: GradCheck, rng: np.random.Generator
) -> None:
    a = rng.normal(size=(2, 3, 4))
    np.testing.assert_array_equal(Tensor(a).transpose(*axes).data, a.transpose(*axes))
    gradcheck(lambda x: x.transpose(*axes), a)


@pytest.mark.parametrize("shape", [(6,), (3, 2), (-1,), (1, -1, 3), ((3, 2),), ((6,),)])
def test_reshape_takes_the_shape_as_numpy_does(
    shape: Any, gradcheck: GradCheck, rng: np.random.Generator
) -> None:
    a = rng.normal(size=(2, 3))
    np.testing.assert_array_equal(Tensor(a).reshape(*shape).data, a.reshape(*shape))
    gradcheck(lambda x: x.reshape(*shape), a)


def test_one_element_reshapes_to_none_and_some_axes() -> None:
    assert Tensor([[5.0]]).reshape(()).shape == ()
    assert Tensor(5.0).reshape(1, 1).shape == (1, 1)


def test_reshape_names_both_shapes_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match=r"cannot reshape \(2, 3\) into \(4, -1\)"):
        Tensor(np.ones((2, 3))).reshape(4, -1)


@pytest.mark.parametrize(
    "index",
    [
        1,
        -1,
        (1, 2),
        slice(1, None),
        (slice(None), 1),
        (..., 0),
        (None, 1),
        slice(None, None, -2),
        [0, 2],
        ([0, 2], [1, 1]),
        (slice(None), np.array([3, 0])),
        np.array([[0, 1], [2, 0]]),
        np.array([True, False, True]),
        slice(0, 0),
    ],
    ids=str,
)
def test_indexing_takes_what_numpy_takes(index: Any, gradcheck: GradCheck, rng: np.random.Generator) -> None:
    a = rng.normal(size=(3, 4))
    np.testing.assert_array_equal(Tensor(a)[index].data, a[index])
    gradcheck(lambda x: x[index], a)


@pytest.mark.parametrize("index", [[1, 1, 0, 1], np.array([[1, 1], [1, 0]])], ids=["list", "array"])
def test_an_element_taken_thrice_gets_three_gradients(index: Any, gradcheck: GradCheck) -> None:
    x = Tensor([5.0, 6.0, 7.0], requires_grad=True)
    x[index].sum().backward()
    np.testing.assert_array_equal(x.grad, [1, 3, 0])
    gradcheck(lambda x: x[index], np.array([5.0, 6.0, 7.0]))
