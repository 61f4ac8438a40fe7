"""The variants of a lesson are correct, and no two programs are the same but for what the lesson gives."""

from collections.abc import Iterator
from itertools import combinations, product
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import DTypeLike
from tinyllm.autograd.tensor import Tensor

from tests.course.lessons import CHAPTERS, LESSONS, PROGRAMS, definitions, load
from tests.course.norms import NORMS, Norm, Settings

TOLERANCE = 5e-7  # 4 units in the last place of a float32 just above 1

LOADED = {
    (lesson, name): load(LESSONS[lesson], source)
    for lesson, programs in PROGRAMS.items()
    for name, source in programs.items()
}

each_norm = pytest.mark.parametrize("norm", NORMS.values(), ids=NORMS)
each_program = pytest.mark.parametrize(
    ("norm", "module"),
    [pytest.param(NORMS[lesson], module, id=f"{lesson}-{name}") for (lesson, name), module in LOADED.items()],
)
each_variant = pytest.mark.parametrize(
    ("norm", "module"),
    [
        pytest.param(NORMS[lesson], module, id=f"{lesson}-{name}")
        for (lesson, name), module in LOADED.items()
        if name != "reference"
    ],
)
each_pair = pytest.mark.parametrize(
    ("norm", "one", "other"),
    [
        pytest.param(NORMS[lesson], LOADED[lesson, one], LOADED[lesson, other], id=f"{lesson}-{one}-{other}")
        for lesson in LESSONS
        for one, other in combinations(PROGRAMS[lesson], 2)
    ],
)


def ordinary(*shape: int, dtype: DTypeLike = np.float32) -> np.ndarray:
    return np.random.default_rng(shape).standard_normal(shape).astype(dtype)


def fresh(norm: Norm, width: int, dtype: DTypeLike = np.float32) -> dict[str, np.ndarray]:
    """The parameters that leave the norm as it is."""
    return {name: np.full(width, start, dtype) for name, start in norm.starts(norm.options[0]).items()}


def trained(norm: Norm, width: int, dtype: DTypeLike = np.float32) -> dict[str, np.ndarray]:
    """Parameters of any kind."""
    return {name: ordinary(i, width, dtype=dtype)[-1] for i, name in enumerate(norm.parameters, 1)}


def first(norm: Norm, eps: float) -> Settings:
    """The settings with the first of the options."""
    return {"eps": eps, **norm.options[0]}


def test_every_lesson_has_a_norm() -> None:
    assert NORMS.keys() == LESSONS.keys()


@each_norm
def test_there_are_at_least_four_variants(norm: Norm) -> None:
    assert len(LESSONS[norm.lesson].variants) >= 4


@each_pair
@pytest.mark.parametrize("width", [5, 64, 768])
def test_last_bits_of_the_output_differ_on_ordinary_input(
    norm: Norm, one: ModuleType, other: ModuleType, width: int
) -> None:
    x = ordinary(64, width)
    for parameters in (fresh(norm, width), trained(norm, width)):
        output, another = (norm.run(each, x, parameters, first(norm, 1e-6))["out"] for each in (one, other))
        assert not np.array_equal(output, another)


def functions(norm: Norm, module: ModuleType) -> Iterator[FunctionType]:
    """What the learner builds, with what helps it; not what the lesson gives."""
    for owner in (module, getattr(module, norm.name)):
        for name, value in vars(owner).items():
            own = isinstance(value, FunctionType) and value.__module__ == module.__name__
            if own and name not in CHAPTERS[norm.lesson].given:
                yield value


def compiled(function: FunctionType) -> tuple[bytes, list[object], tuple[str, ...]]:
    code = function.__code__
    constants = [c for c in code.co_consts if c != function.__doc__ and not isinstance(c, CodeType)]
    return code.co_code, constants, code.co_names


