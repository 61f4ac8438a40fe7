"""LayerNorm whose sums are products of matrices, and whose gain is divided in place of the deviations."""

from collections.abc import Callable

import numpy as np
from tinyllm.autograd import functional as F
from tinyllm.autograd.tensor import Tensor
from tinyllm.nn.layers import Module


class LayerNorm(Module):
    """y = c * (weight / sqrt(c · c / d + eps)) + bias with c = x - x · 1 / d, for each vector x.

    Raises:
        ValueError: `d` below 1, or `eps` negative or NaN.
    """

    def __init__(self, d: int, eps: float = 1e-5) -> None:
        if not d >= 1:
            raise ValueError(f"width d={d} is too small for LayerNorm: 1 is the least")
        if not eps >= 0:
            raise ValueError(f"LayerNorm cannot use eps={eps}, which is not >= 0")
        self.eps = eps
        self.d = d
        starts = (np.full(d, start, dtype=np.float32) for start in (1, 0))
        self.weight, self.bias = (Tensor(start, requires_grad=True) for start in starts)

    def forward(self, x: Tensor) -> Tensor:
        """[..., d] -> [..., d].

        Raises:
            ValueError: the last axis of `x` is not `d` wide.
        """
        examples, width = x.shape[:-1], x.shape[-1:]
        if width != (self.d,):
            raise ValueError(f"x of shape {x.shape} does not have LayerNorm's width {self.d}")
        centered = x - x @ np.ones((self.d, 1), x.dtype) / self.d
        square = centered.reshape(*examples, 1, self.d) @ centered.reshape(*examples, self.d, 1)
        variance = square.reshape(*examples, 1) / self.d
        return centered * (self.weight / F.sqrt(variance + self.eps)) + self.bias


def post_norm_residual(x: Tensor, norm: Module, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
    """The norm of branch and stream together."""
    branch = sublayer(x)
    return norm(branch + x)
