"""From an edited text to the edits that make it."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.author.anchor import edits_between, lines_of
from grader.errors import FaultEditError
from grader.lesson.edits import edited
from grader.lesson.model import Edit

COURSE = Path(__file__).resolve().parents[2]
FILE = "pkg/module.py"
SOURCES = [
    text
    for path in sorted((COURSE / "reference").rglob("*.py"))
    if (text := path.read_text(encoding="utf-8")) and len(text) < 5_000
]
FAULTS = sorted(COURSE.glob("mutants/*/*-*.toml"))


def pairs(reference: str, changed: str, *known: tuple[str, str]) -> list[tuple[str, str]]:
    old = [Edit(file=FILE, find=find, replace=replace) for find, replace in known]
    return [(edit.find, edit.replace) for edit in edits_between(FILE, reference, changed, old)]


# any edit ---------------------------------------------------------------------------------------------------------

odd_lines = st.sampled_from(
    ["\n", "    \n", "\t\n", "    return x  # why\n", "'''\n", "\x0c\n", "é\u2028ü\n", "no end"]
)


@st.composite
def edited_sources(draw: st.DrawFn) -> tuple[str, str]:
    """A real source, or one that repeats itself, with up to four stretches of lines replaced."""
    source = draw(st.sampled_from([*SOURCES, "x = 1\n" * 6, "a\n\nb\n\na\n", "\n\n\n", "alone"]))
    lines = lines_of(source)
    for _ in range(draw(st.integers(1, 4))):
        first = draw(st.integers(0, len(lines)))
        last = draw(st.integers(first, min(len(lines), first + 3)))
        lines[first:last] = draw(
            st.lists(st.sampled_from(lines_of(source)) | odd_lines | st.text(max_size=8), max_size=3)
        )
    return source, "".join(lines)


@settings(deadline=None, max_examples=100)
@given(edited_sources())
def test_the_edits_make_exactly_the_edited_text(texts: tuple[str, str]) -> None:
    """`edited` refuses a `find` that does not stand exactly once, overlaps, and edits that change nothing."""
    source, changed = texts
    edits = edits_between(FILE, source, changed)
    assert bool(edits) == (source != changed)
    if edits:
        assert edited(edits, {FILE: source}, "fault.toml") == {FILE: changed}


@settings(deadline=None, max_examples=40)
@given(edited_sources(), st.data())
def test_known_edits_never_change_what_is_made(texts: tuple[str, str], data: st.DataObject) -> None:
    source, changed = texts
    lines = lines_of(source)
    known = [
        Edit(file=FILE, find=find, replace=replace)
        for find, replace in data.draw(st.lists(st.tuples(st.sampled_from(lines), odd_lines), max_size=3))
    ]
    edits = edits_between(FILE, source, changed, known)
    assert not edits if source == changed else edited(edits, {FILE: source}, "") == {FILE: changed}


@pytest.mark.parametrize("path", FAULTS, ids=lambda path: path.stem)
def test_each_fault_of_the_course_comes_out_as_its_author_wrote_it(path: Path) -> None:
    written = [Edit(**edit) for edit in tomllib.loads(path.read_text(encoding="utf-8"))["edit"]]
    for file in {edit.file for edit in written}:
        source = (COURSE / "reference" / file).read_text(encoding="utf-8")
        own = tuple(edit for edit in written if edit.file == file)
        changed = edited(own, {file: source}, "")[file]
        assert edits_between(file, source, changed, own) == own


# the smallest context ---------------------------------------------------------------------------------------------

TWICE = """\
def one(x):
    y = x + 1  # up
    return y


def two(x):
    y = x - 1
    return y
