"""What a learner starts L7.1 with: a stub that says what to build, and a test that is right about it."""

import inspect
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

COURSE = Path(__file__).parents[2]
TEMPLATE = COURSE / "student_template/L7.1/python"
STUB = (TEMPLATE / "tinyllm/modern/norm.py").read_text(encoding="utf-8")
SUITE = TEMPLATE / "tests/l7-1-norm"
VARIANTS = sorted((COURSE / "reference/variants/L7.1").glob("*.py"))

FailingTests = Callable[[Path, str], set[str]]


def test_stub_has_the_signatures_of_the_reference(
    reference_source: str, load: Callable[[str], ModuleType]
) -> None:
    stub, reference = load(STUB), load(reference_source)
    for name in ("RMSNorm", "RMSNorm.__init__", "RMSNorm.forward", "pre_norm_residual"):
        stubbed, written = (eval(name, vars(module)) for module in (stub, reference))  # noqa: S307 - names above
        assert inspect.signature(stubbed) == inspect.signature(written)
        assert stubbed.__doc__ or name == "RMSNorm.__init__"


def test_stub_says_what_to_build(load: Callable[[str], ModuleType]) -> None:
    stub = load(STUB)
    unbuilt: Any = object.__new__(stub.RMSNorm)
    message = r"^(RMSNorm\.(__init__|forward)|pre_norm_residual): \w+ .+"
    calls = ((stub.RMSNorm, [4]), (unbuilt.forward, [None]), (stub.pre_norm_residual, [None, None, None]))
    for function, arguments in calls:
        with pytest.raises(NotImplementedError, match=message):
            function(*arguments)


def test_starter_test_fails_on_the_stub(failing_tests: FailingTests) -> None:
    assert failing_tests(SUITE, STUB) == {"test_one_vector_by_hand"}


def test_starter_test_passes_on_the_reference(reference_source: str, failing_tests: FailingTests) -> None:
    assert failing_tests(SUITE, reference_source) == set()


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda path: path.stem)
def test_starter_test_passes_on_variants(
    variant: Path, load: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tinyllm.modern.norm", load(variant.read_text(encoding="utf-8")))
    suite = runpy.run_path(str(SUITE / "test_rmsnorm_oracle.py"))
    suite["test_one_vector_by_hand"]()
