"""What a witness shows, in words: both results in one sentence, long ones below one another."""

from __future__ import annotations

import numpy as np
import pytest

from grader import values


def test_short_results_stand_in_a_sentence_of_two_lines() -> None:
    told = values.compared(values.gives("False"), values.raises("ValueError"))
    assert told == "On this input the reference gives False,\nthis faulty version raises ValueError."


def test_long_results_stand_below_one_another() -> None:
    right, wrong = (
        "array([ 0.707107, -0.707107], dtype=float32)",
        "array([ 0.999001, -0.999001], dtype=float32)",
    )
    assert values.compared(values.gives(right), values.gives(wrong)).splitlines() == [
        "On this input the reference gives",
        f"  {right},",
        "this faulty version gives",
        f"  {wrong}.",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.array([1 / 3, 2], np.float32), "array([0.333333, 2. ], dtype=float32)"),
        (np.eye(2), "array([[1., 0.], [0., 1.]])"),
        ("a\nb", "'a\\nb'"),
        (None, "None"),
    ],
)
def test_a_value_is_one_short_line(value: object, text: str) -> None:
    assert values.text_of(value) == text


def test_of_many_values_the_first_and_the_last_are_shown() -> None:
    text = values.text_of(np.arange(1000))
    assert text.startswith("array([ 0, 1, 2, ..., 997, 998, 999]")
    assert len(text) < 60
