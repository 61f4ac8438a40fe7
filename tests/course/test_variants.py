"""The variants of L7.1 are correct, and no two programs are the same but for their names."""

from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import numpy as np
import pytest
from numpy.typing import DTypeLike
from tinyllm.autograd.tensor import Tensor

REFERENCE = Path(__file__).parents[2] / "reference"
VARIANTS = {path.stem: path for path in sorted((REFERENCE / "variants/L7.1").glob("*.py"))}
PROGRAMS = {"reference": REFERENCE / "tinyllm/modern/norm.py", **VARIANTS}
TOLERANCE = 5e-7  # 4 units in the last place of a float32 just above 1

Load = Callable[[str], ModuleType]

each_variant = pytest.mark.parametrize("variant", VARIANTS)
each_pair = pytest.mark.parametrize(("one", "other"), list(combinations(PROGRAMS, 2)))
each_program = pytest.mark.parametrize("name", PROGRAMS)


@pytest.fixture(scope="module")
def programs(load: Load) -> dict[str, ModuleType]:
    return {name: load(path.read_text(encoding="utf-8")) for name, path in PROGRAMS.items()}


Result = tuple[np.ndarray, np.ndarray, np.ndarray]


def run(module: ModuleType, x: np.ndarray, gain: np.ndarray, eps: float, offset: float = 0.0) -> Result:
    """Output, gradient of x and gradient of the gain, for an upstream gradient that is the same each time."""
    norm = module.RMSNorm(x.shape[-1], eps=eps, offset=offset)
    norm.weight.data = gain
    stream = Tensor(x, requires_grad=True)
    y = norm(stream)
    y.backward(np.random.default_rng(9).standard_normal(x.shape).astype(x.dtype))
    assert stream.grad is not None
    return y.data, stream.grad, norm.weight.grad


def ordinary(*shape: int, dtype: DTypeLike = np.float32) -> np.ndarray:
    return np.random.default_rng(shape).standard_normal(shape).astype(dtype)


def test_there_are_at_least_four_variants() -> None:
    assert len(VARIANTS) >= 4


@each_pair
@pytest.mark.parametrize("width", [5, 64, 768])
def test_last_bits_of_the_output_differ_on_ordinary_input(
    programs: dict[str, ModuleType], one: str, other: str, width: int
) -> None:
    x = ordinary(64, width)
    for gain in (np.ones(width, np.float32), ordinary(width)):
        output, another = (run(programs[name], x, gain, eps=1e-6)[0] for name in (one, other))
        assert not np.array_equal(output, another)


def functions(module: ModuleType) -> Iterator[FunctionType]:
    for owner in (module, module.RMSNorm):
        for value in vars(owner).values():
            if isinstance(value, FunctionType) and value.__module__ == module.__name__:
                yield value


def compiled(function: FunctionType) -> tuple[bytes, list[object], tuple[str, ...]]:
    code = function.__code__
    constants = [c for c in code.co_consts if c != function.__doc__ and not isinstance(c, CodeType)]
    return code.co_code, constants, code.co_names


@each_pair
def test_no_function_compiles_to_the_same_code(programs: dict[str, ModuleType], one: str, other: str) -> None:
    theirs = {f.__qualname__: compiled(f) for f in functions(programs[other])}
    assert {"RMSNorm.__init__", "RMSNorm.forward", "pre_norm_residual"} <= theirs.keys()
    assert [
        f.__qualname__ for f in functions(programs[one]) if compiled(f) == theirs.get(f.__qualname__)
    ] == []


@each_variant
@pytest.mark.parametrize("eps", [0.0, 1e-6, 1e-5, 1e-2])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("offset", [0.0, 1.0])
def test_agrees_with_the_reference(
    programs: dict[str, ModuleType], variant: str, eps: float, scale: float, offset: float
) -> None:
    for shape in ((3,), (64, 5), (2, 8, 64), (4, 2048)):
        x, gain = ordinary(*shape) * np.float32(scale), ordinary(shape[-1])
        want, want_x, want_gain = run(programs["reference"], x, gain, eps, offset)
        got, got_x, got_gain = run(programs[variant], x, gain, eps, offset)
        np.testing.assert_allclose(got, want, rtol=TOLERANCE, err_msg=f"shape {shape}", strict=True)
        # A gradient is a difference, so what is left of it carries the rounding of what it was made from.
        for g, want_g in ((got_x, want_x), (got_gain, want_gain)):
            size = float(np.abs(want_g).max())
            np.testing.assert_allclose(g / size, want_g / size, rtol=0, atol=TOLERANCE, strict=True)


# The mean of the squares of each is a power of four: square, mean, root, quotient and product are all exact.
EXACT = [
    [2, 2, 2, 2],
    [4, 0, 0, 0],
    [-0.5, 0.5, 0.5, -0.5],
    [1024, 1024],
    [3, -3, 2, 2, 2, -1, 1, 0],
    [0.25] * 7,
    [-8],
]