"""


def test_one_line_is_found_without_indentation_and_without_the_comment_that_stays() -> None:
    changed = TWICE.replace("x + 1", "x + 2")
    assert pairs(TWICE, changed) == [("y = x + 1", "y = x + 2")]


def test_a_comment_that_changes_too_is_part_of_the_edit() -> None:
    changed = TWICE.replace("x + 1  # up", "x + 2  # up!")
    assert pairs(TWICE, changed) == [("y = x + 1  # up", "y = x + 2  # up!")]


def test_a_changed_indentation_is_part_of_the_edit() -> None:
    changed = TWICE.replace("    y = x - 1\n", "        y = x - 1\n")
    assert pairs(TWICE, changed) == [("    y = x - 1", "        y = x - 1")]


def test_a_line_that_stands_twice_takes_the_fewest_lines_around_it() -> None:
    changed = TWICE.replace("    y = x - 1\n    return y\n", "    y = x - 1\n    return x\n")
    assert pairs(TWICE, changed) == [("    y = x - 1\n    return y", "    y = x - 1\n    return x")]


def test_an_inserted_line_is_found_by_a_neighbour() -> None:
    changed = TWICE.replace("    y = x - 1\n", "    x = abs(x)\n    y = x - 1\n")
    [(find, replace)] = pairs(TWICE, changed)
    assert find in {"def two(x):", "    y = x - 1"}
    assert replace.count("\n") == 1


def test_a_removed_line_goes_with_its_end() -> None:
    changed = TWICE.replace("    y = x - 1\n", "")
    assert pairs(TWICE, changed) == [("    y = x - 1\n", "")]


def test_a_line_inside_another_is_not_taken_for_unique() -> None:
    source = "self.x = a\nx = a\n"
    assert pairs(source, "self.x = a\nx = b\n") == [("self.x = a\nx = a", "self.x = a\nx = b")]


def test_changes_far_apart_are_edits_of_their_own() -> None:
    changed = TWICE.replace("x + 1", "x + 2").replace("x - 1", "x - 2")
    assert pairs(TWICE, changed) == [("y = x + 1", "y = x + 2"), ("y = x - 1", "y = x - 2")]


def test_changes_whose_contexts_would_overlap_are_one_edit() -> None:
    source = "a = 1\n" * 4
    changed = "a = 1\nb = 1\na = 1\nb = 1\n"
    assert pairs(source, changed) == [(source[:-1], changed[:-1])]


def test_blank_lines_alone_are_no_context() -> None:
    source = "a\n\n\n\nb\n"
    [(find, _replace)] = pairs(source, "a\n\n\nb\n")
    assert find.strip()


def test_nothing_can_be_found_in_an_empty_file() -> None:
    with pytest.raises(FaultEditError, match="is empty in the reference"):
        edits_between(FILE, "", "x = 1\n")


# edits that are there already -------------------------------------------------------------------------------------


def test_an_edit_that_still_does_its_part_stays_as_it_was_written() -> None:
    changed = TWICE.replace("x + 1", "x + 2").replace("x - 1", "x - 2")
    assert pairs(TWICE, changed, ("x + 1  #", "x + 2  #")) == [
        ("x + 1  #", "x + 2  #"),
        ("y = x - 1", "y = x - 2"),
    ]


def test_an_edit_that_is_undone_is_gone() -> None:
    changed = TWICE.replace("x - 1", "x - 2")
    assert pairs(TWICE, changed, ("x + 1", "x + 2")) == [("y = x - 1", "y = x - 2")]


def test_of_two_edits_on_one_line_the_one_that_is_left_stays() -> None:
    changed = TWICE.replace("y = x - 1", "y = x - 2")
    assert pairs(TWICE, changed, ("y = x -", "z = x -"), ("- 1", "- 2")) == [("- 1", "- 2")]


def test_two_edits_on_one_line_stay_two() -> None:
    changed = TWICE.replace("y = x - 1", "z = x - 2")
    known = ("y = x -", "z = x -"), (" 1\n    return y\n", " 2\n    return y\n")
    source = TWICE.replace("x + 1", "x + 3")
    assert pairs(source, changed.replace("x + 1", "x + 3"), *known) == list(known)
