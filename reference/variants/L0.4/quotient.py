"""LayerNorm by division: deviations over their root, as the formula is read aloud."""

import math
from collections.abc import Callable

from tinyllm.autograd import functional as F
from tinyllm.autograd.tensor import Tensor
from tinyllm.nn.layers import Module


class LayerNorm(Module):
    """y = (x - mean) / sqrt(mean((x - mean)²) + eps) * weight + bias, over the last axis.

    Raises:
        ValueError: `d` below 1, or `eps` negative or NaN.
    """

    def __init__(self, d: int, eps: float = 1e-5) -> None:
        if math.isnan(eps) or eps < 0:
            raise ValueError(f"eps={eps}: LayerNorm takes an eps >= 0")
        if d <= 0:
            raise ValueError(f"d={d}: LayerNorm takes a width of at least 1")
        self.weight = Tensor([1.0] * d, requires_grad=True)
        self.bias = Tensor([0.0] * d, requires_grad=True)
        self.d, self.eps = d, eps

    def forward(self, x: Tensor) -> Tensor:
        """[..., d] -> [..., d].

        Raises:
            ValueError: the last axis of `x` is not `d` wide.
        """
        if x.ndim == 0 or x.shape[-1] != self.d:
            raise ValueError(f"x has shape {x.shape}, and LayerNorm has width {self.d}")
        deviation = x - F.sum(x, axis=-1, keepdims=True) / self.d
        variance = F.mean(deviation**2, axis=-1, keepdims=True)  # [..., 1]
        return deviation / F.sqrt(variance + self.eps) * self.weight + self.bias


def post_norm_residual(x: Tensor, norm: Module, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
    """The stream takes up what the sublayer makes of it, and is normalized."""
    total = x + sublayer(x)
    return norm(total)
