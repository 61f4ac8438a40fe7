"""No two rewritten programs look alike, and nobody but the drawn numbers decides how they look."""

import random
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from types import CodeType

import pytest

from grader.programs import Program
from grader.rewriting import Rewriter
from grader.rewriting.scopes import BUILTINS

DRAWS = 6
PUBLIC = ("<module>", "RMSNorm", "RMSNorm.__init__", "RMSNorm.forward", "pre_norm_residual")

Codes = Callable[[CodeType], Iterator[CodeType]]


def numbers(seed: int | str) -> random.Random:
    """Numbers to draw by."""
    return random.Random(seed)  # noqa: S311 - to be repeatable is their purpose


@pytest.fixture(scope="module")
def sources(programs: dict[str, Program], rewriter: Rewriter) -> list[str]:
    """Six draws of every program, with seeds of their own."""
    return [
        rewriter.fresh(program.modules, numbers(f"{name}{seed}"))[0].source
        for name, program in programs.items()
        for seed in range(DRAWS)
    ]


def compiled(source: str, codes: Codes) -> dict[str, CodeType]:
    """The code objects that every program has."""
    found = {code.co_qualname: code for code in codes(compile(source, "norm.py", "exec"))}
    return {name: found[name] for name in PUBLIC}


LOOKS: dict[str, Callable[[CodeType], Hashable]] = {
    "bytecode": lambda code: code.co_code,
    "constants": lambda code: str([c for c in code.co_consts if not isinstance(c, CodeType)]),
    "line table": lambda code: code.co_linetable,
    "lines": lambda code: tuple(code.co_lines()),
}


def test_sources_are_pairwise_different(sources: list[str]) -> None:
    assert len(sources) > 10 * DRAWS
    assert len(set(sources)) == len(sources)


@pytest.mark.parametrize("look", LOOKS)
def test_whole_programs_are_pairwise_different_in(look: str, sources: list[str], codes: Codes) -> None:
    looks = [
        tuple(LOOKS[look](code) for code in codes(compile(source, "norm.py", "exec"))) for source in sources
    ]
    assert len(set(looks)) == len(looks)


@pytest.mark.parametrize("name", PUBLIC)
@pytest.mark.parametrize("look", ["bytecode", "line table", "lines"])
def test_hardly_any_two_functions_are_alike_in(
    name: str, look: str, sources: list[str], codes: Codes
) -> None:
    looks = [LOOKS[look](compiled(source, codes)[name]) for source in sources]
    pairs = list(combinations(looks, 2))
    same = sum(one == other for one, other in pairs)
    assert same <= (len(pairs) if name == "RMSNorm" and look == "bytecode" else len(pairs) / 200)


@pytest.mark.parametrize("name", ["<module>", "RMSNorm.__init__", "RMSNorm.forward", "pre_norm_residual"])
def test_names_and_docstrings_of_a_function_are_its_own(name: str, sources: list[str], codes: Codes) -> None:
    found = [compiled(source, codes)[name] for source in sources]
    assert len({(code.co_names, code.co_varnames) for code in found}) == len(found)
    docstrings = [code.co_consts[0] for code in found]
    assert all(isinstance(text, str) and text.endswith(".") for text in docstrings)
    assert len(set(docstrings)) > 0.9 * len(docstrings)


def test_nothing_of_the_original_texts_is_left(sources: list[str], programs: dict[str, Program]) -> None:
    docs = [line for program in programs.values() for line in program.modules[0].source.splitlines()]
    docs = [line.strip() for line in docs if ('"""' in line or "#" in line) and len(line) > 12]
    assert docs
    assert not [line for line in docs for source in sources if line in source]


def test_drawn_names_hide_no_builtin_and_no_name_of_a_program(
    sources: list[str], programs: dict[str, Program], codes: Codes
) -> None:
    texts = "\n".join(program.modules[0].source for program in programs.values())
    for source in sources:
        for code in codes(compile(source, "norm.py", "exec")):
            assert not {name for name in code.co_varnames if name not in texts} & BUILTINS


def test_the_numbers_drawn_decide_everything(programs: dict[str, Program], rewriter: Rewriter) -> None:
    others = Rewriter([program.modules for program in reversed(programs.values())])
    for program in programs.values():
        one, other = (each.fresh(program.modules, numbers(5)) for each in (rewriter, others))
        assert one == other


def test_threads_may_draw_at_once(programs: dict[str, Program]) -> None:
    jobs = [(program, seed) for seed in range(4) for program in programs.values()]
    alone, shared = (Rewriter([program.modules for program in programs.values()]) for _ in range(2))
    expected = [alone.fresh(program.modules, numbers(seed)) for program, seed in jobs]
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda job: shared.fresh(job[0].modules, numbers(job[1])), jobs))
    assert found == expected
