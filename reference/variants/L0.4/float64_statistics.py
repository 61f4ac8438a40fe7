"""LayerNorm that normalizes in float64 and rounds once, as half-precision models do in float32."""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from tinyllm.autograd.tensor import Tensor, attach


class Module:
    """A function of tensors that owns parameters.

    An attribute is a parameter if it is a `Tensor` that requires a gradient, and a submodule if it is a
    `Module`, or a list or tuple of them. Plain assignment registers it:
    `self.weight = Tensor(w, requires_grad=True)`.
    """

    def forward(self, *args: Any, **kwargs: Any) -> Tensor:
        """The function itself; a subclass says what it takes and gives."""
        raise NotImplementedError(f"{type(self).__name__} has no forward()")

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        """`module(x)` is `module.forward(x)`."""
        return self.forward(*args, **kwargs)

    def named_parameters(self) -> list[tuple[str, Tensor]]:
        """(name, parameter) for all, in the order of assignment, as in "blocks.0.norm.weight"."""
        return list(_named_parameters("", self))

    def parameters(self) -> list[Tensor]:
        """Every parameter once, even one that has several names."""
        return list(dict.fromkeys(p for _, p in self.named_parameters()))

    def zero_grad(self) -> None:
        """Forget the gradient of every parameter."""
        for p in self.parameters():
            p.zero_grad()

    def state_dict(self) -> dict[str, np.ndarray]:
        """A copy of every parameter's values, by name."""
        return {name: p.data.copy() for name, p in self.named_parameters()}

    def load_state_dict(self, state: Mapping[str, ArrayLike]) -> None:
        """Copy `state` into the parameters, which keep their dtype; on an error nothing is changed.

        Raises:
            KeyError: a parameter is missing from `state`, or `state` has one that the module has not.
            ValueError: a shape differs.
        """
        parameters = dict(self.named_parameters())
        if missing := parameters.keys() - state.keys():
            raise KeyError(f"missing from the state: {', '.join(sorted(missing))}")
        if unexpected := state.keys() - parameters.keys():
            raise KeyError(f"not in {type(self).__name__}: {', '.join(sorted(unexpected))}")
        loaded = {name: np.array(state[name], dtype=p.dtype) for name, p in parameters.items()}
        for name, p in parameters.items():
            if loaded[name].shape != p.shape:
                raise ValueError(f"{name} has shape {p.shape}, the state has {loaded[name].shape}")
        for name, p in parameters.items():
            p.data = loaded[name]


def _named_parameters(name: str, value: object) -> Iterator[tuple[str, Tensor]]:
    if isinstance(value, Tensor) and value.requires_grad:
        yield name, value
    children: dict[str, object] = {}
    if isinstance(value, Module):
        children = vars(value)
    elif isinstance(value, list | tuple):
        children = {str(i): child for i, child in enumerate(value) if isinstance(child, Module)}
    for key, child in children.items():
        yield from _named_parameters(f"{name}.{key}" if name else key, child)


class Linear(Module):
    """y = x W^T + b: [..., in_features] -> [..., out_features].

    `weight` [out, in] and `bias` [out] (None without) are drawn uniformly from ±1/sqrt(in_features)
    (LeCun et al. 1998, "Efficient BackProp"); `rng` None is `np.random.default_rng(0)`.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        rng: np.random.Generator | None = None,
    ) -> None:
        rng = rng or np.random.default_rng(0)
        bound = 1 / math.sqrt(in_features)
        self.weight = _uniform(rng, bound, (out_features, in_features))
        self.bias = _uniform(rng, bound, (out_features,)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        """[..., in_features] -> [..., out_features]."""
        y = x @ self.weight.T
        return y if self.bias is None else y + self.bias


def _uniform(rng: np.random.Generator, bound: float, shape: tuple[int, ...]) -> Tensor:
    return Tensor(rng.uniform(-bound, bound, shape).astype(np.float32), requires_grad=True)


class Embedding(Module):
    """A row of `weight` [num, dim] for each id: [...] -> [..., dim].

    The rows are drawn from N(0, 0.02²), as in GPT-2; `rng` None is `np.random.default_rng(0)`.
    """

    def __init__(self, num: int, dim: int, rng: np.random.Generator | None = None) -> None:
        rng = rng or np.random.default_rng(0)
        self.weight = Tensor(rng.normal(0, 0.02, (num, dim)).astype(np.float32), requires_grad=True)

    def forward(self, ids: ArrayLike) -> Tensor:
        """Integers in [0, num) -> rows; an id that occurs twice adds to its row's gradient twice."""
        index = np.asarray(ids)
        num = self.weight.shape[0]
        if not np.issubdtype(index.dtype, np.integer):
            raise ValueError(f"Embedding takes integer ids, got {index.dtype}")
        if ((index < 0) | (index >= num)).any():
            raise ValueError(f"Embedding of {num} rows got ids from {index.min()} to {index.max()}")
        return self.weight[index]


class LayerNorm(Module):
    """y = cast((x - mean) / sqrt(variance + eps)) * weight + bias; gain and shift work in the dtype of `x`.

    Raises:
        ValueError: `d` below 1, or `eps` negative or NaN.
    """

    def __init__(self, d: int, eps: float = 1e-5) -> None:
        self.d = _width(d)
        self.eps = _epsilon(eps)
        ones = np.ones(d, dtype=np.float32)
        self.weight = Tensor(ones, requires_grad=True)
        self.bias = Tensor(ones - 1, requires_grad=True)

    def forward(self, x: Tensor) -> Tensor:
        """[..., d] -> [..., d].

        Raises:
            ValueError: the last axis of `x` is not `d` wide.
        """
        *_, width = x.shape or (0,)
        if width != self.d:
            raise ValueError(f"LayerNorm wants a last axis of width {self.d}, not x of shape {x.shape}")
        wide = _cast(x, np.float64)
        centered = wide - wide.mean(axis=-1, keepdims=True)
        variance = (centered**2).mean(axis=-1, keepdims=True) + self.eps  # [..., 1]
        normalized = _cast(centered * variance**-0.5, x.dtype)
        return normalized * self.weight + self.bias


def _width(d: int) -> int:
    if d < 1:
        raise ValueError(f"no LayerNorm of width d={d}")
    return d


def _epsilon(eps: float) -> float:
    if eps >= 0:
        return eps
    raise ValueError(f"no LayerNorm with eps={eps}: it must be 0 or more")


def _cast(x: Tensor, dtype: DTypeLike) -> Tensor:
    """The same values in another dtype; the engine casts the gradient back to the dtype of `x`."""
    return attach(x.data.astype(dtype), (x, lambda g: g))


def post_norm_residual(x: Tensor, norm: Module, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
    """`norm` reads the stream with the branch added to it."""
    return norm(sublayer(x) + x)
