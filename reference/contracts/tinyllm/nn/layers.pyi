from collections.abc import Mapping
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

class LayerNorm(Module):
    """(x - mean) / sqrt(variance + eps) * weight + bias over the last axis: [..., d] -> [..., d]."""

    d: int
    eps: float
    weight: Tensor
    bias: Tensor
    def __init__(self, d: int, eps: float = 1e-5) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class Embedding(Module):
    """A row of `weight` [num, dim] for each integer id: [...] -> [..., dim]."""

    weight: Tensor
    def __init__(self, num: int, dim: int, rng: np.random.Generator | None = None) -> None: ...
    def forward(self, ids: ArrayLike) -> Tensor: ...
