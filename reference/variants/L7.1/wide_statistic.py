"""RMSNorm that normalizes in float64 and rounds once, as half-precision models do in float32."""

from collections.abc import Callable

import numpy as np
from numpy.typing import DTypeLike
from tinyllm.autograd.tensor import Tensor, attach
from tinyllm.nn.layers import Module


class RMSNorm(Module):
    """y = cast(x / sqrt(mean(x²) + eps)) * (offset + weight); only the gain works in the dtype of `x`.

    Raises:
        ValueError: `d` below 1, or `eps` negative or NaN.
    """

    def __init__(self, d: int, eps: float = 1e-6, offset: float = 0.0) -> None:
        self.d = _width(d)
        self.eps = _epsilon(eps)
        self.offset = offset
        self.weight = Tensor(np.ones(d, dtype=np.float32) * (1 - offset), requires_grad=True)

    def forward(self, x: Tensor) -> Tensor:
        """[..., d] -> [..., d].

        Raises:
            ValueError: the last axis of `x` is not `d` wide.
        """
        *_, width = x.shape or (0,)
        if width != self.d:
            raise ValueError(f"RMSNorm wants a last axis of width {self.d}, not x of shape {x.shape}")
        wide = _cast(x, np.float64)
        power = (wide**2).mean(axis=-1, keepdims=True) + self.eps  # [..., 1]
        normalized = _cast(wide * power**-0.5, x.dtype)
        return normalized * (self.offset + self.weight)


def _width(d: int) -> int:
    if d < 1:
        raise ValueError(f"no RMSNorm of width d={d}")
    return d


def _epsilon(eps: float) -> float:
    if eps >= 0:
        return eps
    raise ValueError(f"no RMSNorm with eps={eps}: it must be 0 or more")


def _cast(x: Tensor, dtype: DTypeLike) -> Tensor:
    """The same values in another dtype; the engine casts the gradient back to the dtype of `x`."""
    return attach(x.data.astype(dtype), (x, lambda g: g))


def pre_norm_residual(x: Tensor, norm: Module, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
    """The branch reads `norm(x)` and is added to `x`."""
    return sublayer(norm(x)) + x
