"""RMSNorm as one op with its backward derived by hand, as fused kernels have it."""

from collections.abc import Callable

import numpy as np
from tinyllm.autograd.tensor import Tensor, attach
from tinyllm.nn.layers import Module


class RMSNorm(Module):
    """y = n * (offset + weight) with n = x r and r = 1 / sqrt(mean(x²) + eps).

    Raises:
        ValueError: `d` below 1, or `eps` negative or NaN.
    """

    def __init__(self, d: int, eps: float = 1e-6, offset: float = 0.0) -> None:
        for name, value, least in (("d", d, 1), ("eps", eps, 0)):
            if not value >= least:
                raise ValueError(f"RMSNorm got {name}={value}, but {name} (d is the width) starts at {least}")
        self.offset, self.eps, self.d = offset, eps, d
        self.weight = Tensor(np.repeat(np.float32(1 - offset), d), requires_grad=True)

    def forward(self, x: Tensor) -> Tensor:
        """[..., d] -> [..., d].

        Raises:
            ValueError: the last axis of `x` is not `d` wide.
        """
        if x.shape[-1:] == (self.d,):
            return _scale(x, _inverse_rms(x.data, self.eps), self.weight, (self.offset + self.weight).data)
        raise ValueError(f"shape {x.shape} of x does not end in {self.d}, the width of this RMSNorm")


def _inverse_rms(a: np.ndarray, eps: float) -> np.ndarray:
    """[..., d] -> [..., 1]: a first estimate, and one step of Newton's on it."""
    s = np.mean(np.square(a), axis=-1, keepdims=True) + np.asarray(eps, dtype=a.dtype)
    r = 1 / np.sqrt(s)
    return np.asarray(r * (1.5 - 0.5 * (s * r) * r))


def _scale(x: Tensor, r: np.ndarray, weight: Tensor, gain: np.ndarray) -> Tensor:
    """The gradient of x loses its component along x (moving along x only rescales it), and is divided."""
    n = x.data * r

    def vjp(g: np.ndarray) -> np.ndarray:
        h = g * gain
        return np.asarray(r * (h - n * np.mean(h * n, axis=-1, keepdims=True)))

    return attach(n * gain, (x, vjp), (weight, lambda g: g * n))


def pre_norm_residual(x: Tensor, norm: Module, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
    """Norm and sublayer work on the branch, one after the other; the stream waits and gets the result."""
    branch = x
    for step in (norm, sublayer):
        branch = step(branch)
    return x + branch
