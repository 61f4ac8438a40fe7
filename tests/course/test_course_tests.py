"""The course tests of L7.1 are the chapter's twelve, and each says its kind and what relies on it."""

import ast
import re
from pathlib import Path

SOURCE = (Path(__file__).parents[2] / "reference/tests/L7.1/test_norm.py").read_text(encoding="utf-8")
TESTS = [
    node for node in ast.parse(SOURCE).body if isinstance(node, ast.FunctionDef) and node.name[:5] == "test_"
]
KINDS = {
    "test_hand_example": "unit",
    "test_golden_hf_llama": "golden",
    "test_golden_hf_gemma_offset": "golden",
    "test_eps_inside_the_root": "golden",
    "test_gradcheck_x_and_gain": "gradcheck",
    "test_unit_rms_and_scale_invariance": "property",
    "test_no_mean_is_subtracted": "boundary",
    "test_parameter_names_and_init": "unit",
    "test_pre_norm_residual_identity_path": "property",
    "test_pre_norm_residual_adds_the_branch": "unit",
    "test_normalizes_each_vector_on_its_own": "property",
    "test_validation": "boundary",
}
DOCSTRING = re.compile(r"\[(unit|golden|gradcheck|property|boundary)\] \S[^\n]*\.\n\nDownstream: \S[^\n]*\.")


def test_they_are_the_twelve_of_the_chapter_with_their_kinds() -> None:
    kinds = {test.name: (ast.get_docstring(test) or "").partition("]")[0].strip("[") for test in TESTS}
    assert list(kinds.items()) == list(KINDS.items())


def test_each_says_why_it_matters_downstream() -> None:
    odd = [test.name for test in TESTS if not DOCSTRING.fullmatch(ast.get_docstring(test) or "")]
    assert odd == []