@each_pair
def test_no_function_compiles_to_the_same_code(norm: Norm, one: ModuleType, other: ModuleType) -> None:
    theirs = {f.__qualname__: compiled(f) for f in functions(norm, other)}
    assert set(CHAPTERS[norm.lesson].built) <= theirs.keys()
    assert [f.__qualname__ for f in functions(norm, one) if compiled(f) == theirs.get(f.__qualname__)] == []


@each_norm
def test_what_the_lesson_gives_is_the_same_in_every_program(norm: Norm) -> None:
    given = CHAPTERS[norm.lesson].given
    reference, *variants = (definitions(source) for source in PROGRAMS[norm.lesson].values())
    for variant in variants:
        assert {name for name in variant if variant[name] == reference.get(name)} == given


AGREEMENT = [
    pytest.param(
        NORMS[lesson], module, {"eps": eps, **options}, scale, id=f"{lesson}-{name}-{eps}-{scale}-{i}"
    )
    for (lesson, name), module in LOADED.items()
    if name != "reference"
    for eps, scale in product([0.0, 1e-6, 1e-5, 1e-2], [1e-3, 1.0, 1e3])
    for i, options in enumerate(NORMS[lesson].options[:2])
]


@pytest.mark.parametrize(("norm", "module", "settings", "scale"), AGREEMENT)
def test_agrees_with_the_reference(norm: Norm, module: ModuleType, settings: Settings, scale: float) -> None:
    for shape in ((3,), (64, 5), (2, 8, 64), (4, 2048)):
        x, parameters = ordinary(*shape) * np.float32(scale), trained(norm, shape[-1])
        want = norm.run(LOADED[norm.lesson, "reference"], x, parameters, settings)
        got = norm.run(module, x, parameters, settings)
        if not norm.centers:
            np.testing.assert_allclose(
                got["out"], want["out"], rtol=TOLERANCE, err_msg=f"shape {shape}", strict=True
            )
        # What is left of a difference carries the rounding of what it was made from.
        for name in want:
            size = float(np.abs(want[name]).max())
            what = f"{name}, shape {shape}"
            np.testing.assert_allclose(
                got[name] / size, want[name] / size, rtol=0, atol=TOLERANCE, err_msg=what, strict=True
            )


@each_program
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equals_the_formula_where_every_step_is_exact(
    norm: Norm, module: ModuleType, dtype: DTypeLike
) -> None:
    for values in norm.exact:
        x, width = np.array(values, dtype), len(values)
        powers = {name: 2.0 ** np.arange(-3, width - 3).astype(dtype) for name in norm.parameters}
        for parameters in (fresh(norm, width, dtype), powers):
            output = norm.run(module, x, parameters, first(norm, 0.0))["out"]
            wide = {name: part.astype(np.float64) for name, part in parameters.items()}
            exact = norm.formula(x.astype(np.float64), wide, first(norm, 0.0)).astype(dtype)
            np.testing.assert_array_equal(output, exact, err_msg=str(values), strict=True)


@each_program
def test_refuses_what_the_contract_refuses(norm: Norm, module: ModuleType) -> None:
    for d, eps, what in (
        (0, 1e-6, "d=0"),
        (-3, 1e-6, "d=-3"),
        (4, -1e-9, "-1e-09"),
        (4, float("nan"), "nan"),
    ):
        with pytest.raises(ValueError, match=what):
            norm.make(module, d, {"eps": eps})
    for shape in ((), (3,), (1,), (4, 1), (4, 5)):
        with pytest.raises(ValueError, match="width") as refusal:
            norm.make(module, 4, {})(Tensor(np.ones(shape, np.float32)))
        assert str(shape) in str(refusal.value)
        assert "4" in str(refusal.value).replace(str(shape), "")


