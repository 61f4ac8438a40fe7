"""RMSNorm whose mean square is a product of matrices: x · x / d."""

from collections.abc import Callable

import numpy as np
from tinyllm.autograd import functional as F
from tinyllm.autograd.tensor import Tensor
from tinyllm.nn.layers import Module


class RMSNorm(Module):
    """y = x * (1 / sqrt(x · x / d + eps)) * (offset + weight), for each vector x.

    Raises:
        ValueError: `d` below 1, or `eps` negative or NaN.
    """

    def __init__(self, d: int, eps: float = 1e-6, offset: float = 0.0) -> None:
        if not d >= 1:
            raise ValueError(f"width d={d} is too small for RMSNorm: 1 is the least")
        if not eps >= 0:
            raise ValueError(f"RMSNorm cannot use eps={eps}, which is not >= 0")
        self.eps = eps
        self.offset = offset
        self.d = d
        start = np.zeros(d, dtype=np.float32)
        start += 1 - offset
        self.weight = Tensor(start, requires_grad=True)

    def forward(self, x: Tensor) -> Tensor:
        """[..., d] -> [..., d].

        Raises:
            ValueError: the last axis of `x` is not `d` wide.
        """
        tokens, width = x.shape[:-1], x.shape[-1:]
        if width != (self.d,):
            raise ValueError(f"x of shape {x.shape} does not have RMSNorm's width {self.d}")
        square = x.reshape(*tokens, 1, self.d) @ x.reshape(*tokens, self.d, 1)  # [..., 1, 1]
        mean_square = square.reshape(*tokens, 1) / self.d
        return x * (1 / F.sqrt(mean_square + self.eps)) * (self.offset + self.weight)


def pre_norm_residual(x: Tensor, norm: Module, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
    """The stream itself, then the sublayer's answer to the normalized stream."""
    normalized = norm(x)
    branch = sublayer(normalized)
    return branch + x
