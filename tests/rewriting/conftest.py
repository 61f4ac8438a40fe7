"""The programs of L7.1, and what can be seen of a module's behaviour from outside."""

import copy
import inspect
import sys
from collections.abc import Callable, Iterator
from itertools import product
from types import CodeType, ModuleType
from unittest.mock import patch

import numpy as np
import pytest
from tinyllm.autograd.tensor import Tensor
from tinyllm.nn.layers import Linear, Module

from grader.lesson import find_course, load_lesson
from grader.programs import Program, programs_of
from grader.rewriting import Rewriter

NAME = "tinyllm.modern.norm"
EVERYTHING = programs_of(load_lesson(find_course(None), "L7.1"))
PROGRAMS: dict[str, Program] = {
    program.name: program for program in (*EVERYTHING.correct, *EVERYTHING.faults, EVERYTHING.canary)
}


@pytest.fixture(scope="session")
def rewriter() -> Rewriter:
    return Rewriter([program.modules for program in PROGRAMS.values()])


def loaded(source: str, name: str = NAME) -> ModuleType:
    """The module that `source` makes."""
    module = ModuleType(name)
    with patch.dict(sys.modules, {name: module}):  # dataclasses look for their module there
        exec(compile(source, "norm.py", "exec", dont_inherit=True), vars(module))  # noqa: S102 - our own source
    return module


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and all inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def outcome(call: Callable[[], object]) -> object:
    """What a call gives, or what it raises: bits, dtypes and texts, to be compared with `==`."""
    try:
        with np.errstate(all="ignore"):
            return seen(call())
    except BaseException as error:  # noqa: BLE001 - the canary's own exception is no Exception
        return type(error).__name__, [base.__name__ for base in type(error).__mro__], str(error), error.args


def seen(value: object) -> object:
    """All there is to see of a value."""
    if isinstance(value, Tensor):
        return "tensor", seen(value.data), seen(value.grad), value.requires_grad, len(value.inputs)
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return [(key, seen(part)) for key, part in value.items()]
    if isinstance(value, list | tuple):
        return [seen(part) for part in value]
    return type(value).__name__, repr(value)


WIDTHS: list[object] = [0, -1, 2.5, "3", None, float("nan"), True]
EPSILONS: list[object] = [-1e-9, float("nan"), float("inf"), "x", None, np.float32(-1), 0, -0.0]
SHAPES = [(5,), (4, 5), (2, 3, 8), (0, 5), (1, 1), (), (90, 16)]


def array(shape: tuple[int, ...], dtype: str, scale: float = 1.0) -> np.ndarray:
    """Ordinary numbers of a shape."""
    return (scale * np.random.default_rng(len(shape)).standard_normal(shape)).astype(dtype)


def behaviour(module: ModuleType) -> list[object]:
    """Outputs and gradients to the bit, errors to the letter, signatures, attributes and names."""
    return [*_numbers(module), *_errors(module), *_steps(module), *_names(module)]


def _numbers(module: ModuleType) -> Iterator[object]:
    cases = product(SHAPES, ["f4", "f8"], [0.0, 1e-6, 0.5], [0.0, 1.0, 0.3], [1.0, 1e-4])
    for number, (shape, dtype, eps, offset, scale) in enumerate(cases):
        if number % 11 == 0:
            yield outcome(lambda: _trained(module, array(shape, dtype, scale), eps, offset))  # noqa: B023 - called at once


def _trained(module: ModuleType, data: np.ndarray, eps: float, offset: float) -> object:
    """Two passes, forward and back, with a gain that has been moved."""
    width = data.shape[-1] if data.ndim else 3
    norm = module.RMSNorm(width, eps, offset=offset)
    start = seen(vars(norm)), [name for name, _ in norm.named_parameters()]
    norm.weight.data += array((width,), norm.weight.data.dtype.str, 0.1)
    x = Tensor(data, requires_grad=True)
    stream = module.pre_norm_residual(x * 1.5, norm, lambda h: h * h)
    y = norm(stream) + norm(x)
    y.backward(array(y.shape, dtype=y.dtype.str))
    y.sum().backward()
    return start, seen(x), seen(y), seen(stream), seen(norm.weight), seen(copy.deepcopy(norm).state_dict())


