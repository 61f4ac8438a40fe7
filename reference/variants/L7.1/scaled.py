"""RMSNorm whose squares cannot overflow: large vectors are made smaller first, by a power of two."""

from collections.abc import Callable

import numpy as np
from tinyllm.autograd import functional as F
from tinyllm.autograd.tensor import Tensor
from tinyllm.nn.layers import Module


class RMSNorm(Module):
    """y = z * (sqrt(m) / m) * (weight + offset) with z = c x and m = mean(z²) + c² eps.

    The formula holds for every c > 0, so c counts as a constant in the gradient as well.

    Raises:
        ValueError: `d` below 1, or `eps` negative or NaN.
    """

    def __init__(self, d: int, eps: float = 1e-6, offset: float = 0.0) -> None:
        if d < 1:
            raise ValueError(f"RMSNorm: the width is d={d} and has to be 1 or more")
        if np.isnan(eps) or eps < 0:
            raise ValueError(f"RMSNorm: eps is {eps} and has to be 0 or more")
        self.offset = offset
        self.d = d
        self.eps = eps
        self.weight = Tensor(np.broadcast_to(np.float32(1 - offset), (d,)), requires_grad=True)

    def forward(self, x: Tensor) -> Tensor:
        """[..., d] -> [..., d].

        Raises:
            ValueError: the last axis of `x` is not `d` wide.
        """
        if not (x.ndim and x.shape[-1] == self.d):
            raise ValueError(f"RMSNorm: x is of shape {x.shape}, the width is {self.d}")
        c = Tensor(_shrink(x.data))  # [..., 1]
        z = x * c
        m = F.mean(z * z, axis=-1, keepdims=True) + c * c * self.eps  # [..., 1]
        return z * (F.sqrt(m) / m) * (self.weight + self.offset)


def _shrink(a: np.ndarray) -> np.ndarray:
    """[..., d] -> [..., 1]: the power of two, at most 1, that brings every vector's largest |a| below 1."""
    _, exponent = np.frexp(np.abs(a).max(axis=-1, keepdims=True))
    return np.asarray(np.ldexp(np.ones_like(a[..., :1]), -np.maximum(exponent, 0)))


def pre_norm_residual(x: Tensor, norm: Module, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
    """The sum of the stream and of the branch, which sees the stream only through the norm."""
    normalized = norm(x)
    return x + sublayer(normalized)
