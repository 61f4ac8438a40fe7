"""Who handed in what: every child of a folder is found once, under the name that its layout gives it."""

from __future__ import annotations

import datetime as dt
import os
from typing import TYPE_CHECKING

import pytest

from grader.classroom.entries import Entry, natural, only_latest, place_of
from grader.classroom.layouts import find_submissions
from grader.classroom.layouts.metadata import read_metadata
from grader.errors import PathNotFoundError, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

METADATA = """\
---
submission_101:
  :submitters:
  - :name: Ada Lovelace
    :sid: '100'
    :email: ada@example.edu
  :created_at: 2026-03-01 12:00:00.123456789 Z
  :score: 10.0
  :status: processed
  :results:
    tests:
    - {name: one, output: ":submitters: []"}
  :history:
  - :id: 5
    :created_at: 2026-02-01 12:00:00 Z
    :submitters:
    - :name: Somebody Else
submission_102:
  :submitters:
  - :name: "=cmd|' /C calc'!A0\\nand a line"
    :email: grace@example.edu
  - :name: Pair Two
    :sid: '201'
  :created_at: !ruby/object:ActiveSupport::TimeWithZone
    utc: 2026-03-01 14:00:00 +02:00
    zone: !ruby/object:ActiveSupport::TimeZone
      name: Helsinki
submission_103:
  :submitters:
  - :name: Ada Lovelace
    :sid: '100'
    :email: ada@example.edu
  :created_at: 2026-03-02 08:00:00
"""


def laid_out(folder: Path, folders: Sequence[str] = (), files: Sequence[str] = ()) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in folders:
        (folder / name).mkdir(parents=True)
    for name in files:
        (folder / name).write_text("", encoding="utf-8")
    return folder


def learners(folder: Path) -> list[str]:
    return [entry.learner for entry in find_submissions(folder)]


def only(folder: Path) -> Entry:
    (entry,) = find_submissions(folder)
    return entry


# Plain folders ----------------------------------------------------------------------------------------------------


def test_every_child_is_a_submission_under_its_own_name(tmp_path: Path) -> None:
    laid_out(tmp_path, ["s10", "s2", "Bob B"], ["carol.py", "dan.zip", "eve.tar.gz", "fay.TGZ", "gus.tar"])
    found = find_submissions(tmp_path)
    assert [entry.learner for entry in found] == [
        *("Bob B", "carol.py", "dan.zip", "eve.tar.gz", "fay.TGZ", "gus.tar", "s2", "s10")
    ]
    assert {entry.layout for entry in found} == {"plain"}
    assert not any(entry.problem for entry in found)
    assert all(entry.path == tmp_path / entry.learner for entry in found)


def test_what_no_one_handed_in_is_no_submission(tmp_path: Path) -> None:
    laid_out(tmp_path, [".git", "__MACOSX", "__pycache__", "ada"], [".DS_Store", "Thumbs.db", "desktop.ini"])
    assert learners(tmp_path) == ["ada"]


def test_no_file_in_it_makes_a_childs_folder_anything_but_a_submission(tmp_path: Path) -> None:
    """A learner cannot leave the class, nor hand in for others, by what they put into their folder."""
    laid_out(tmp_path / "eve", ["submission_1", "eve_1_assignsubmission_file_"], ["grades.sqlite"])
    (tmp_path / "eve" / "submission_metadata.yml").write_text(
        METADATA.replace("submission_101", "submission_1")
    )
    assert learners(tmp_path) == ["eve"]


@pytest.mark.parametrize("name", ["essay.pdf", "notes", "tests.ipynb"])
def test_another_kind_of_file_is_an_entry_that_says_so(tmp_path: Path, name: str) -> None:
    laid_out(tmp_path, files=[name])
    assert "neither a folder nor a .py file" in only(tmp_path).problem


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ada.py")
    assert "neither a folder nor a .py file" in only(tmp_path).problem


