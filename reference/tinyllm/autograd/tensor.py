"""Tensor: a numpy array that remembers how it was made, so that gradients can flow back through it.

Every op has one rhythm: compute the value, then `attach` it to each input with that input's VJP, the
function from the gradient of the result to the gradient of the input (Baydin et al. 2018, "Automatic
Differentiation in Machine Learning: a Survey", section 3.2). The closures hold arrays and never tensors:
a graph has no cycles and is freed with its last tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Axis: TypeAlias = int | tuple[int, ...] | None
Vjp: TypeAlias = Callable[[np.ndarray], np.ndarray]


class Tensor:
    """An n-dimensional array of float32 or float64 with a gradient.

    `data` is copied. A float64 *array* stays float64; everything else (numbers, lists, ints, float16,
    and `np.float64` scalars, which are Python floats) becomes float32. In an op a number takes the dtype
    of the tensor beside it, and two arrays follow numpy: float32 with float64 gives float64.

    Attributes:
        data: the values. Results of `.T`, `reshape`, `transpose` and slices may share their input's memory.
        grad: the sum of what every `backward()` since the last `zero_grad()` contributed, with the shape
            and dtype of `data`, in memory of its own; None before the first.
        requires_grad: whether `backward()` computes `grad`; a result requires it if one of its inputs does.
        inputs: the tensors that an op made this one from and that require a gradient, each with its VJP;
            empty for a leaf.
    """

    __array_ufunc__ = None  # numpy_array + tensor is then Tensor.__radd__ and not an array of tensors

    data: np.ndarray
    grad: np.ndarray | None
    requires_grad: bool
    inputs: tuple[tuple[Tensor, Vjp], ...]

    def __init__(self, data: ArrayLike, requires_grad: bool = False) -> None:
        is_float64_array = isinstance(data, np.ndarray) and data.dtype == np.float64
        self.data = np.array(data, dtype=np.float64 if is_float64_array else np.float32)
        self.grad = None
        self.requires_grad = requires_grad
        self.inputs = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        return self.data.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.data.ndim

    @property
    def dtype(self) -> np.dtype:
        """`float32` or `float64`."""
        return self.data.dtype

    def __repr__(self) -> str:
        values = np.array2string(self.data, separator=", ", prefix="Tensor(")
        return f"Tensor({values}, dtype={self.dtype}, requires_grad={self.requires_grad})"

    # Gradients

    def zero_grad(self) -> None:
        """Forget the gradient: `grad` is None."""
        self.grad = None

    def backward(self, grad: ArrayLike | Tensor | None = None) -> None:
        """Add the gradient of this tensor to `.grad` of every tensor that it was made from, and to its own.

        Each call counts for itself: a second one through the same graph adds the same contribution again,
        to leaves and to intermediate tensors alike, and never sends on what the first one left behind.

        Args:
            grad: the upstream gradient, of this tensor's shape; None is 1, for a tensor of one element.

        Raises:
            ValueError: None for more than one element, or a `grad` of another shape.
            RuntimeError: nothing that this tensor was made from requires a gradient.
        """
        if not self.requires_grad:
            raise RuntimeError(
                f"backward() of a tensor of shape {self.shape} that does not require a gradient"
            )
        flowing = {self: self._upstream(grad)}
        for node in reversed(_inputs_first(self)):
            g = flowing.pop(node)
            node.grad = _accumulated(node.grad, g)
            for x, vjp in node.inputs:
                flowing[x] = _accumulated(flowing.get(x), _fit(vjp(g), x))

    def _upstream(self, grad: ArrayLike | Tensor | None) -> np.ndarray:
        if grad is None:
            if self.data.size != 1:
                raise ValueError(f"backward() without a gradient needs one element, got shape {self.shape}")
            return np.ones_like(self.data)
        g = np.asarray(grad.data if isinstance(grad, Tensor) else grad, dtype=self.dtype)
        if g.shape != self.shape:
            raise ValueError(f"backward() of shape {self.shape} got a gradient of shape {g.shape}")
        return g

    # Arithmetic, elementwise and with broadcasting

    def __neg__(self) -> Tensor:
        return attach(-self.data, (self, lambda g: -g))

    def __add__(self, other: Operand) -> Tensor:
        other = _operand(other, self)
        return attach(self.data + other.data, (self, lambda g: g), (other, lambda g: g))

    def __sub__(self, other: Operand) -> Tensor:
        other = _operand(other, self)
        return attach(self.data - other.data, (self, lambda g: g), (other, lambda g: -g))

    def __mul__(self, other: Operand) -> Tensor:
        other = _operand(other, self)
        a, b = self.data, other.data
        return attach(a * b, (self, lambda g: g * b), (other, lambda g: g * a))

    def __truediv__(self, other: Operand) -> Tensor:
        other = _operand(other, self)
        a, b = self.data, other.data
        y = a / b
        return attach(y, (self, lambda g: g / b), (other, lambda g: -g * y / b))

    def __pow__(self, other: Operand) -> Tensor:
        """a**b. d/da = b a**(b-1), which is 0 for b = 0; d/db = a**b log a, for a > 0."""
        other = _operand(other, self)
        a, b = self.data, other.data
        y = a**b
        return attach(
            y,
            (self, lambda g: g * b * a ** np.where(b == 0, 0, b - 1)),
            (other, lambda g: g * y * np.log(a)),
        )

    def __radd__(self, other: Operand) -> Tensor:
        return _operand(other, self) + self

    def __rsub__(self, other: Operand) -> Tensor:
        return _operand(other, self) - self

    def __rmul__(self, other: Operand) -> Tensor:
        return _operand(other, self) * self

    def __rtruediv__(self, other: Operand) -> Tensor:
        return _operand(other, self) / self

    def __rpow__(self, other: Operand) -> Tensor:
        return _operand(other, self) ** self

    # Products of matrices

    def __matmul__(self, other: Operand) -> Tensor:
        """[..., n, k] @ [..., k, m] -> [..., n, m], with batch axes broadcast; [k] is a row or a column.

        Raises:
            ValueError: the inner widths differ, or an operand has no axis.
        """
        other = _operand(other, self)
        a, b = self.data, other.data
        if a.ndim == 0 or b.ndim == 0 or a.shape[-1] != b.shape[-2:][0]:
            raise ValueError(f"cannot multiply matrices of shapes {a.shape} and {b.shape}")
        if b.ndim == 1:
            return (self @ other.reshape(-1, 1))[..., 0]
        if a.ndim == 1:
            return (self.reshape(1, -1) @ other)[..., 0, :]
        return attach(
            a @ b,
            (self, lambda g: g @ b.swapaxes(-1, -2)),
            (other, lambda g: a.swapaxes(-1, -2) @ g),
        )

    def __rmatmul__(self, other: Operand) -> Tensor:
        return _operand(other, self) @ self

    # Reductions

    def sum(self, axis: Axis = None, keepdims: bool = False) -> Tensor:
        """The sum over `axis` (all of them for None); every element gets the gradient of its sum."""
        shape = self.shape

        def spread(g: np.ndarray) -> np.ndarray:
            kept = g if keepdims or axis is None else np.expand_dims(g, axis)
            return np.broadcast_to(kept, shape)

        return attach(self.data.sum(axis=axis, keepdims=keepdims), (self, spread))

    def mean(self, axis: Axis = None, keepdims: bool = False) -> Tensor:
        """The mean over `axis` (all of them for None)."""
        total = self.sum(axis, keepdims)
        return total / (self.data.size // max(total.data.size, 1))

    # Shapes

    @property
    def T(self) -> Tensor:  # noqa: N802 - numpy's name
        """All axes in reverse order."""
        return self.transpose()

    def transpose(self, *axes: int | tuple[int, ...]) -> Tensor:
        """The axes in the order given, as numpy does it: `x.transpose(0, 2, 1)`; reversed without any."""
        positions = np.arange(self.ndim)
        order = positions[np.ravel(axes)] if axes else positions[::-1]
        return attach(self.data.transpose(order), (self, lambda g: g.transpose(np.argsort(order))))

    def reshape(self, *shape: int | tuple[int, ...]) -> Tensor:
        """The same elements, in the same order, in another shape: `x.reshape(2, -1)`.

        Raises:
            ValueError: the new shape holds another number of elements.
        """
        a = self.data
        new_shape = tuple(np.ravel(shape).tolist())
        try:
            y = a.reshape(new_shape)
        except ValueError:
            raise ValueError(f"cannot reshape {a.shape} into {new_shape}") from None
        return attach(y, (self, lambda g: g.reshape(a.shape)))

    def __getitem__(self, index: Any) -> Tensor:
        """An element, a slice or a selection, as numpy does it; what is taken twice gets both gradients."""
        a = self.data

        def scatter(g: np.ndarray) -> np.ndarray:
            dx = np.zeros_like(a)
            np.add.at(dx, index, g)
            return dx

        return attach(a[index], (self, scatter))


Operand: TypeAlias = Tensor | np.ndarray | np.number | float


def attach(value: ArrayLike, *inputs: tuple[Tensor, Vjp]) -> Tensor:
    """An op's result, tied to those of its inputs that require a gradient.

    Where the op broadcast an input, its VJP may give the broadcast shape: `backward()` sums it back.
    """
    y = Tensor(0.0)
    y.data = np.asarray(value)
    y.inputs = tuple((x, vjp) for x, vjp in inputs if x.requires_grad)
    y.requires_grad = bool(y.inputs)
    return y


def _operand(value: Operand, beside: Tensor) -> Tensor:
    """The other side of an op on `beside`: a number takes its dtype."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, np.ndarray):
        return Tensor(value)
    if isinstance(value, int | float | np.number):
        return Tensor(np.asarray(value, dtype=beside.dtype))
    raise TypeError(f"a Tensor works with tensors, arrays and numbers, got {type(value).__name__}")


def _fit(g: np.ndarray, x: Tensor) -> np.ndarray:
    """The gradient of `x` in its own shape and dtype: summed over the axes that broadcasting repeated."""
    if g.shape != x.shape:
        g = g.sum(axis=tuple(range(g.ndim - x.ndim)))
        repeated = tuple(axis for axis, width in enumerate(x.shape) if width == 1)
        g = g.sum(axis=repeated, keepdims=True)
    return np.asarray(g, dtype=x.dtype)


def _accumulated(total: np.ndarray | None, g: np.ndarray) -> np.ndarray:
    """`total + g` as a new array, so that no two gradients share memory."""
    return np.array(g if total is None else total + g)


def _inputs_first(root: Tensor) -> list[Tensor]:
    """All that `root` was made from, each after its own inputs; on a stack, since graphs get deep."""
    order: list[Tensor] = []
    seen: set[Tensor] = set()
    stack = [(root, False)]
    while stack:
        node, inputs_done = stack.pop()
        if inputs_done:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((x, False) for x, _ in node.inputs)
    return order
