"""Functions of tensors, usually imported as `F`: reductions, elementwise functions and softmax."""

import math

import numpy as np

from tinyllm.autograd.tensor import Axis, Tensor, attach


def sum(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:  # noqa: A001 - numpy's name, used as F.sum
    """The sum over `axis`: an int, a tuple, or None for all."""
    return x.sum(axis, keepdims)


def mean(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The mean over `axis`: an int, a tuple, or None for all."""
    return x.mean(axis, keepdims)


def exp(x: Tensor) -> Tensor:
    """e**x; its own derivative."""
    y = np.exp(x.data)
    return attach(y, (x, lambda g: g * y))


def log(x: Tensor) -> Tensor:
    """The natural logarithm; derivative 1/x."""
    a = x.data
    return attach(np.log(a), (x, lambda g: g / a))


def sqrt(x: Tensor) -> Tensor:
    """The square root y; derivative 1 / (2 y)."""
    y = np.sqrt(x.data)
    return attach(y, (x, lambda g: g / (2 * y)))


def tanh(x: Tensor) -> Tensor:
    """The hyperbolic tangent y; derivative 1 - y**2."""
    y = np.tanh(x.data)
    return attach(y, (x, lambda g: g * (1 - y * y)))


def relu(x: Tensor) -> Tensor:
    """max(x, 0); derivative 1 for x > 0 and 0 elsewhere, at 0 too."""
    a = x.data
    return attach(np.maximum(a, 0), (x, lambda g: g * (a > 0)))


def silu(x: Tensor) -> Tensor:
    """The sigmoid linear unit x s(x), s the logistic function; derivative s + x s (1 - s)."""
    a = x.data
    s = _logistic(a)
    return attach(a * s, (x, lambda g: g * (s + a * s * (1 - s))))


def gelu(x: Tensor) -> Tensor:
    """The Gaussian error linear unit in its tanh form (Hendrycks and Gimpel 2016, section 2).

    x (1 + tanh z) / 2 with z = sqrt(2/pi) (x + 0.044715 x**3), computed as x s(2z): (1 + tanh z) / 2 is the
    logistic function s(2z), which loses no digits where tanh z is near -1. Derivative: s + x s (1 - s) 2z'.
    """
    a = x.data
    c = a.clip(-100, 100)  # beyond, s is exactly 0 or 1, and a cube could overflow
    root = math.sqrt(2 / math.pi)
    s = _logistic(2 * root * (c + 0.044715 * c**3))
    slope = 2 * root * (1 + 3 * 0.044715 * c**2)
    return attach(a * s, (x, lambda g: g * (s + c * s * (1 - s) * slope)))


def softmax(x: Tensor, axis: int = -1) -> Tensor:
    """exp(x) / sum(exp(x)) over `axis`; the VJP is y (g - sum(g y)).

    The largest x is subtracted first: the result is the same, and nothing overflows.
    """
    e = np.exp(x.data - x.data.max(axis=axis, keepdims=True))
    y = e / e.sum(axis=axis, keepdims=True)
    return attach(y, (x, lambda g: y * (g - (g * y).sum(axis=axis, keepdims=True))))


def _logistic(a: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-a)), without overflow."""
    s: np.ndarray = np.exp(-np.logaddexp(0, -a))
    return s