@each_variant
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("x", EXACT, ids=str)
def test_equals_the_reference_where_every_step_is_exact(
    programs: dict[str, ModuleType], variant: str, x: list[float], dtype: DTypeLike
) -> None:
    values = np.array(x, dtype)
    rms = np.sqrt(np.mean(values**2))
    for gain in (np.ones(len(x), dtype), 2.0 ** np.arange(-3, len(x) - 3).astype(dtype)):
        for name in ("reference", variant):
            output = run(programs[name], values, gain, eps=0.0)[0]
            np.testing.assert_array_equal(output, values / rms * gain, strict=True)


@each_program
def test_refuses_what_the_contract_refuses(programs: dict[str, ModuleType], name: str) -> None:
    RMSNorm = programs[name].RMSNorm  # noqa: N806 - it is a class
    for d, eps, what in (
        (0, 1e-6, "d=0"),
        (-3, 1e-6, "d=-3"),
        (4, -1e-9, "-1e-09"),
        (4, float("nan"), "nan"),
    ):
        with pytest.raises(ValueError, match=what):
            RMSNorm(d, eps=eps)
    for shape in ((), (3,), (1,), (4, 1), (4, 5)):
        with pytest.raises(ValueError, match="width") as refusal:
            RMSNorm(4)(Tensor(np.ones(shape, np.float32)))
        assert str(shape) in str(refusal.value)
        assert "4" in str(refusal.value).replace(str(shape), "")


@each_program
@pytest.mark.parametrize("offset", [0.0, 1.0, 0.1])
def test_has_one_float32_weight_that_starts_at_one_less_the_offset(
    programs: dict[str, ModuleType], name: str, offset: float
) -> None:
    norm = programs[name].RMSNorm(3, eps=1e-3, offset=offset)
    assert [(key, p is norm.weight) for key, p in norm.named_parameters()] == [("weight", True)]
    np.testing.assert_array_equal(norm.weight.data, np.full(3, 1 - offset, np.float32), strict=True)
    assert (norm.d, norm.eps, norm.offset) == (3, 1e-3, offset)


@each_program
@pytest.mark.parametrize("of_x", [np.float32, np.float64])
@pytest.mark.parametrize("of_gain", [np.float32, np.float64])
@pytest.mark.parametrize("eps", [1e-3, np.float64(1e-3)])
def test_dtype_is_that_of_numpy(
    programs: dict[str, ModuleType], name: str, of_x: DTypeLike, of_gain: DTypeLike, eps: float
) -> None:
    x, gain = ordinary(2, 4, dtype=of_x), ordinary(4, dtype=of_gain)
    y, grad_x, grad_gain = run(programs[name], x, gain, eps)
    assert (y.dtype, grad_x.dtype, grad_gain.dtype) == (np.result_type(x, gain), of_x, of_gain)


@each_program
@pytest.mark.parametrize("shape", [(4,), (1, 4), (2, 3, 4), (2, 1, 3, 4), (0, 4), (2, 0, 4)])
def test_any_number_of_axes_and_of_vectors(
    programs: dict[str, ModuleType], name: str, shape: tuple[int, ...]
) -> None:
    y, grad_x, grad_gain = run(programs[name], ordinary(*shape), np.ones(4, np.float32), eps=1e-6)
    assert (y.shape, grad_x.shape, grad_gain.shape) == (shape, shape, (4,))


@each_program
def test_a_new_weight_is_used_at_the_next_call(programs: dict[str, ModuleType], name: str) -> None:
    norm, x = programs[name].RMSNorm(2, eps=0.0), Tensor([2.0, 2.0])
    norm(x)
    norm.weight.data[:] = (2, 4)
    np.testing.assert_array_equal(norm(x).data, [2, 4])
    norm.weight.data = np.array([8, 1], np.float32)
    np.testing.assert_array_equal(norm(x).data, [8, 1])
    norm.weight = Tensor([1.0, 16.0], requires_grad=True)
    y = norm(x)
    y.backward([1.0, 1.0])
    np.testing.assert_array_equal(y.data, [1, 16])
    np.testing.assert_array_equal(norm.weight.grad, [1, 1])


@each_program
def test_the_residual_step_calls_norm_and_sublayer_once_and_adds(
    programs: dict[str, ModuleType], name: str
) -> None:
    seen = []

    def double(h: Tensor) -> Tensor:
        seen.append(h.data.tolist())
        return h * 2.0

    y = programs[name].pre_norm_residual(Tensor([1.0, 3.0]), double, double)
    np.testing.assert_array_equal(y.data, [5, 15])
    assert seen == [[1, 3], [2, 6]]