@pytest.mark.parametrize("target", ["/etc", "../outside", "nowhere", "ada"])
def test_a_link_that_leads_out_or_nowhere_is_an_entry_that_says_so(tmp_path: Path, target: str) -> None:
    laid_out(tmp_path / "outside")
    laid_out(tmp_path / "class")
    (tmp_path / "class" / "ada").symlink_to(target)
    assert "it is a link that leads out of the folder, or nowhere" in only(tmp_path / "class").problem


def test_a_link_to_another_child_is_followed(tmp_path: Path) -> None:
    laid_out(tmp_path, ["ada"])
    (tmp_path / "twin").symlink_to("ada")
    assert [(entry.learner, entry.problem) for entry in find_submissions(tmp_path)] == [
        ("ada", ""),
        ("twin", ""),
    ]


HOSTILE = [
    b"=1+1",
    b"two\nlines",
    b"\x1b[31mred",
    b"..dots",
    b"-rf",
    b"x" * 255,
    b"\xff\xfe",
    "\u202etxt.exe".encode(),
    b"Ada",
    b"ada",
    b"con",
    b"CON.txt",
    b" ",
]


def test_hostile_names_are_kept_as_they_are_and_get_safe_places(tmp_path: Path) -> None:
    for name in HOSTILE:
        (tmp_path / os.fsdecode(name)).mkdir()
    found = find_submissions(tmp_path)
    assert sorted(os.fsencode(entry.learner) for entry in found) == sorted(HOSTILE)
    places = [entry.place for entry in found]
    assert len({place.casefold() for place in places}) == len(HOSTILE)
    for place in places:
        assert place.isascii()
        assert place.isprintable()
        assert len(place) <= 100
        assert not set(place) & set('/\\:*?"<>| ')
        assert place[0] not in ".-="
        assert place.partition(".")[0] not in {"con", "nul"}


@pytest.mark.parametrize("missing", ["nothing", "file/below"])
def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path, missing: str) -> None:
    laid_out(tmp_path, files=["file"])
    with pytest.raises((PathNotFoundError, UnreadableError), match=missing):
        find_submissions(tmp_path / missing)


# Places -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ada", "s-12_b.c", "carol.py", "7"])
def test_a_safe_name_is_its_own_place(name: str) -> None:
    assert place_of(name, name) == name


def test_a_place_is_readable_and_the_same_in_every_run() -> None:
    assert place_of("Zoë Müller", "Zoë Müller") == "zoe-muller-adf0ef4ce54e194c"


def test_nobody_can_take_the_place_of_another_one() -> None:
    place = place_of("Ada", "Ada")
    assert place_of(place, place) != place


def test_learner_and_child_are_told_apart() -> None:
    assert place_of("ab", "c") != place_of("a", "bc")


def test_numbers_are_sorted_as_numbers() -> None:
    names = ["s10", "s9", "S1", "s", "t0", f"s{'9' * 5000}", "s007"]
    assert sorted(names, key=natural) == ["s", "S1", "s007", "s9", "s10", f"s{'9' * 5000}", "t0"]


# Gradescope -------------------------------------------------------------------------------------------------------


@pytest.fixture
def export(tmp_path: Path) -> Path:
    folder = laid_out(
        tmp_path / "assignment_9_export",
        ["submission_101", "submission_102", "submission_103", "submission_999"],
    )
    (folder / "submission_metadata.yml").write_text(METADATA, encoding="utf-8")
    return folder


def test_gradescopes_export_names_learners_and_times(export: Path) -> None:
    found = {entry.path.name: entry for entry in find_submissions(export)}
    assert {name: entry.learner for name, entry in found.items()} == {
        "submission_101": "Ada Lovelace <ada@example.edu>",
        "submission_102": "=cmd|' /C calc'!A0\nand a line <grace@example.edu>; Pair Two <201>",
        "submission_103": "Ada Lovelace <ada@example.edu>",
        "submission_999": "submission_999",
    }
    assert {name: entry.layout for name, entry in found.items()} == {
        "submission_101": "gradescope",
        "submission_102": "gradescope",
        "submission_103": "gradescope",
        "submission_999": "plain",
    }
    assert [found[f"submission_{number}"].submitted for number in (101, 102, 103, 999)] == [
        dt.datetime(2026, 3, 1, 12, 0, 0, 123456, dt.UTC),
        dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC),
        dt.datetime(2026, 3, 2, 8, tzinfo=dt.UTC),
        None,
    ]


