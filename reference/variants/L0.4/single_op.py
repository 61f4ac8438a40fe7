"""LayerNorm as one op with its backward derived by hand, as fused kernels have it."""

from collections.abc import Callable

import numpy as np
from tinyllm.autograd.tensor import Tensor, attach
from tinyllm.nn.layers import Module


class LayerNorm(Module):
    """y = n * weight + bias with n = (x - mean) r and r = 1 / sqrt(variance + eps).

    Raises:
        ValueError: `d` below 1, or `eps` negative or NaN.
    """

    def __init__(self, d: int, eps: float = 1e-5) -> None:
        for name, value, least in (("d", d, 1), ("eps", eps, 0)):
            if not value >= least:
                raise ValueError(
                    f"LayerNorm got {name}={value}, but {name} (d is the width) starts at {least}"
                )
        self.eps, self.d = eps, d
        self.weight = Tensor(np.repeat(np.float32(1), d), requires_grad=True)
        self.bias = Tensor(np.repeat(np.float32(0), d), requires_grad=True)

    def forward(self, x: Tensor) -> Tensor:
        """[..., d] -> [..., d].

        Raises:
            ValueError: the last axis of `x` is not `d` wide.
        """
        if x.shape[-1:] == (self.d,):
            return _affine(x, *_standardized(x.data, self.eps), self.weight, self.bias)
        raise ValueError(f"shape {x.shape} of x does not end in {self.d}, the width of this LayerNorm")


def _standardized(a: np.ndarray, eps: float) -> tuple[np.ndarray, np.ndarray]:
    """[..., d] -> [..., d] and 1 / std [..., 1], from the variance by the corrected two-pass algorithm.

    What rounding left of the mean of the deviations is taken off again (Chan, Golub and LeVeque 1983, "Algorithms
    for Computing the Sample Variance").
    """
    c = a - np.mean(a, axis=-1, keepdims=True)
    residue = np.mean(c, axis=-1, keepdims=True)
    variance = np.mean(np.square(c), axis=-1, keepdims=True) - np.square(residue)
    r = 1 / np.sqrt(variance + np.asarray(eps, dtype=a.dtype))
    return (c - residue) * r, r


def _affine(x: Tensor, n: np.ndarray, r: np.ndarray, weight: Tensor, bias: Tensor) -> Tensor:
    """The gradient of x loses its mean and its component along n, which the norm undoes, and is divided."""
    gain = weight.data

    def vjp(g: np.ndarray) -> np.ndarray:
        h = g * gain
        along = n * np.mean(h * n, axis=-1, keepdims=True)
        return np.asarray(r * (h - np.mean(h, axis=-1, keepdims=True) - along))

    return attach(n * gain + bias.data, (x, vjp), (weight, lambda g: g * n), (bias, lambda g: g))


def post_norm_residual(x: Tensor, norm: Module, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
    """The stream goes through two steps, one after the other: it is added to, and normalized."""
    stream = x
    for step in (lambda h: h + sublayer(h), norm):
        stream = step(stream)
    return stream
