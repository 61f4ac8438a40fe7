"""LayerNorm that normalizes in float64 and rounds once, as half-precision models do in float32."""

from collections.abc import Callable

import numpy as np
from numpy.typing import DTypeLike
from tinyllm.autograd.tensor import Tensor, attach
from tinyllm.nn.layers import Module


class LayerNorm(Module):
    """y = cast((x - mean) / sqrt(variance + eps)) * weight + bias; gain and shift work in the dtype of `x`.

    Raises:
        ValueError: `d` below 1, or `eps` negative or NaN.
    """

    def __init__(self, d: int, eps: float = 1e-5) -> None:
        self.d = _width(d)
        self.eps = _epsilon(eps)
        ones = np.ones(d, dtype=np.float32)
        self.weight = Tensor(ones, requires_grad=True)
        self.bias = Tensor(ones - 1, requires_grad=True)

    def forward(self, x: Tensor) -> Tensor:
        """[..., d] -> [..., d].

        Raises:
            ValueError: the last axis of `x` is not `d` wide.
        """
        *_, width = x.shape or (0,)
        if width != self.d:
            raise ValueError(f"LayerNorm wants a last axis of width {self.d}, not x of shape {x.shape}")
        wide = _cast(x, np.float64)
        centered = wide - wide.mean(axis=-1, keepdims=True)
        variance = (centered**2).mean(axis=-1, keepdims=True) + self.eps  # [..., 1]
        normalized = _cast(centered * variance**-0.5, x.dtype)
        return normalized * self.weight + self.bias


def _width(d: int) -> int:
    if d < 1:
        raise ValueError(f"no LayerNorm of width d={d}")
    return d


def _epsilon(eps: float) -> float:
    if eps >= 0:
        return eps
    raise ValueError(f"no LayerNorm with eps={eps}: it must be 0 or more")


def _cast(x: Tensor, dtype: DTypeLike) -> Tensor:
    """The same values in another dtype; the engine casts the gradient back to the dtype of `x`."""
    return attach(x.data.astype(dtype), (x, lambda g: g))


def post_norm_residual(x: Tensor, norm: Module, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
    """`norm` reads the stream with the branch added to it."""
    return norm(sublayer(x) + x)
