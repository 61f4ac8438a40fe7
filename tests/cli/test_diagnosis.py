"""Which mistake a rejected test is told that it usually makes."""

import pytest

from grader import diagnosis
from grader.diagnosis import usual_mistake

CLOSE = "AssertionError: \nNot equal to tolerance rtol=1e-09, atol=0\nMax relative difference among violations: 2.1e-07"
FAR = "AssertionError: \nNot equal to tolerance rtol=1e-05, atol=0\nMax relative difference among violations: 0.048"


@pytest.mark.parametrize(
    ("kind", "message", "mistake"),
    [
        ("rejects_reference", CLOSE, diagnosis.TOLERANCE),
        ("too_strict", CLOSE, diagnosis.TOLERANCE),
        ("rejects_reference", FAR, diagnosis.FORMULA),
        ("too_strict", FAR, diagnosis.NEAR_ZERO),
        ("rejects_reference", "AssertionError: \nArrays are not equal\nMax relative difference: 1e-7", diagnosis.EXACT),
        ("rejects_reference", "AssertionError: \nArrays are not equal\nMax relative difference: 2.", diagnosis.FORMULA),
        ("rejects_reference", "assert 0.30000001192092896 == 0.3", diagnosis.EXACT),
        ("rejects_reference", "assert np.float32(0.5) == 0.25", diagnosis.FORMULA),
        ("rejects_reference", "assert array([1.]) == approx([2. ± 1e-6])\nMax relative difference: 1.0", diagnosis.FORMULA),
        ("rejects_reference", "assert 0.5 == approx(0.5 ± 1e-12)\nMax relative difference: 1e-8", diagnosis.TOLERANCE),
        ("too_strict", "assert np.False_\n +  where array([1.]) == array([1.])", diagnosis.EXACT),
        ("too_strict", "AssertionError: Regex pattern did not match.\n  Expected regex: 'x'", diagnosis.WORDING),
        ("too_strict", "AttributeError: 'RMSNorm' object has no attribute 'eps'", diagnosis.DETAILS),
        ("rejects_reference", "TypeError: __init__() got an unexpected keyword", diagnosis.RAISES),
        ("rejects_reference", "AssertionError: the norm is wrong", diagnosis.FORMULA),
        ("order_dependent", "assert False", diagnosis.ORDER),
        ("flaky", "assert 1.9 < 1.7", diagnosis.CHANCE),
        ("blind", "", ""),
        ("policy", "a suite may not import os", ""),
    ],
)  # fmt: skip
def test_a_message_points_to_its_usual_mistake(kind: str, message: str, mistake: str) -> None:
    assert usual_mistake(kind, message) == mistake


def test_a_number_that_is_none_does_not_break_it() -> None:
    assert usual_mistake("rejects_reference", "Max relative difference: nan") == diagnosis.FORMULA
