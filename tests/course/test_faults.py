"""Each fault of L7.1 is the mistake it says it is, shows on its witness, and dies by the tests it names."""

import re
import textwrap
import tomllib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import DTypeLike

COURSE = Path(__file__).parents[2]
COURSE_TESTS = COURSE / "reference/tests/L7.1"
FILES = {path.name.split("-")[0]: path for path in sorted((COURSE / "mutants/L7.1").glob("*-*.toml"))}
VARIANTS = sorted((COURSE / "reference/variants/L7.1").glob("*.py"))

# The chapter's table of pitfalls: the tests that must be among those that catch each.
PITFALLS = {
    "s01": {"test_eps_inside_the_root"},
    "s02": {"test_no_mean_is_subtracted", "test_hand_example"},
    "s03": {"test_golden_hf_gemma_offset"},
    "s04": {"test_pre_norm_residual_identity_path"},
    "s05": {"test_normalizes_each_vector_on_its_own"},
    "s06": {"test_parameter_names_and_init"},
    "s07": {"test_hand_example"},
    "s08": {"test_pre_norm_residual_adds_the_branch"},
    "s09": {"test_golden_hf_llama", "test_gradcheck_x_and_gain"},
}

Load = Callable[[str], ModuleType]
FailingTests = Callable[[Path, str], set[str]]

each_fault = pytest.mark.parametrize("fault", PITFALLS)


def read(fault: str) -> dict[str, Any]:
    return tomllib.loads(FILES[fault].read_text(encoding="utf-8"))


def edited(fault: str, source: str) -> str:
    for edit in read(fault)["edit"]:
        assert edit["file"] == "tinyllm/modern/norm.py"
        assert source.count(edit["find"]) == 1, edit["find"]
        source = source.replace(edit["find"], edit["replace"])
    return source


def test_there_are_exactly_the_nine() -> None:
    assert list(FILES) == list(PITFALLS)
    assert len(list((COURSE / "mutants/L7.1").iterdir())) == len(PITFALLS) + 1  # and lesson.toml


@each_fault
def test_numbered_pitfalls_are_the_required_ones(fault: str) -> None:
    data, number = read(fault), int(fault[1:])
    numbered = number <= 4
    assert data.get("pitfall") == (number if numbered else None)
    assert data["required"] is numbered
    assert data.get("timeout_is_kill", False) is False


@each_fault
def test_hint_and_symptom_do_not_give_the_answer(fault: str) -> None:
    data = read(fault)
    for text in (data["hint"], data["symptom"]):
        assert text.strip()
        assert "\n" not in text
        assert not any(edit["replace"].strip() in text for edit in data["edit"])
        assert re.fullmatch(r"[\w ,:;'-]+", text)  # prose: no operator, no call, no index


@each_fault
def test_edits_apply_and_the_module_still_loads(fault: str, reference_source: str, load: Load) -> None:
    source = edited(fault, reference_source)
    assert source != reference_source
    assert {"RMSNorm", "pre_norm_residual"} <= vars(load(source)).keys()


def resolve(target: str) -> object:
    module, _, name = target.partition(":")
    return getattr(import_module(module), name) if name else import_module(module)


def witness(fault: str, module: ModuleType, dtype: DTypeLike) -> object:
    lesson = tomllib.loads((COURSE / "mutants/L7.1/lesson.toml").read_text(encoding="utf-8"))
    names = {name: resolve(target) for name, target in lesson["witness_names"].items()}
    space: dict[str, Any] = {**vars(module), **names, "dtype": dtype}
    body = textwrap.indent(read(fault)["witness"]["call"].strip(), "    ")
    exec(f"def call():\n{body}\n", space)  # noqa: S102 - the course's own source
    value: object = space["call"]()
    return value


@each_fault
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-5), (np.float64, 1e-9)])
def test_witness_shows_the_fault(
    fault: str, dtype: DTypeLike, tolerance: float, reference_source: str, load: Load
) -> None:
    right = witness(fault, load(reference_source), dtype)
    wrong = witness(fault, load(edited(fault, reference_source)), dtype)
    assert type(right) is type(wrong)
    if isinstance(right, np.ndarray) and isinstance(wrong, np.ndarray):
        assert np.isfinite(right).all()
        assert np.abs(right - wrong).max() >= 100 * tolerance * np.abs(right).max()
    else:
        assert right != wrong


@each_fault
def test_dies_by_exactly_the_course_tests_that_it_names(
    fault: str, reference_source: str, failing_tests: FailingTests
) -> None:
    caught_by = read(fault)["caught_by"]
    assert len(set(caught_by)) == len(caught_by)
    assert set(caught_by) >= PITFALLS[fault]
    assert failing_tests(COURSE_TESTS, edited(fault, reference_source)) == set(caught_by)


def test_the_reference_passes_every_course_test(reference_source: str, failing_tests: FailingTests) -> None:
    assert failing_tests(COURSE_TESTS, reference_source) == set()


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda path: path.stem)
def test_variants_pass_every_course_test(variant: Path, failing_tests: FailingTests) -> None:
    assert failing_tests(COURSE_TESTS, variant.read_text(encoding="utf-8")) == set()
