"""Edits after the reference has changed: where they belong, and what they become."""

import pytest

from grader.author.merge import counterpart, merged
from grader.author.reanchor import MOST_PLACES, Place, stale_edits, with_edits
from grader.lesson.model import Edit

FILE = "pkg/module.py"
SOURCE = """\
def scaled(x, gain):
    total = mean(x * x, axis=-1)  # [...]
    root = (total + eps) ** -0.5
    return x * root * gain


def plain(x):
    return x
"""
EDIT = Edit(file=FILE, find="root = (total + eps) ** -0.5", replace="root = 1 / (sqrt(total) + eps)")


def places(find: str, replace: str, source: str) -> tuple[Place, ...]:
    edit = Edit(file=FILE, find=find, replace=replace)
    [stale] = stale_edits([edit], FILE, source)
    return stale.places


# three-way merge --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "both"),
    [
        ("a + b", "a - b", "a + b", "a - b"),
        ("a + b", "a + b", "a + c", "a + c"),
        ("a + b", "a - b", "a - b", "a - b"),
        ("a + b", "a - b", "a + c", "a - c"),
        ("f(x, 1)", "g(x, 1)", "f(x, 1, 2)", "g(x, 1, 2)"),
        ("x = 1\ny = 2\nz = 3\n", "x = 1\ny = 2\n", "x = 0\ny = 2\nz = 3\n", "x = 0\ny = 2\n"),
        ("", "", "a", "a"),
    ],
)
def test_changes_of_both_sides_are_made(base: str, ours: str, theirs: str, both: str) -> None:
    assert merged(base, ours, theirs) == both


def test_a_name_that_the_other_side_changed_is_changed_in_ours_too() -> None:
    assert merged("root = total ** -0.5", "root = 1 / sqrt(total)", "r = t ** -0.5") == "r = 1 / sqrt(t)"


def test_a_name_that_means_two_things_now_is_left_alone() -> None:
    assert merged("a + a + 1", "a + a + 2", "b + c + 1") == "b + c + 2"


@pytest.mark.parametrize(("ours", "theirs"), [("a * b", "a - b"), ("a", "a + b + c")])
def test_two_changes_of_the_same_words_are_a_conflict(ours: str, theirs: str) -> None:
    assert merged("a + b", ours, theirs) is None


@pytest.mark.parametrize(
    ("base", "text", "part"),
    [
        ("f(x)", "y = f(x)  # why", "f(x)"),
        ("f(x)", "f(z)", "f(z)"),
        ("x = f(y)", "r = f(s)  # [...]", "r = f(s)"),
        ("f(x)", "g(f(x))", "g(f(x))"),
        ("f(x)", "", ""),
    ],
)
def test_the_counterpart_is_without_what_stands_around_it(base: str, text: str, part: str) -> None:
    start, end = counterpart(base, text)
    assert text[start:end] == part


# places -----------------------------------------------------------------------------------------------------------


def test_edits_that_fit_are_not_stale() -> None:
    other = Edit(file="pkg/other.py", find="nothing of this file", replace="")
    assert stale_edits([EDIT, other], FILE, SOURCE) == []


def test_an_edit_of_renamed_names_is_found_and_speaks_the_new_ones() -> None:
    source = SOURCE.replace("root", "inverse").replace("total", "mean_square")
    [place] = places(EDIT.find, EDIT.replace, source)
    assert (place.line, place.text) == (3, "inverse = (mean_square + eps) ** -0.5")
    assert place.replace == "inverse = 1 / (sqrt(mean_square) + eps)"


def test_a_change_beside_the_edit_is_kept() -> None:
    source = SOURCE.replace("axis=-1)", "axis=-1, keepdims=True)")
    [place] = places("mean(x * x, axis=-1)", "sum(x * x, axis=-1)", source)
    assert place.replace == "sum(x * x, axis=-1, keepdims=True)"


def test_several_lines_are_found_as_several_lines() -> None:
    source = SOURCE.replace("x * root * gain", "x * root * (1 + gain)")
    find = "    root = (total + eps) ** -0.5\n    return x * root * gain"
    [place] = places(find, find.replace("root * gain", "root"), source)
    assert place.text == "    root = (total + eps) ** -0.5\n    return x * root * (1 + gain)"
    assert place.line == 3


def test_a_change_of_the_very_words_is_shown_without_a_proposal() -> None:
    [place] = places(EDIT.find, EDIT.replace, SOURCE.replace("** -0.5", "** (-1 / 2)"))
    assert place.text == "root = (total + eps) ** (-1 / 2)"
    assert place.replace is None


def test_a_reference_that_has_the_fault_is_seen() -> None:
    [place] = places(EDIT.find, EDIT.replace, SOURCE.replace(EDIT.find, f"{EDIT.replace}  # new"))
    assert place.text == place.replace == EDIT.replace


def test_what_is_like_nothing_has_no_place() -> None:
    assert places("import antigravity as wings", "pass", SOURCE) == ()


@pytest.mark.parametrize(
    ("find", "source", "sure"),
    [
        (EDIT.find, SOURCE.replace("root", "inverse").replace("total", "mean_square"), True),
        ("mean(x * x, axis=-1)", SOURCE.replace("axis=-1)", "axis=-1, keepdims=True)"), True),
        # What was looked for is written in another way now, and its neighbour has most in common with it.
        ("mean(y * y * y, axis=-1)", SOURCE.replace("def plain", "y = 1\n\n\ndef plain"), False),
        # Renamed, in two places.
        ("return old(x, gain, eps)", f"{SOURCE}    return new(x, gain, eps)\n" * 2, False),
    ],
)
def test_a_place_is_sure_if_all_that_is_looked_for_stands_there_alone(
    find: str, source: str, sure: bool
) -> None:
    [place] = places(find, "0", source)
    assert place.sure is sure


def test_places_beyond_those_that_can_be_shown_are_counted() -> None:
    [stale] = stale_edits([Edit(file=FILE, find="a", replace="b")], FILE, "a\n" * (MOST_PLACES + 3))
    assert (len(stale.places), stale.more) == (MOST_PLACES, 3)


def test_an_ambiguous_edit_has_all_its_places() -> None:
    edit = Edit(file=FILE, find="return x", replace="return -x")
    [stale] = stale_edits([EDIT, edit], FILE, SOURCE)
    assert (stale.number, stale.ambiguous) == (1, True)
    assert [place.line for place in stale.places] == [4, 8]
    assert {place.replace for place in stale.places} == {"return -x"}


def test_edits_that_fit_and_places_are_made_together() -> None:
    [place] = places("def plane(x)", "def plane(y)", SOURCE)
    text = with_edits(SOURCE, [EDIT], [place])
    assert text == SOURCE.replace(EDIT.find, EDIT.replace).replace("def plain(x)", "def plain(y)")


def test_a_place_in_the_middle_of_an_edit_is_refused() -> None:
    [place] = places("(total + epsilon) ** -0.5", "0", SOURCE)
    assert with_edits(SOURCE, [EDIT], [place]) is None
