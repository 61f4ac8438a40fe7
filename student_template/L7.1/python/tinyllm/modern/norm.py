"""RMSNorm and the Pre-LN residual step, as in Llama and Gemma."""

from collections.abc import Callable

from tinyllm.autograd.tensor import Tensor
from tinyllm.nn.layers import Module


class RMSNorm(Module):
    """y = x / sqrt(mean(x²) + eps) * (offset + weight), with the mean over the last axis.

    The one parameter is `weight` [d], float32. It starts as `1 - offset` in every feature: as ones for
    `offset` 0 (Llama), as zeros for `offset` 1 (Gemma, which stores the gain minus one).

    Args:
        d: the width of a vector.
        eps: added to the mean of the squares, inside the root.
        offset: added to `weight` to give the gain.

    Raises:
        ValueError: `d` is below 1, or `eps` is negative or NaN.
    """

    def __init__(self, d: int, eps: float = 1e-6, offset: float = 0.0) -> None:
        raise NotImplementedError("RMSNorm.__init__: check d and eps, keep them, make the weight")

    def forward(self, x: Tensor) -> Tensor:
        """Normalize each vector by its own root mean square: [..., d] -> [..., d].

        Raises:
            ValueError: the last axis of `x` is not `d` wide; the message names both widths.
        """
        raise NotImplementedError("RMSNorm.forward: check the width, then write the formula with tensor ops")


def pre_norm_residual(x: Tensor, norm: Module, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
    """x + sublayer(norm(x)), of the shape of `x` [..., d]: only what the branch reads is normalized."""
    raise NotImplementedError("pre_norm_residual: add what the sublayer makes of the normalized x to x")
