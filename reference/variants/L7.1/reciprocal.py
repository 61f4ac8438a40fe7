"""RMSNorm from the sum of the squares: the width goes into the numerator of one reciprocal."""

from collections.abc import Callable, Iterator

import numpy as np
from tinyllm.autograd import functional as F
from tinyllm.autograd.tensor import Tensor
from tinyllm.nn.layers import Module


class RMSNorm(Module):
    """y = (offset + weight) * x * sqrt(d / (sum(x²) + d eps)), over the last axis.

    Raises:
        ValueError: `d` below 1, or `eps` negative or NaN.
    """

    def __init__(self, d: int, eps: float = 1e-6, offset: float = 0.0) -> None:
        for wrong in _complaints(d, eps):
            raise ValueError(f"RMSNorm got {wrong}")
        self.d = d
        self.offset = offset
        self.eps = eps
        self.weight = Tensor(np.full((d,), fill_value=np.float32(1 - offset)), requires_grad=True)

    def forward(self, x: Tensor) -> Tensor:
        """[..., d] -> [..., d].

        Raises:
            ValueError: the last axis of `x` is not `d` wide.
        """
        if x.shape[-1:] != (self.d,):
            raise ValueError(f"RMSNorm of width {self.d} was given x of shape {x.shape}")
        total = F.sum(x * x, axis=-1, keepdims=True)  # [..., 1]
        inverse = F.sqrt(self.d / (total + self.d * self.eps))
        return (self.offset + self.weight) * x * inverse


def _complaints(d: int, eps: float) -> Iterator[str]:
    if d < 1:
        yield f"d={d}, and the smallest width is 1"
    if not eps >= 0:  # NaN fails too
        yield f"eps={eps}, and the smallest is 0"


def pre_norm_residual(x: Tensor, norm: Module, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
    """Keep the stream aside, replace it by its branch, and add the two."""
    stream = x
    x = norm(x)
    x = sublayer(x)
    return stream + x
