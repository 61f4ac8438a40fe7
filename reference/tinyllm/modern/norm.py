"""RMSNorm, and the residual step that normalizes only its branch (Pre-LN)."""

from collections.abc import Callable

import numpy as np

from tinyllm.autograd import functional as F
from tinyllm.autograd.tensor import Tensor
from tinyllm.nn.layers import Module


class RMSNorm(Module):
    """Divide each vector by its root mean square, then scale each feature by a learned gain.

    y = x / sqrt(mean(x²) + eps) * (offset + weight), with the mean over the last axis (Zhang and Sennrich
    2019, "Root Mean Square Layer Normalization"). Llama has `offset` 0; Gemma stores the gain minus one
    and has `offset` 1.

    The one parameter, `weight` [d], is float32 and starts where the gain `offset + weight` is 1.

    Raises:
        ValueError: `d` below 1, or `eps` negative or NaN.
    """

    def __init__(self, d: int, eps: float = 1e-6, offset: float = 0.0) -> None:
        if d < 1:
            raise ValueError(f"RMSNorm needs a width of at least 1, got d={d}")
        if not eps >= 0:  # NaN fails too
            raise ValueError(f"RMSNorm needs eps >= 0, got eps={eps}")
        self.d = d
        self.eps = eps
        self.offset = offset
        self.weight = Tensor(np.full(d, 1 - offset, dtype=np.float32), requires_grad=True)

    def forward(self, x: Tensor) -> Tensor:
        """[..., d] -> [..., d], each vector by its own statistic.

        Raises:
            ValueError: the last axis of `x` is not `d` wide.
        """
        if x.shape[-1:] != (self.d,):
            raise ValueError(f"RMSNorm of width {self.d} got x of shape {x.shape}")
        mean_square = F.mean(x * x, axis=-1, keepdims=True)  # [..., 1]
        inverse_rms = (mean_square + self.eps) ** -0.5  # [..., 1]
        gain = self.offset + self.weight  # [d]
        return x * inverse_rms * gain


def pre_norm_residual(x: Tensor, norm: Module, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
    """One Pre-LN step: the branch reads the normalized stream, and its output is added to the stream itself.

    The stream `x` passes through untouched, and so does its gradient (Xiong et al. 2020, "On Layer
    Normalization in the Transformer Architecture", section 3).
    """
    return x + sublayer(norm(x))