@each_program
def test_has_float32_parameters_that_start_as_the_contract_says(norm: Norm, module: ModuleType) -> None:
    for options in norm.options:
        made: Any = norm.make(module, 3, {"eps": 1e-3, **options})
        starts = norm.starts(options)
        assert [(key, p is getattr(made, key)) for key, p in made.named_parameters()] == [
            (name, True) for name in starts
        ]
        for name, start in starts.items():
            np.testing.assert_array_equal(
                getattr(made, name).data, np.full(3, start, np.float32), strict=True
            )
        attributes = {"d": 3, "eps": 1e-3, **options}
        assert {name: getattr(made, name) for name in attributes} == attributes


@each_program
def test_no_two_parameters_and_no_two_norms_share_memory(norm: Norm, module: ModuleType) -> None:
    made = [getattr(norm.make(module, 3, {}), name).data for _ in range(2) for name in norm.parameters]
    assert not any(np.shares_memory(one, other) for one, other in combinations(made, 2))


@each_program
@pytest.mark.parametrize("of_x", [np.float32, np.float64])
@pytest.mark.parametrize("of_parameters", [np.float32, np.float64])
@pytest.mark.parametrize("eps", [1e-3, np.float64(1e-3)])
def test_dtype_is_that_of_numpy(
    norm: Norm, module: ModuleType, of_x: DTypeLike, of_parameters: DTypeLike, eps: float
) -> None:
    x, parameters = ordinary(2, 4, dtype=of_x), trained(norm, 4, of_parameters)
    found = {name: values.dtype for name, values in norm.run(module, x, parameters, first(norm, eps)).items()}
    of_gradients = dict.fromkeys(norm.parameters, np.dtype(of_parameters))
    assert found == {"out": np.result_type(x, *parameters.values()), "x": of_x, **of_gradients}


@each_program
@pytest.mark.parametrize("shape", [(4,), (1, 4), (2, 3, 4), (2, 1, 3, 4), (0, 4), (2, 0, 4)])
def test_any_number_of_axes_and_of_vectors(norm: Norm, module: ModuleType, shape: tuple[int, ...]) -> None:
    found = norm.run(module, ordinary(*shape), fresh(norm, 4), first(norm, 1e-6))
    shapes = {name: values.shape for name, values in found.items()}
    assert shapes == {"out": shape, "x": shape, **dict.fromkeys(norm.parameters, (4,))}


@each_program
def test_new_parameters_are_used_at_the_next_call(norm: Norm, module: ModuleType) -> None:
    made, x = norm.make(module, 2, {"eps": 0.0}), Tensor([2.0, -2.0])
    made(x)
    for name in norm.parameters:
        getattr(made, name).data[:] = (2, 4)
        wanted = norm.formula(x.data, _values(norm, made), first(norm, 0.0))
        np.testing.assert_array_equal(made(x).data, wanted, err_msg=name)
        getattr(made, name).data = np.array([8, 1], np.float32)
        wanted = norm.formula(x.data, _values(norm, made), first(norm, 0.0))
        np.testing.assert_array_equal(made(x).data, wanted, err_msg=name)
    for name in norm.parameters:
        setattr(made, name, Tensor([1.0, 16.0], requires_grad=True))
    y = made(x)
    y.backward([1.0, 1.0])
    values = _values(norm, made)
    np.testing.assert_array_equal(y.data, norm.formula(x.data, values, first(norm, 0.0)))
    gradients = norm.gradients(x.data, values, first(norm, 0.0), np.ones(2))
    for name in norm.parameters:
        np.testing.assert_array_equal(getattr(made, name).grad, gradients[name], err_msg=name)


def _values(norm: Norm, made: Any) -> dict[str, np.ndarray]:
    return {name: getattr(made, name).data for name in norm.parameters}


@each_program
def test_the_residual_step_calls_norm_and_sublayer_once_and_adds(norm: Norm, module: ModuleType) -> None:
    seen = []

    def double(h: Tensor) -> Tensor:
        seen.append(h.data.tolist())
        return h * 2.0

    y = getattr(module, norm.step)(Tensor([1.0, 3.0]), double, double)
    wanted, inputs = norm.doubled
    np.testing.assert_array_equal(y.data, wanted)
    assert seen == inputs
