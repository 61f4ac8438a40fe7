"""Which mistake a test usually makes that rejects a correct program: read from its kind and from what it says."""

from __future__ import annotations

import re

CLOSE = 1e-3  # two results that differ by less, relatively, differ by rounding and not by formula
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
# numpy.testing's and pytest.approx's own words.
_RELATIVE = re.compile(rf"Max relative difference(?: among violations)?: *(?P<number>{_NUMBER})")
_TWO_NUMBERS = re.compile(
    rf"^assert (?:np\.float\d+\()?(?P<a>{_NUMBER})\)? == (?:np\.float\d+\()?(?P<b>{_NUMBER})\)?"
)
_EXACT = re.compile(r"Arrays are not equal|array_equal|array_equiv|\A(?!.*approx)assert .*==", re.DOTALL)
_WORDING = re.compile(r"Regex pattern did not match")
_RAISED = re.compile(r"\A(?P<name>\w*(?:Error|Exception))\b")

TOLERANCE = (
    "too tight a tolerance: float32 keeps about 7 digits, so rtol=1e-5 with a small atol is a fair demand."
)
NEAR_ZERO = (
    "a relative tolerance alone where values are near zero: give numpy.testing.assert_allclose an atol, too."
)
EXACT = "exact equality of floating-point results: compare with numpy.testing.assert_allclose."
FORMULA = "a wrong formula or expected value: work the smallest failing input by hand and see which side it agrees with."
RAISES = "a call that the module's contract does not allow, or a mistake in the test's own code."
WORDING = "the words of an error message: the contract fixes the type of the exception and not its text."
DETAILS = "something that the contract does not promise, such as a private name or how a result is computed."
ORDER = "data that tests share: a module-level array, parameter or generator that one of them changes."
CHANCE = "random input without a seed: numpy.random.default_rng(0) makes the same numbers each time."


def usual_mistake(kind: str, message: str) -> str:
    """The mistake that such a failure usually comes from, or an empty text."""
    match kind:
        case "order_dependent":
            return ORDER
        case "flaky":
            return CHANCE
        case "rejects_reference" | "too_strict":
            return _wording(message) or _exact(message, kind) or _by_difference(message, kind)
        case _:
            return ""


def _wording(message: str) -> str:
    return WORDING if _WORDING.search(message) else ""


def _exact(message: str, kind: str) -> str:
    """Equality is to blame where the values are close, or where some other correct program gives equal ones."""
    if not _EXACT.search(message):
        return ""
    difference = _relative_difference(message)
    close = difference is not None and difference < CLOSE
    return EXACT if close or (difference is None and kind == "too_strict") else ""


def _by_difference(message: str, kind: str) -> str:
    difference = _relative_difference(message)
    if difference is not None and difference < CLOSE:
        return TOLERANCE
    if difference is not None and kind == "too_strict":
        return NEAR_ZERO
    raised = _RAISED.match(message)
    if raised and raised["name"] != "AssertionError":
        return DETAILS if kind == "too_strict" else RAISES
    return DETAILS if kind == "too_strict" else FORMULA


def _relative_difference(message: str) -> float | None:
    found = _RELATIVE.search(message)
    if found:
        return float(found["number"])
    compared = _TWO_NUMBERS.match(message)
    if not compared:
        return None
    a, b = float(compared["a"]), float(compared["b"])
    return abs(a - b) / max(abs(a), abs(b), 1e-300)
