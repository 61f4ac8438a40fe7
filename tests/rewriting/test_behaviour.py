"""A rewritten program does what the program does, to the last bit and to the letter."""

import ast
import random
from collections.abc import Callable
from types import ModuleType

import pytest

from grader.programs import Program
from grader.rewriting import Rewriter

DRAWS = 12  # of each program

Load = Callable[[str], ModuleType]
Behaviour = Callable[[ModuleType], list[object]]


def numbers(seed: int | str) -> random.Random:
    """Numbers to draw by."""
    return random.Random(seed)  # noqa: S311 - to be repeatable is their purpose


def test_a_rewritten_program_behaves_to_the_bit_and_letter_like_the_program(
    program: Program, rewriter: Rewriter, load: Load, behaviour: Behaviour
) -> None:
    expected = behaviour(load(program.modules[0].source))
    for seed in range(DRAWS):
        [module] = rewriter.fresh(program.modules, numbers(seed))
        assert behaviour(load(module.source)) == expected, module.source


def test_programs_differ_in_the_behaviour_that_is_compared(
    programs: dict[str, Program], load: Load, behaviour: Behaviour
) -> None:
    found = [behaviour(load(program.modules[0].source)) for program in programs.values()]
    assert all(one != other for i, one in enumerate(found) for other in found[:i])


WRONG = {
    "another dtype": ("dtype=np.float32", "dtype=np.float64"),
    "a root for a power": ("** -0.5", "** -1 ** 0.5"),
    "products taken in another order": ("return x * inverse_rms * gain", "return x * (inverse_rms * gain)"),
    "another order of checks": ("if d < 1:", "if not eps >= 0: raise ValueError\n        if d < 1:"),
    "a changed message": ("got d={d}", "got d = {d}"),
    "not a < b for a >= b": ("if not eps >= 0:", "if eps < 0:"),
    "another order of attributes": (
        "self.d = d\n        self.eps = eps",
        "self.eps = eps\n        self.d = d",
    ),
    "another default": ("eps: float = 1e-6", "eps: float = 1.1e-6"),
    "a renamed parameter": ("sublayer", "layer"),
    "operands the other way round": ("return x + sublayer(norm(x))", "return sublayer(norm(x)) + x"),
    "a lost annotation": ("d: int,", "d,"),
}


@pytest.mark.parametrize(("find", "replace"), WRONG.values(), ids=WRONG)
def test_a_wrong_rewriting_is_noticed(
    find: str, replace: str, programs: dict[str, Program], load: Load, behaviour: Behaviour
) -> None:
    source = programs["reference"].modules[0].source
    wrong = source.replace(find, replace)
    assert ast.dump(ast.parse(wrong)) != ast.dump(ast.parse(source))
    assert behaviour(load(wrong)) != behaviour(load(source))
