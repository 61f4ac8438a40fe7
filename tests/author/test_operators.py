"""Every operator does what its own examples say, and leaves alone what it has no business with."""

import ast

import pytest

from grader.author.candidates.operators import OPERATORS, Example, Operator
from grader.author.candidates.source import Source

EXAMPLES = [(operator, example) for operator in OPERATORS for example in operator.examples]


def names(value: object) -> str | None:
    return value.name if isinstance(value, Operator) else None


def changed(operator: Operator, text: str) -> list[str]:
    """All texts that an operator makes of a module, in its order."""
    source = Source(text)
    made = []
    for node in source.nodes:
        for replaced, replacement in operator.change(node, source):
            start, end = source.span(replaced)
            made.append(text[:start] + replacement + text[end:])
    return made


@pytest.mark.parametrize(("operator", "example"), EXAMPLES, ids=names)
def test_an_example_comes_out_as_it_says(operator: Operator, example: Example) -> None:
    assert changed(operator, example.before) == list(example.after)


@pytest.mark.parametrize(("operator", "example"), EXAMPLES, ids=names)
def test_what_an_operator_makes_is_python(operator: Operator, example: Example) -> None:
    for text in changed(operator, example.before):
        ast.parse(text)


@pytest.mark.parametrize("operator", OPERATORS, ids=names)
def test_an_operator_shows_what_it_changes_and_what_it_leaves_alone(operator: Operator) -> None:
    assert any(example.after for example in operator.examples)
    assert any(not example.after for example in operator.examples)


def test_no_two_operators_share_a_name_and_each_says_what_it_is() -> None:
    named = [operator.name for operator in OPERATORS]
    assert len(set(named)) == len(named)
    assert all(operator.about and "\n" not in operator.about for operator in OPERATORS)


def test_places_are_right_after_letters_of_several_bytes() -> None:
    operator = next(each for each in OPERATORS if each.name == "swap-axis")
    assert changed(operator, "σ = 'größe'; y = x.mean(axis=-1)  # µ\n") == [
        "σ = 'größe'; y = x.mean(axis=0)  # µ\n",
        "σ = 'größe'; y = x.mean(axis=None)  # µ\n",
    ]


def test_annotations_are_left_alone() -> None:
    text = "def f(x: g(a + b, axis=0)) -> sqrt(a + b): return x\n"
    assert [made for operator in OPERATORS for made in changed(operator, text)] == []
