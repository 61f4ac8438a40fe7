"""Module, and the layers of the 2017 transformer: Linear, Embedding, and LayerNorm with its residual step."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from tinyllm.autograd.tensor import Tensor

class Module:
    """A function of tensors that owns parameters.

    An attribute is a parameter if it is a `Tensor` that requires a gradient, and a submodule if it is a
    `Module`, or a list or tuple of them.
    """

    def forward(self, *args: Any, **kwargs: Any) -> Tensor:
        """The function itself; a subclass says what it takes and gives."""

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        """`module(x)` is `module.forward(x)`."""

    def named_parameters(self) -> list[tuple[str, Tensor]]:
        """(name, parameter) for all, as in "blocks.0.norm.weight"."""

    def parameters(self) -> list[Tensor]:
        """Every parameter once."""

    def zero_grad(self) -> None:
        """Forget the gradient of every parameter."""

    def state_dict(self) -> dict[str, np.ndarray]:
        """A copy of every parameter's values, by name."""

    def load_state_dict(self, state: Mapping[str, ArrayLike]) -> None:
        """Copy `state` into the parameters; on an error nothing is changed.

        Raises:
            KeyError: a name is missing or unexpected.
            ValueError: a shape differs.
        """

class Linear(Module):
    """y = x W^T + b: [..., in_features] -> [..., out_features]; `rng` None is `np.random.default_rng(0)`."""

    weight: Tensor
    bias: Tensor | None
    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        rng: np.random.Generator | None = None,
    ) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class Embedding(Module):
    """A row of `weight` [num, dim] for each integer id: [...] -> [..., dim]."""

    weight: Tensor
    def __init__(self, num: int, dim: int, rng: np.random.Generator | None = None) -> None: ...
    def forward(self, ids: ArrayLike) -> Tensor: ...

class LayerNorm(Module):
    """y = (x - mean) / sqrt(variance + eps) * weight + bias, with mean and variance over the last axis.

    The variance is the mean of the squared deviations. Two parameters, both float32: `weight` [d], the gain,
    starts as ones and `bias` [d], the shift, as zeros.

    Args:
        d: the width of a vector.
        eps: added to the variance, inside the root.

    Raises:
        ValueError: `d` is below 1, or `eps` is negative or NaN.
    """

    d: int
    eps: float
    weight: Tensor
    bias: Tensor

    def __init__(self, d: int, eps: float = 1e-5) -> None: ...
    def forward(self, x: Tensor) -> Tensor:
        """Normalize each vector by its own mean and variance: [..., d] -> [..., d], in the dtype of `x`.

        The gradient reaches `x`, `weight` and `bias`.

        Raises:
            ValueError: the last axis of `x` is not `d` wide; the message names both widths.
        """

def post_norm_residual(x: Tensor, norm: Module, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
    """norm(x + sublayer(x)), of the shape of `x` [..., d]: the sum of stream and branch is what is normalized."""
