"""Which fault a name means, and what a new one may be called."""

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.author.catalogue import fault_places, find_fault
from grader.author.naming import is_id, new_place, next_id, taken
from grader.errors import AmbiguousFaultError, UnknownFaultError, UnknownLessonError

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """`make("L1/s01-title", …)` is a folder with these faults; their files are empty."""

    def make(*names: str) -> Path:
        for name in names:
            path = tmp_path / "mutants" / f"{name}.toml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")
            (path.parent / "lesson.toml").write_text("")
        return tmp_path

    return make


def test_faults_are_listed_by_lesson_and_id_without_what_is_no_fault(make: Make) -> None:
    course = make("L10/a-x", "L2/s02-x", "L2/s01-y", "L2/.hidden")
    (course / "mutants/L2/notes.txt").write_text("")
    assert [place.name for place in fault_places(course)] == ["L2/s01", "L2/s02", "L10/a"]
    assert [place.file for place in fault_places(course, "L10")] == ["mutants/L10/a-x.toml"]


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("L2/s01", "L2/s01-eps"),
        ("L2/s01-eps", "L2/s01-eps"),
        ("b07", "L1/b07-last"),
        ("b07-last", "L1/b07-last"),
        ("L1/b07", "L1/b07-last"),
    ],
)
def test_a_name_is_full_or_an_id_or_the_files(make: Make, name: str, stem: str) -> None:
    course = make("L1/s01-eps", "L1/b07-last", "L2/s01-eps", "L2/s02")
    assert find_fault(course, name).stem == stem


def test_a_lesson_makes_a_bare_id_unique(make: Make) -> None:
    course = make("L1/s01-a", "L2/s01-b")
    assert find_fault(course, "s01", "L2").name == "L2/s01"
    assert find_fault(course, "L2/s01", "L2").name == "L2/s01"


def test_an_id_of_two_lessons_is_refused_with_both(make: Make) -> None:
    with pytest.raises(AmbiguousFaultError, match="L1/s01, L2/s01"):
        find_fault(make("L1/s01-a", "L2/s01-b"), "s01")


def test_two_files_with_one_id_are_told_apart_by_their_names(make: Make) -> None:
    course = make("L1/s01-a", "L1/s01-b")
    with pytest.raises(AmbiguousFaultError, match="L1/s01-a, L1/s01-b"):
        find_fault(course, "L1/s01")
    assert find_fault(course, "s01-b").path.stem == "s01-b"


def test_a_name_that_is_not_there_is_answered_with_those_that_are(make: Make) -> None:
    course = make("L1/s01-a", "L2/s01-b")
    with pytest.raises(UnknownFaultError) as refused:
        find_fault(course, "L1/s99")
    assert "L1/s01" in refused.value.hint
    assert "L2" not in refused.value.hint


@pytest.mark.parametrize("name", ["L1/s01", "s02"])
def test_nothing_is_found_outside_of_the_lesson_that_was_named(make: Make, name: str) -> None:
    with pytest.raises(UnknownFaultError):
        find_fault(make("L1/s01-a", "L1/s02", "L2/s01-b"), name, "L2")


def test_a_lesson_that_is_not_there_is_answered_with_those_that_are(make: Make) -> None:
    with pytest.raises(UnknownLessonError):
        find_fault(make("L1/s01-a"), "L9/s01")


@pytest.mark.parametrize(
    ("ids", "following"),
    [([], "s01"), (["s01", "s09"], "s10"), (["ln02", "ln11"], "ln12"), (["s99"], "s100"), (["odd"], "s01")],
)
def test_the_next_id_has_the_form_of_the_last(ids: list[str], following: str) -> None:
    assert next_id(ids) == following


def test_a_fault_whose_file_is_broken_keeps_its_id(make: Make) -> None:
    course = make("L1/s01-a", "L1/s02-b")
    (course / "mutants/L1/s01-a.toml").write_text("pitfall = 3\n")
    (course / "mutants/L1/s02-b.toml").write_text("pitfall = \n")
    known = taken(course, "L1")
    assert known.ids == {"s01", "s02"}
    assert known.pitfalls == {3: "L1/s01"}
    assert known.next_id == "s03"


@pytest.mark.parametrize(
    ("text", "good"),
    [("s01", True), ("a_b", True), ("", False), ("s-1", False), ("a/b", False), ("lesson", False)],
)
def test_an_id_is_one_word(text: str, good: bool) -> None:
    assert is_id(text) is good


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("eps outside the root", "s01-eps-outside-the-root"),
        ("Größer × 2!", "s01-groer-2"),
        ("√", "s01"),
        ("a" * 99, f"s01-{'a' * 40}"),
        ("../../etc", "s01-etc"),
    ],
)
def test_a_title_becomes_a_files_name(title: str, name: str) -> None:
    assert new_place(Path("/c"), "L1", "s01", title).path == Path(f"/c/mutants/L1/{name}.toml")
