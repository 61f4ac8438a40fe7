"""Form does not tell a fault from a correct program: neither sizes, nor words, nor instructions, nor pairs of these."""

import dis
import random
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import pairwise
from types import CodeType

import pytest

from grader.programs import Program
from grader.rewriting import Rewriter
from grader.rewriting.names import SYLLABLES

DRAWS = 50
CHANCE = 0.5
# On 25 held-out draws of each kind a coin is right in 70 of 100 or more with probability 0.003.
NEAR_CHANCE = 0.70
PUBLIC = {"<module>", "RMSNorm.__init__", "RMSNorm.forward", "pre_norm_residual"}
DRAWN = re.compile(f"_?({'|'.join(SYLLABLES)}){{2,4}}")

Codes = Callable[[CodeType], Iterator[CodeType]]
Features = Counter[Hashable]


def numbers(seed: int | str) -> random.Random:
    """Numbers to draw by."""
    return random.Random(seed)  # noqa: S311 - to be repeatable is their purpose


def features(source: str, codes: Codes) -> Features:
    """Counts that a suite can read off a program without running it, for each function and for all together."""
    found: Features = Counter()
    for code in codes(compile(source, "norm.py", "exec")):
        for where in ("all", code.co_qualname if code.co_qualname in PUBLIC else "others"):
            found.update((where, what) for what in _words(code))
            found.update((where, what) for what in _instructions(code))
            for size in (
                "co_code",
                "co_consts",
                "co_names",
                "co_varnames",
                "co_cellvars",
                "co_exceptiontable",
            ):
                found[where, size] += len(getattr(code, size))
            found[where, "functions"] += 1
            found[where, "stack"] = max(found[where, "stack"], code.co_stacksize)
            found[where, "flags", code.co_flags] += 1
    return found


def _words(code: CodeType) -> Iterator[Hashable]:
    yield from (("name", name) for name in code.co_names if not DRAWN.fullmatch(name))
    for constant in code.co_consts:
        if not isinstance(constant, CodeType | tuple) and repr(constant) in {
            "-0.5",
            "0",
            "1",
            "-1",
            "True",
            "None",
        }:
            yield "constant", constant


def _instructions(code: CodeType) -> Iterator[Hashable]:
    plain = [
        (dis.opname[op], argument if dis.opname[op] in {"BINARY_OP", "COMPARE_OP"} else None)
        for op, argument in zip(code.co_code[::2], code.co_code[1::2], strict=True)
        if dis.opname[op] != "CACHE"
    ]
    yield from plain
    yield from pairwise(plain)


def accuracy_of_the_best_stump(one: Sequence[Features], other: Sequence[Features]) -> float:
    """Learn the feature, threshold and side that separate best on half of the draws; how often right on the rest."""
    learned = max(
        (
            (_accuracy(key, limit, one[::2], other[::2]), str(key), key, limit)
            for key in set().union(*one, *other)
            for limit in {draw[key] for draw in (*one[::2], *other[::2])}
        ),
        key=lambda found: (abs(found[0] - CHANCE), found[1]),
    )
    on_training, _, key, limit = learned
    held_out = _accuracy(key, limit, one[1::2], other[1::2])
    return held_out if on_training >= CHANCE else 1 - held_out


def _accuracy(key: Hashable, limit: int, one: Sequence[Features], other: Sequence[Features]) -> float:
    low = sum(draw[key] < limit for draw in one) / len(one)
    return (low + sum(draw[key] >= limit for draw in other) / len(other)) / 2


def accuracy_of_the_nearest_centre(one: Sequence[Features], other: Sequence[Features]) -> float:
    """The same with all features at once: each scaled by its spread, a draw belongs to the nearer mean."""
    keys = sorted(set().union(*one, *other), key=str)
    means = [
        {key: sum(draw[key] for draw in kind[::2]) / len(kind[::2]) for key in keys} for kind in (one, other)
    ]
    spread = {
        key: (
            sum((d[key] - m[key]) ** 2 for m, k in zip(means, (one, other), strict=True) for d in k[::2]) + 1
        )
        for key in keys
    }

    def nearer_to_first(draw: Features) -> bool:
        near, far = (sum((draw[key] - mean[key]) ** 2 / spread[key] for key in keys) for mean in means)
        return near < far

    right = sum(map(nearer_to_first, one[1::2])) / len(one[1::2])
    return (right + 1 - sum(map(nearer_to_first, other[1::2])) / len(other[1::2])) / 2


def draws(program: Program, rewriter: Rewriter, codes: Codes, number: int = DRAWS) -> list[Features]:
    return [
        features(rewriter.fresh(program.modules, numbers(f"{program.name} {i}"))[0].source, codes)
        for i in range(number)
    ]


@pytest.fixture(scope="module")
def reference(programs: dict[str, Program], rewriter: Rewriter, codes: Codes) -> list[Features]:
    return draws(programs["reference"], rewriter, codes)


@pytest.mark.parametrize("fault", [f"s0{number}" for number in range(1, 10)])
def test_form_does_not_tell_a_fault_from_the_reference(
    fault: str, programs: dict[str, Program], rewriter: Rewriter, codes: Codes, reference: list[Features]
) -> None:
    [found] = [draws(p, rewriter, codes) for name, p in programs.items() if name.rpartition("/")[2] == fault]
    assert accuracy_of_the_best_stump(reference, found) < NEAR_CHANCE
    assert accuracy_of_the_nearest_centre(reference, found) < NEAR_CHANCE


def test_a_fault_that_is_not_rewritten_among_the_others_is_told(
    programs: dict[str, Program], codes: Codes
) -> None:
    """Control: the same programs, each rewritten alone, so that their own words give them away."""
    kinds = [
        draws(programs[name], Rewriter([programs[name].modules]), codes, 20)
        for name in ("reference", next(name for name in programs if name.endswith("s07")))
    ]
    assert accuracy_of_the_best_stump(*kinds) == 1


def test_sizes_of_correct_and_faulty_programs_overlap(
    programs: dict[str, Program], rewriter: Rewriter, codes: Codes
) -> None:
    sizes = {
        name: sorted(draw["all", "co_code"] for draw in draws(program, rewriter, codes, 8))
        for name, program in programs.items()
        if name != "canary"
    }
    assert max(found[0] for found in sizes.values()) < min(found[-1] for found in sizes.values())


def test_no_function_of_the_lesson_is_left_to_tell(rewriter: Rewriter) -> None:
    assert rewriter.exposed == {}
