"""When two values of witnesses differ, and when a hint gives the answer away: pure, on many cases."""

import base64
import zlib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from grader.author.verify.bits import TAIL
from grader.author.verify.hints import given_away
from grader.author.verify.names import public_names
from grader.author.verify.probes import PREAMBLE
from grader.author.verify.values import Value, decoded, differ
from grader.lesson import Edit, Fault, Witness

TOLERANCE = 1e-5


class Space(dict[str, Any]):
    """What `PREAMBLE` defines, as a run has it."""

    def told(self, value: object) -> Value:
        text = base64.b32encode(zlib.compress(msgspec.json.encode(self["encoded"](value)))).decode()
        return decoded(text)


@pytest.fixture(scope="module")
def run() -> Space:
    space = Space()
    exec(compile(PREAMBLE, "<probes>", "exec"), space)  # noqa: S102 - the text that runs beside programs
    return space


class Plain:
    """No two of these can be told apart from outside their process."""


ALIKE = [
    (1, 1.0),
    (True, 1),
    (np.float64(2.0), 2),
    ("a", "a"),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({1, 2}, {2, 1}),
    (None, None),
    (np.array([1.0, 2.0]), np.array([1.0, 2.0 + 1e-4])),  # a hundred tolerances of the largest element: 2e-3
    (np.array([0.0, 0.0]), np.array([0.0, 0.0])),
    (np.array([np.inf, np.nan, 1]), np.array([np.inf, np.nan, 1])),
    (np.array([], np.float32), np.array([], np.float32)),
    ((1, np.array([1.0])), (1, np.array([1.0 + 1e-6]))),
    (np.array([1, 2]), np.array([1, 2])),
]
UNLIKE = [
    (1, 2),
    (1.0, 1.0000001),
    ("1", 1),
    ([1], (1,)),
    ((1, 2), (1, 2, 3)),
    (None, 0),
    ({"a": 1}, {"a": 2}),
    (np.array([1.0, 2.0]), np.array([1.0, 2.01])),
    (np.array([0.0, 0.0]), np.array([0.0, 1e-30])),
    (np.array([1.0]), np.array([[1.0]])),
    (np.array([1.0]), [1.0]),
    (np.array([1.0]), np.array([np.nan])),
    (np.array([1.0, np.inf]), np.array([1.0, -np.inf])),
    (np.array([1, 2]), np.array([1, 3])),
    ((1, np.array([1.0])), (1, np.array([2.0]))),
]


@pytest.mark.parametrize(("one", "other"), ALIKE, ids=str)
def test_these_do_not_differ(run: Space, one: object, other: object) -> None:
    assert not differ(run.told(one), run.told(other), TOLERANCE)
    assert not differ(run.told(other), run.told(one), TOLERANCE)


@pytest.mark.parametrize(("one", "other"), UNLIKE, ids=str)
def test_these_differ(run: Space, one: object, other: object) -> None:
    assert differ(run.told(one), run.told(other), TOLERANCE)
    assert differ(run.told(other), run.told(one), TOLERANCE)


def test_a_difference_counts_from_a_hundred_tolerances_of_the_largest_right_element(run: Space) -> None:
    right = run.told(np.array([1.0, 64.0]))
    assert not differ(right, run.told(np.array([1.0 + 0.0624, 64.0])), 2.0**-10 / 100)
    assert differ(right, run.told(np.array([1.0 + 0.0625, 64.0])), 2.0**-10 / 100)


@pytest.mark.parametrize(
    ("one", "other", "unlike"),
    [
        (0.1 + 0.2, 0.3, False),
        (2.0, 2.0000000000000004, False),
        ((1, [0.5]), (1, [0.5 + 1e-9]), False),
        (complex(0.5, 1), complex(0.5, 1 + 1e-9), False),
        (np.nan, np.nan, False),
        (1000, 1001, True),  # though a hundred tolerances of them are more than that
        (0.5, 0.6, True),
        (1e300, 1.1e300, True),
        (np.inf, 1.5, True),
        ("0.5", 0.5, True),
        ("a", "b", True),
    ],
)
def test_of_numbers_within_rounding_the_last_bits_do_not_count(
    run: Space, one: object, other: object, unlike: bool
) -> None:
    assert differ(run.told(one).rounded, run.told(other).rounded, TOLERANCE) is unlike
    assert differ(run.told(other).rounded, run.told(one).rounded, TOLERANCE) is unlike