def test_the_folder_that_the_export_unpacks_to_is_found(export: Path) -> None:
    laid_out(export.parent, ["__MACOSX"])
    assert find_submissions(export.parent) == find_submissions(export)


def test_of_several_submissions_the_latest_is_the_one_handed_in_last(export: Path) -> None:
    latest = {entry.learner: entry.path.name for entry in only_latest(find_submissions(export))}
    assert latest["Ada Lovelace <ada@example.edu>"] == "submission_103"
    assert len(latest) == 3


def test_several_submissions_of_a_learner_have_places_of_their_own(export: Path) -> None:
    places = [entry.place for entry in find_submissions(export)]
    assert len(set(places)) == 4


@pytest.mark.parametrize("metadata", ["a: [", "\x00", "- :x:\n: : :", "a: *nothing"])
def test_metadata_that_is_no_yaml_is_an_error_that_names_the_file(export: Path, metadata: str) -> None:
    (export / "submission_metadata.yml").write_text(metadata, encoding="utf-8")
    try:
        found = find_submissions(export)
    except UnreadableError as error:
        assert "submission_metadata.yml cannot be used: it is no YAML" in str(error)  # noqa: PT017 - one of two ends
    else:
        assert {entry.layout for entry in found} == {"plain"}


@pytest.mark.parametrize(
    "metadata",
    [
        "",
        "text",
        "[1, 2]",
        "submission_101: text",
        "submission_101: [1]",
        "submission_101: {':submitters': text}",
        "submission_101: {':submitters': {':name': x}}",
        "submission_101: {':submitters': [x, {':name': [x]}], ':created_at': [1]}",
        "submission_101: {':created_at': yesterday}",
        "submission_101: {':created_at': 9999-99-99}",
        "? {a: b}\n: c",
        "!!python/object/apply:os.system ['false']: x",
    ],
)
def test_metadata_of_another_shape_leaves_the_folders_own_names(export: Path, metadata: str) -> None:
    (export / "submission_metadata.yml").write_text(metadata, encoding="utf-8")
    found = {entry.path.name: entry for entry in find_submissions(export)}
    assert found["submission_101"].learner == "submission_101"
    assert found["submission_101"].submitted is None


def test_metadata_that_names_one_thing_many_times_costs_no_more(tmp_path: Path) -> None:
    """An alias multiplies nothing, and depth is not multiplied by depth."""
    levels = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40)]
    (tmp_path / "laughs.yml").write_text("\n".join(["a0: &a0 ha", *levels]))
    assert all(told.submitters == [] for told in read_metadata(tmp_path / "laughs.yml").values())
    (tmp_path / "deep.yml").write_text("deep: " + "[" * 900 + "]" * 900)
    assert read_metadata(tmp_path / "deep.yml") == {}


def test_a_name_may_be_given_by_an_alias(tmp_path: Path) -> None:
    (tmp_path / "alias.yml").write_text("x: {':submitters': [{':name': &a Ada, ':sid': *a}]}")
    assert read_metadata(tmp_path / "alias.yml")["x"].submitters == [("Ada", "Ada", "")]


def test_no_name_reads_like_somebody_else_or_like_a_group(tmp_path: Path) -> None:
    people = ["{':name': 'Ada <ada@x.org>; Eve', ':email': e@x.org}", "{':name': 'Ada <ada@x.org>'}"]
    folders = [f"submission_{number}" for number in range(len(people))]
    laid_out(tmp_path, folders)
    told = "".join(f"{name}: {{':submitters': [{who}]}}\n" for name, who in zip(folders, people, strict=True))
    (tmp_path / "submission_metadata.yml").write_text(told)
    assert learners(tmp_path) == ["Ada  ada@x.org", "Ada  ada@x.org   Eve <e@x.org>"]


