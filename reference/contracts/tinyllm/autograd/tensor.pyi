from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

Axis: TypeAlias = int | tuple[int, ...] | None
Vjp: TypeAlias = Callable[[np.ndarray], np.ndarray]
Operand: TypeAlias = Tensor | np.ndarray | np.number | float

class Tensor:
    """An n-dimensional array with a gradient; `data` is copied.

    A float64 array stays float64; everything else becomes float32. In an op, a number takes the dtype of
    the tensor beside it, and two arrays follow numpy.
    """

    __array_ufunc__: None
    data: np.ndarray
    grad: np.ndarray | None
    requires_grad: bool
    inputs: tuple[tuple[Tensor, Vjp], ...]

    def __init__(self, data: ArrayLike, requires_grad: bool = False) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def dtype(self) -> np.dtype: ...
    def zero_grad(self) -> None:
        """`grad` is None again."""

    def backward(self, grad: ArrayLike | Tensor | None = None) -> None:
        """Add the gradient of this tensor to `.grad` of every tensor that it was made from, and to its own.

        `grad` is the upstream gradient, of this tensor's shape; None is 1, for a tensor of one element.
        Each call counts for itself: two through the same graph give twice the gradient.

        Raises:
            ValueError: None for more than one element, or a `grad` of another shape.
            RuntimeError: nothing that this tensor was made from requires a gradient.
        """

    def __neg__(self) -> Tensor: ...
    def __add__(self, other: Operand) -> Tensor: ...
    def __sub__(self, other: Operand) -> Tensor: ...
    def __mul__(self, other: Operand) -> Tensor: ...
    def __truediv__(self, other: Operand) -> Tensor: ...
    def __pow__(self, other: Operand) -> Tensor: ...
    def __matmul__(self, other: Operand) -> Tensor:
        """[..., n, k] @ [..., k, m] -> [..., n, m]; ValueError for other widths."""

    def __radd__(self, other: Operand) -> Tensor: ...
    def __rsub__(self, other: Operand) -> Tensor: ...
    def __rmul__(self, other: Operand) -> Tensor: ...
    def __rtruediv__(self, other: Operand) -> Tensor: ...
    def __rpow__(self, other: Operand) -> Tensor: ...
    def __rmatmul__(self, other: Operand) -> Tensor: ...
    def sum(self, axis: Axis = None, keepdims: bool = False) -> Tensor: ...
    def mean(self, axis: Axis = None, keepdims: bool = False) -> Tensor: ...
    @property
    def T(self) -> Tensor:  # noqa: N802 - numpy's name
        """All axes in reverse order."""

    def transpose(self, *axes: int | tuple[int, ...]) -> Tensor:
        """The axes in the order given, as numpy does it; reversed without any."""

    def reshape(self, *shape: int | tuple[int, ...]) -> Tensor:
        """The same elements in another shape; ValueError where they do not fill it."""

    def __getitem__(self, index: Any) -> Tensor:
        """As numpy does it; an element that is taken twice gets both gradients."""

def attach(value: ArrayLike, *inputs: tuple[Tensor, Vjp]) -> Tensor:
    """An op's result, tied to each input that requires a gradient by that input's VJP."""