def test_forms_know_types_and_shapes_and_nothing_else(run: Space) -> None:
    assert run.told(np.ones((2, 3))).form == run.told(np.zeros((2, 3), np.float32)).form
    assert run.told(np.ones((2, 3))).form != run.told(np.ones((3, 2))).form
    assert run.told((1, "a")).form == run.told((2, "b")).form == "a tuple of (a number, a str)"
    assert run.told([1, 2, 3]).form == run.told([]).form


@pytest.mark.parametrize("value", [Plain(), [Plain()], {"a": Plain()}])
def test_what_cannot_be_compared_is_refused(run: Space, value: object) -> None:
    with pytest.raises(TypeError, match="a Plain cannot be compared"):
        run["encoded"](value)


# ------------------------------------------------------------------------- hints


def fault(hint: str, find: str = "total = a + b\n", replace: str = "total = a - b\n") -> Fault:
    edit = Edit(file="m.py", find=find, replace=replace)
    return Fault(
        title="t",
        symptom="s",
        hint=hint,
        caught_by=("test_a",),
        edits=(edit,),
        witness=Witness(call="return 1"),
        id="s01",
        path=Path("s01-t.toml"),
    )


@pytest.mark.parametrize(
    "hint", ["it is total = a - b", "it  is total  =  a - b.", "what if it were a - b?", "a - b, maybe"]
)
def test_a_hint_that_holds_changed_code_gives_it_away(hint: str) -> None:
    assert list(given_away(fault(hint))) == [("hint", "total = a - b" if "total" in hint else "a - b")]


@pytest.mark.parametrize(
    "hint", ["a sum that you never look at", "aa - bb", "total = a + b is what it should be"]
)
def test_prose_and_the_references_own_code_do_not(hint: str) -> None:
    assert list(given_away(fault(hint))) == []


def test_a_line_that_the_reference_has_too_is_no_secret() -> None:
    longer = fault("keep x = 1 in mind", find="x = 1\ny = 2", replace="x = 1\ny = 3")
    assert list(given_away(longer)) == []


# ------------------------------------------------------------------------- public names


def test_public_names_are_functions_classes_and_their_methods_with_what_they_take() -> None:
    source = """
class Norm(Module):
    d: int
    def __init__(self, d: int, eps: float = 1e-6) -> None: ...
    def forward(self, x): return x
    def _hidden(self): ...
class _Private:
    def method(self): ...
def step(x: Tensor, *, loud: bool = False) -> Tensor: ...
def _own(): ...
"""
    assert public_names(source) == {
        "Norm": None,
        "Norm.__init__": "self, d, eps=1e-06",
        "Norm.forward": "self, x",
        "step": "x, *, loud=False",
    }


# ------------------------------------------------------------------------- last bits

NOTED = """
import numpy

def twice(x): return helper(x) + helper(x)

def helper(x): return numpy.asarray(x, numpy.float32)

class Scale:
    def __init__(self, by): self.by = numpy.float32(by)
    def of(self, x): return Holder(self.by * x)
    @staticmethod
    def none(x): return x
    @property
    def factor(self): return self.by

class Holder:
    __slots__ = ("inside",)
    def __init__(self, inside): self.inside = inside

def text(x): return str(x)
"""
CALLED = ["twice", "helper", "Scale.of", "Scale.none", "Scale.factor", "text"]


def defined(source: str) -> dict[str, Any]:
    space: dict[str, Any] = {}
    exec(compile(source, "<noted>", "exec"), space)  # noqa: S102 - made here
    return space


@pytest.fixture(scope="module")
def noting() -> dict[str, Any]:
    return defined(f"{NOTED}{TAIL}_note_bits(globals(), {CALLED!r}, 1)")


@pytest.mark.parametrize(
    "call", ["twice([1, 2])", "helper(3)", "Scale(2).of(1.5)", "Scale(2).of(numpy.ones(2, numpy.float32))"]
)
def test_a_public_function_that_returns_numbers_that_round_is_noted(
    noting: dict[str, Any], call: str
) -> None:
    with pytest.raises(BaseException, match=r"^[0-9a-f]{64}$") as raised:
        eval(call, noting)  # noqa: S307 - one of those above
    assert type(raised.value).__name__ == "_Bits"


@pytest.mark.parametrize("call", ["Scale.none(1.5)", "Scale(2).factor", "text(1.5)", "Scale(2).none('a')"])
def test_what_returns_no_array_or_is_no_plain_function_goes_on_as_it_was(
    noting: dict[str, Any], call: str
) -> None:
    assert eval(call, noting) == eval(call, defined(NOTED))  # noqa: S307 - one of those above