def _errors(module: ModuleType) -> Iterator[object]:
    for width in WIDTHS:
        yield outcome(lambda: vars(module.RMSNorm(width)))  # noqa: B023 - called at once
    for eps in EPSILONS:
        yield outcome(lambda: vars(module.RMSNorm(3, eps)))  # noqa: B023 - called at once
        yield outcome(lambda: module.RMSNorm(d=0, offset=1, eps=eps))  # noqa: B023 - called at once
    for offset in ("a", None, np.ones(3), 2):
        yield outcome(lambda: vars(module.RMSNorm(3, offset=offset)))  # noqa: B023 - called at once
    for shape in ((4,), (3, 4), (), (3, 0), (3,)):
        yield outcome(lambda: module.RMSNorm(3)(Tensor(array(shape, "f4"))))  # noqa: B023 - called at once
    yield outcome(lambda: module.RMSNorm(3).forward())
    yield outcome(lambda: module.RMSNorm(3).forward(None))
    yield outcome(lambda: module.RMSNorm(3)(np.ones(3)))
    yield outcome(module.RMSNorm)


def _steps(module: ModuleType) -> Iterator[object]:
    """The residual step on things that are no tensors: which operations come, and in which order."""
    log: list[str] = []

    class Spy:
        def __init__(self, name: str) -> None:
            self.name = name

        def __add__(self, other: object) -> "Spy":
            log.append(f"{self.name} + {other}")
            return Spy(f"({self.name} + {other})")

        def __call__(self, *args: object, **kwargs: object) -> "Spy":
            log.append(f"{self.name}{args}{kwargs}")
            return Spy(f"{self.name}(…)")

        def __repr__(self) -> str:
            return self.name

    yield outcome(lambda: (repr(module.pre_norm_residual(Spy("x"), Spy("norm"), Spy("sublayer"))), log))
    yield outcome(lambda: module.pre_norm_residual(norm=lambda s: s[:1], x="text", sublayer=str.upper))
    layer = Linear(5, 5)
    yield outcome(lambda: module.pre_norm_residual(Tensor(array((2, 5), "f4")), module.RMSNorm(5), layer))
    yield outcome(lambda: module.pre_norm_residual(1, 2, 3))


def _names(module: ModuleType) -> Iterator[object]:
    norm = module.RMSNorm
    yield norm.__name__, norm.__qualname__, norm.__module__, norm.__mro__[1] is Module
    yield sorted(name for name in vars(norm) if name != "__doc__")
    yield seen(norm.__annotations__) if "__annotations__" in vars(norm) else None
    for function in (norm, norm.__init__, norm.forward, module.pre_norm_residual):
        yield str(inspect.signature(function)), function.__name__, function.__qualname__
    for function in (norm.__init__, norm.forward, module.pre_norm_residual):
        yield (
            function.__defaults__,
            function.__kwdefaults__,
            str(function.__annotations__),
            function.__module__,
        )
        yield function.__code__.co_varnames[: function.__code__.co_argcount], function.__closure__ is None
    yield sorted(
        name
        for name, value in vars(module).items()
        if getattr(value, "__module__", None) == NAME and name[0] != "_"
    )


@pytest.fixture(scope="session")
def programs() -> dict[str, Program]:
    return PROGRAMS


@pytest.fixture(params=PROGRAMS)
def program(request: pytest.FixtureRequest) -> Program:
    return PROGRAMS[request.param]


@pytest.fixture(scope="session")
def load() -> Callable[..., ModuleType]:
    return loaded


@pytest.fixture(scope="session", name="behaviour")
def behaviour_fixture() -> Callable[[ModuleType], list[object]]:
    return behaviour


@pytest.fixture(scope="session", name="codes")
def codes_fixture() -> Callable[[CodeType], Iterator[CodeType]]:
    return codes
