"""RMSNorm by division: every vector over its root, as the formula is read aloud."""

import math
from collections.abc import Callable

from tinyllm.autograd import functional as F
from tinyllm.autograd.tensor import Tensor
from tinyllm.nn.layers import Module


class RMSNorm(Module):
    """y = x / sqrt(mean(x²) + eps) * (weight + offset), over the last axis.

    Raises:
        ValueError: `d` below 1, or `eps` negative or NaN.
    """

    def __init__(self, d: int, eps: float = 1e-6, offset: float = 0.0) -> None:
        if math.isnan(eps) or eps < 0:
            raise ValueError(f"eps={eps}: RMSNorm takes an eps >= 0")
        if d <= 0:
            raise ValueError(f"d={d}: RMSNorm takes a width of at least 1")
        self.weight = Tensor([1 - offset] * d, requires_grad=True)
        self.d, self.eps, self.offset = d, eps, offset

    def forward(self, x: Tensor) -> Tensor:
        """[..., d] -> [..., d].

        Raises:
            ValueError: the last axis of `x` is not `d` wide.
        """
        if x.ndim == 0 or x.shape[-1] != self.d:
            raise ValueError(f"x has shape {x.shape}, and RMSNorm has width {self.d}")
        rms = F.sqrt(F.mean(x * x, axis=-1, keepdims=True) + self.eps)  # [..., 1]
        return x / rms * (self.weight + self.offset)


def pre_norm_residual(x: Tensor, norm: Module, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
    """The stream, plus what the sublayer makes of the normalized stream."""
    branch = sublayer(norm(x))
    return x + branch
