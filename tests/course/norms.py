"""The norms that lessons build, as the checks of their programs and of their golden values use them.

The oracle is the formula and its gradients in numpy float64: neither torch nor tinyllm takes part in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from tinyllm.autograd.tensor import Tensor

if TYPE_CHECKING:
    from types import ModuleType

Floats: TypeAlias = NDArray[Any]  # float32 or float64
Array: TypeAlias = NDArray[np.float64]
Parameters: TypeAlias = Mapping[str, Array]
Settings: TypeAlias = Mapping[str, float]  # eps, and whatever else the class takes beside the width
Formula: TypeAlias = Callable[[Array, Parameters, Settings], Array]  # [..., d] -> [..., d]
Gradients: TypeAlias = Callable[[Array, Parameters, Settings, Array], dict[str, Array]]


@dataclass(frozen=True)
class Golden:
    """The file of a lesson's golden values; its layout is in the docstring of the script of the same name.

    Attributes:
        stem: the name of the file and of the script that made it, without what follows the dot.
        versions: of the libraries that the values come from.
        groups: the cases' groups, each with the full name of the class that computed it.
        dtypes: of each group's arrays.
        epsilons: those that meet every scale and every shape.
    """

    stem: str
    versions: Mapping[str, str]
    groups: Mapping[str, str]
    dtypes: Mapping[str, type[np.floating[Any]]]
    epsilons: frozenset[float]


@dataclass(frozen=True)
class Norm:
    """One lesson's norm.

    Attributes:
        lesson: the lesson's name.
        name: the class.
        step: the function with the norm's place in a residual step.
        options: what the class takes beside width and eps, in each way in which it is to be tried.
        starts: from these options to the value that each parameter has at first.
        formula: what the norm computes.
        gradients: of x and of each parameter, for an upstream gradient [..., d].
        centers: the output is made from differences, and carries the rounding of what they were made from.
        exact: inputs on which every step of every correct program is exact.
        doubled: what the step makes of (1, 3) where norm and sublayer both double, and what these two see.
        golden: its golden values.
        eps_outside: the formula with eps outside the root.
        over_the_first_axis: the formula with statistics over the wrong axis.
        wrong_statistics: formulas that show on any ordinary input.
        wrong_parameters: one that shows wherever the parameters are not the initial ones, and in which groups.
    """

    lesson: str
    name: str
    step: str
    options: tuple[Settings, ...]
    starts: Callable[[Settings], dict[str, float]]
    formula: Formula
    gradients: Gradients
    centers: bool
    exact: tuple[list[float], ...]
    doubled: tuple[list[float], list[list[float]]]
    golden: Golden
    eps_outside: Formula
    over_the_first_axis: Formula
    wrong_statistics: tuple[Formula, ...]
    wrong_parameters: tuple[Formula, tuple[str, ...]]

    @property
    def parameters(self) -> tuple[str, ...]:
        """Their names, in order."""
        return tuple(self.starts(self.options[0]))

    def make(self, module: ModuleType, width: int, settings: Settings) -> Any:
        """A fresh norm of one program."""
        return getattr(module, self.name)(width, **settings)

    def run(
        self, module: ModuleType, x: Floats, parameters: Mapping[str, Floats], settings: Settings
    ) -> dict[str, Floats]:
        """Output, gradient of x and of each parameter, for an upstream gradient that is the same each time."""
        norm = self.make(module, x.shape[-1], settings)
        for name, values in parameters.items():
            getattr(norm, name).data = values
        stream = Tensor(x, requires_grad=True)
        y = norm(stream)
        y.backward(np.random.default_rng(9).standard_normal(x.shape).astype(x.dtype))
        assert stream.grad is not None
        return {"out": y.data, "x": stream.grad} | {name: getattr(norm, name).grad for name in parameters}


def mean(values: Array) -> Array:
    """[..., d] -> [..., 1]."""
    return np.asarray(np.mean(values, axis=-1, keepdims=True))


def over_vectors(values: Array) -> Array:
    """[..., d] -> [d], the sum over all vectors."""
    return np.asarray(values.reshape(-1, values.shape[-1]).sum(axis=0))


# RMSNorm ------------------------------------------------------------------------------------------------------


def rms_norm(x: Array, parameters: Parameters, settings: Settings) -> Array:
    return x / np.sqrt(mean(x * x) + settings["eps"]) * (settings["offset"] + parameters["weight"])


def rms_norm_gradients(
    x: Array, parameters: Parameters, settings: Settings, upstream: Array
) -> dict[str, Array]:
    """With r = 1 / rms(x) and u = upstream · (offset + weight).

    By x: r · u − r³ · x · mean(u · x). By the gain: the sum over all vectors of x · r · upstream.
    """
    r = 1 / np.sqrt(mean(x * x) + settings["eps"])
    u = upstream * (settings["offset"] + parameters["weight"])
    return {"x": r * u - r**3 * x * mean(u * x), "weight": over_vectors(x * r * upstream)}


RMS_NORM = Norm(
    lesson="L7.1",
    name="RMSNorm",
    step="pre_norm_residual",
    options=({"offset": 0.0}, {"offset": 1.0}, {"offset": 0.1}),
    starts=lambda options: {"weight": 1 - options["offset"]},
    formula=rms_norm,
    gradients=rms_norm_gradients,
    centers=False,
    # The mean of the squares of each is a power of four: square, mean, root, quotient and product are all exact.
    exact=(
        [2, 2, 2, 2],
        [4, 0, 0, 0],
        [-0.5, 0.5, 0.5, -0.5],
        [1024, 1024],
        [3, -3, 2, 2, 2, -1, 1, 0],
        [0.25] * 7,
        [-8],
    ),
    doubled=([5, 15], [[1, 3], [2, 6]]),
    golden=Golden(
        stem="rmsnorm_hf",
        versions={"torch": "2.13.0+cpu", "transformers": "5.19.0"},
        groups={
            "llama": "transformers.models.llama.modeling_llama.LlamaRMSNorm",
            "gemma": "transformers.models.gemma.modeling_gemma.GemmaRMSNorm",
        },
        dtypes={"llama": np.float32, "gemma": np.float32},
        epsilons=frozenset({1e-6, 1e-5, 1e-2, 0.0}),
    ),
    eps_outside=lambda x, p, s: x / (np.sqrt(mean(x * x)) + s["eps"]) * (s["offset"] + p["weight"]),
    over_the_first_axis=lambda x, p, s: (
        x / np.sqrt(np.mean(x * x, axis=0, keepdims=True) + s["eps"]) * (s["offset"] + p["weight"])
    ),
    wrong_statistics=(
        lambda x, p, s: rms_norm(x - mean(x), p, s),
        lambda x, p, s: (
            x / np.sqrt(np.sum(x * x, -1, keepdims=True) + s["eps"]) * (s["offset"] + p["weight"])
        ),
    ),
    wrong_parameters=(lambda x, p, s: rms_norm(x, p, {**s, "offset": 0.0}), ("gemma",)),
)

# LayerNorm ----------------------------------------------------------------------------------------------------


def layer_norm(x: Array, parameters: Parameters, settings: Settings) -> Array:
    centered = x - mean(x)
    inverse_std = 1 / np.sqrt(mean(centered**2) + settings["eps"])
    return centered * inverse_std * parameters["weight"] + parameters["bias"]


def layer_norm_gradients(
    x: Array, parameters: Parameters, settings: Settings, upstream: Array
) -> dict[str, Array]:
    """With r = 1 / sqrt(variance + eps), n = (x − mean) · r and u = upstream · weight.

    By x: r · (u − mean(u) − n · mean(u · n)). By the gain: the sum over all vectors of n · upstream, by the shift
    that of upstream.
    """
    centered = x - mean(x)
    r = 1 / np.sqrt(mean(centered**2) + settings["eps"])
    n, u = centered * r, upstream * parameters["weight"]
    return {
        "x": r * (u - mean(u) - n * mean(u * n)),
        "weight": over_vectors(n * upstream),
        "bias": over_vectors(upstream),
    }


def layer_norm_of(centered: Array, square: Array, p: Parameters, s: Settings) -> Array:
    """The formula from deviations and their mean square, wherever these come from."""
    return centered / np.sqrt(square + s["eps"]) * p["weight"] + p["bias"]


LAYER_NORM = Norm(
    lesson="L0.4",
    name="LayerNorm",
    step="post_norm_residual",
    options=({},),
    starts=lambda _options: {"weight": 1.0, "bias": 0.0},
    formula=layer_norm,
    gradients=layer_norm_gradients,
    centers=True,
    # The mean of each is exact, and the variance a power of four.
    exact=(
        [3, 5, 3, 5],
        [6, 2],
        [1, 1, 5, 5],
        [3.5, 2.5],
        [5, -2, 0, 2, 0, 1, 1],
        [-1024, 1024],
        [9, 3, 3, 7, 3, 5, 5, 5],
    ),
    doubled=([6, 18], [[1, 3], [3, 9]]),
    golden=Golden(
        stem="layernorm_torch",
        versions={"torch": "2.13.0+cpu"},
        groups=dict.fromkeys(("float32", "float64"), "torch.nn.modules.normalization.LayerNorm"),
        dtypes={"float32": np.float32, "float64": np.float64},
        epsilons=frozenset({1e-6, 1e-5, 1e-2, 0.0}),
    ),
    eps_outside=lambda x, p, s: (
        (x - mean(x)) / (np.sqrt(mean((x - mean(x)) ** 2)) + s["eps"]) * p["weight"] + p["bias"]
    ),
    over_the_first_axis=lambda x, p, s: layer_norm_of(x - x.mean(axis=0), x.var(axis=0), p, s),
    wrong_statistics=(
        lambda x, p, s: layer_norm_of(x, mean((x - mean(x)) ** 2), p, s),
        lambda x, p, s: layer_norm_of(x - mean(x), mean(x * x), p, s),
        lambda x, p, s: layer_norm_of(x - mean(x), x.var(axis=-1, ddof=1, keepdims=True), p, s),
    ),
    wrong_parameters=(
        lambda x, p, s: (layer_norm(x, {"weight": np.ones(1), "bias": p["bias"]}, s)) * p["weight"],
        ("float32", "float64"),
    ),
)

NORMS = {norm.lesson: norm for norm in (RMS_NORM, LAYER_NORM)}