def test_a_group_is_one_learner_whoever_of_it_handed_in(tmp_path: Path) -> None:
    laid_out(tmp_path, ["submission_1", "submission_2"])
    ada, eve = "{':name': Ada, ':email': a@x.org}", "{':name': Eve, ':email': e@x.org}"
    told = (
        f"submission_1: {{':submitters': [{ada}, {eve}]}}\nsubmission_2: {{':submitters': [{eve}, {ada}]}}\n"
    )
    (tmp_path / "submission_metadata.yml").write_text(told)
    assert learners(tmp_path) == ["Ada <a@x.org>; Eve <e@x.org>"] * 2


# Moodle -----------------------------------------------------------------------------------------------------------


def test_moodles_folders_name_learners_and_numbers(tmp_path: Path) -> None:
    folders = ["Ada Lovelace_12_assignsubmission_file_", "Ada Lovelace_13_assignsubmission_file_"]
    found = find_submissions(laid_out(tmp_path, folders))
    assert [(entry.learner, entry.layout) for entry in found] == [
        ("Ada Lovelace_12", "moodle"),
        ("Ada Lovelace_13", "moodle"),
    ]


def test_moodles_files_of_one_learner_are_one_submission(tmp_path: Path) -> None:
    files = ["Ada_12_assignsubmission_file_test_a.py", "Ada_12_assignsubmission_file_helper.py"]
    entry = only(laid_out(tmp_path, files=files))
    assert entry.learner == "Ada_12"
    assert sorted(name for name, _ in entry.parts) == ["helper.py", "test_a.py"]


def test_nobody_hands_in_under_another_name_by_how_they_call_a_file_in_moodle(tmp_path: Path) -> None:
    name = "Ada_12_assignsubmission_file_test_a.py"
    entry = only(laid_out(tmp_path, files=[f"Mallory_5_assignsubmission_file_{name}"]))
    assert entry.learner == "Mallory_5"
    assert [part for part, _ in entry.parts] == [name]


def test_what_was_typed_into_moodles_page_is_no_submission_beside_a_file(tmp_path: Path) -> None:
    files = ["Ada_12_assignsubmission_file_test_a.py", "Ada_12_assignsubmission_onlinetext_onlinetext.html"]
    entry = only(laid_out(tmp_path, files=files))
    assert (entry.problem, [name for name, _ in entry.parts]) == ("", ["test_a.py"])


def test_a_learner_who_only_typed_into_moodles_page_is_an_entry_that_says_so(tmp_path: Path) -> None:
    entry = only(laid_out(tmp_path, ["Ada_12_assignsubmission_onlinetext_"]))
    assert entry.problem == "it is a text that was typed into the page, and no file"


def test_a_moodle_learner_keeps_their_place_when_files_are_renamed(tmp_path: Path) -> None:
    one = only(laid_out(tmp_path / "1", files=["Ada_12_assignsubmission_file_test_a.py"]))
    other = only(laid_out(tmp_path / "2", ["Ada_12_assignsubmission_file_"]))
    assert one.place == other.place


# GitHub Classroom -------------------------------------------------------------------------------------------------


def test_github_classrooms_clones_name_their_users(tmp_path: Path) -> None:
    folders = ["norm-ada/.git", "norm-grace-h/.git", "norm-notes", "other/.git"]
    found = find_submissions(laid_out(tmp_path / "norm-submissions", folders))
    assert [(entry.learner, entry.layout) for entry in found] == [
        ("ada", "github-classroom"),
        ("grace-h", "github-classroom"),
        ("norm-notes", "plain"),
        ("other", "plain"),
    ]


def test_clones_in_a_folder_of_another_name_keep_their_own(tmp_path: Path) -> None:
    assert learners(laid_out(tmp_path / "class", ["norm-ada/.git"])) == ["norm-ada"]
