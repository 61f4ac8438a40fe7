"""The TOML of a fault: what is written is read back, and what an author wrote beside it stays."""

import tomllib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.author.draft import Draft
from grader.author.fault_file import new_text, with_caught_by, with_edits
from grader.author.toml_values import code
from grader.lesson.model import Edit, FaultFile, Witness
from grader.lesson.toml import decode

COURSE = Path(__file__).resolve().parents[2]
FAULTS = sorted(COURSE.glob("mutants/*/*-*.toml"))
EDIT = Edit(file="pkg/module.py", find="x = 1", replace="x = 2")
COMMENTED = """\
# about the fault
title     = "a title"   # why this title
required  = false
symptom   = "it hurts"
hint      = "look there"
caught_by = ["test_a"]  # and nothing else

# about the first edit
[[edit]]  # first
# in the first edit
file    = "pkg/module.py"
find    = '''x = 1'''  # what it finds
replace = '''x = 2'''
# after the first edit

[[edit]]
# in the second edit
file = "pkg/other.py"
find = "y"
replace = "z"

# about the witness
[witness]
call = "return x"
"""
OTHER = Edit(file="pkg/other.py", find="y", replace="z")


def edits_in(text: str) -> list[Edit]:
    return [Edit(**edit) for edit in tomllib.loads(text)["edit"]]


def comments_in(text: str) -> list[str]:
    return [line.partition("#")[2].strip() for line in text.splitlines() if "#" in line]


texts = st.text() | st.sampled_from(
    ["", "'''", "''", "end'", '"""', "\\", "\n\n  x\n", "a\r\nb", "\x0c", "\t x \t", "é\u2028"]
)


@settings(deadline=None)
@given(texts, texts)
def test_code_of_any_kind_is_read_back_as_it_was(find: str, replace: str) -> None:
    text = f"find = {code(find).as_string()}\nreplace = {code(replace).as_string()}\n"
    assert tomllib.loads(text) == {"find": find, "replace": replace}


def test_code_stands_between_quotes_that_change_nothing_in_it() -> None:
    assert code('x = "\\n"\n\ty').as_string() == "'''x = \"\\n\"\n\ty'''"


def test_code_with_three_quotes_is_escaped_and_still_several_lines() -> None:
    assert code("a = '''\nb'''\n").as_string().startswith("\"\"\"a = '''\nb")


# new --------------------------------------------------------------------------------------------------------------


def test_a_whole_fault_is_read_back_as_what_was_written() -> None:
    draft = Draft(
        title='a "title" \\ here',
        symptom="it hurts",
        hint="look there",
        caught_by=("test_a", "test_b"),
        edits=(EDIT, OTHER),
        witness=Witness(call="\nreturn x\n"),
        pitfall=3,
        required=True,
        timeout_is_kill=True,
    )
    text = new_text(draft, "L/s01")
    assert msgspec.structs.asdict(decode(text, FaultFile, "fault.toml")) == msgspec.structs.asdict(draft)
    assert comments_in(text) == []


def test_what_is_not_known_yet_is_a_comment_that_says_what_belongs_there() -> None:
    text = new_text(Draft(title="a title", edits=(EDIT,)), "L/s01")
    assert decode(text, Draft, "fault.toml").missing == ("symptom", "hint", "caught_by", "witness")
    commented = [line for line in text.splitlines() if line.startswith("#")]
    for key in ("symptom", "hint", "caught_by", "[witness]"):
        assert [line for line in commented if line.startswith(f"# {key}")]
    assert "ol mutants witness L/s01" in text


def test_comments_turned_into_keys_make_a_whole_fault() -> None:
    text = new_text(Draft(title="a title", edits=(EDIT,)), "L/s01")
    assert decode(text.replace("\n# ", "\n"), Draft, "fault.toml").missing == ()


def test_a_sentence_stays_on_one_line() -> None:
    draft = Draft(title="a\n title", edits=(EDIT,))
    assert tomllib.loads(new_text(draft, "L/s01"))["title"] == "a title"


# changed ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FAULTS, ids=lambda path: path.stem)
def test_a_fault_that_is_not_changed_is_the_same_to_the_letter(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert with_edits(text, edits_in(text)) == text
    assert with_caught_by(text, tomllib.loads(text)["caught_by"]) == text


def test_a_changed_edit_leaves_all_comments_and_the_other_edit_as_they_are() -> None:
    changed = Edit(file=EDIT.file, find="x = 1", replace="x = 3\nx = 4")
    text = with_edits(COMMENTED, [changed, OTHER])
    assert text == COMMENTED.replace("'''x = 2'''", "'''x = 3\nx = 4'''")


def test_the_order_of_edits_that_stay_is_the_authors() -> None:
    assert with_edits(COMMENTED, [OTHER, EDIT]) == COMMENTED


def test_another_edit_comes_after_those_there_are() -> None:
    more = Edit(file="pkg/module.py", find="a", replace="")
    text = with_edits(COMMENTED, [EDIT, more, OTHER])
    assert edits_in(text) == [EDIT, OTHER, more]
    assert comments_in(text) == comments_in(COMMENTED)
    assert tomllib.loads(text)["witness"] == {"call": "return x"}


def test_another_edit_stands_above_the_comment_about_what_follows() -> None:
    more = Edit(file="pkg/module.py", find="a", replace="")
    before, mark, after = COMMENTED.partition("\n# about the witness\n")
    text = with_edits(COMMENTED, [EDIT, OTHER, more])
    assert text.startswith(f"{before}\n[[edit]]\n")
    assert text.endswith(f"\n{mark}{after}")


@pytest.mark.parametrize("gone", [EDIT, OTHER])
def test_comments_of_an_edit_that_goes_stay_above_the_comment_about_what_follows(gone: Edit) -> None:
    text = with_edits(COMMENTED, [edit for edit in (EDIT, OTHER) if edit != gone])
    assert text.endswith('\n\n# about the witness\n[witness]\ncall = "return x"\n')
    assert text.count("# about the witness") == 1


def test_a_comment_above_an_edit_stays_above_it_when_the_one_before_changes_or_goes() -> None:
    text = COMMENTED.replace("\n[[edit]]\n# in the second", "\n# about the second\n[[edit]]\n# in the second")
    third = Edit(file="pkg/third.py", find="3", replace="4")
    longer = with_edits(text, [EDIT, OTHER, third])
    assert "# about the second\n[[edit]]\n# in the second" in longer
    shorter = with_edits(longer, [EDIT, third])
    assert edits_in(shorter) == [EDIT, third]
    assert comments_in(shorter) == comments_in(longer)


@pytest.mark.parametrize("left", [[EDIT], [OTHER]])
def test_an_edit_that_goes_leaves_its_comments_to_the_other(left: list[Edit]) -> None:
    text = with_edits(COMMENTED, left)
    assert edits_in(text) == left
    assert set(comments_in(text)) >= set(comments_in(COMMENTED)) - {
        "first"
    }  # which stands beside its heading


def test_edits_in_one_line_become_tables_when_they_change() -> None:
    text = "title = 'a'\nedit = [{file = 'f', find = 'x', replace = 'y'}]\n\n[witness]\ncall = 'return 1'\n"
    assert edits_in(with_edits(text, [EDIT])) == [EDIT]
    assert tomllib.loads(with_edits(text, [EDIT]))["witness"] == {"call": "return 1"}


def test_a_file_without_edits_gets_its_first() -> None:
    assert edits_in(with_edits("title = 'a'\n", [EDIT])) == [EDIT]


def test_other_course_tests_leave_the_comment_beside_them() -> None:
    text = with_caught_by(COMMENTED, ["test_b", "test_c"])
    assert text == COMMENTED.replace('["test_a"]', '["test_b", "test_c"]')


def test_course_tests_take_the_place_of_the_comment_that_asked_for_them() -> None:
    text = with_caught_by(new_text(Draft(title="a", edits=(EDIT,)), "L/s01"), ["test_a"])
    assert tomllib.loads(text)["caught_by"] == ["test_a"]
    assert "# caught_by" not in text


def test_course_tests_go_before_the_first_table_where_nothing_asked_for_them() -> None:
    text = with_caught_by("title = 'a'\n\n[witness]\ncall = 'return 1'\n", ["test_a"])
    assert tomllib.loads(text) == {"title": "a", "caught_by": ["test_a"], "witness": {"call": "return 1"}}


LISTED = """\
caught_by = [
    # these are quick
    "test_a",  # by hand
    "test_b",
    "test_c"  # from torch
]
"""


def test_course_tests_that_stay_keep_their_comments_and_their_order() -> None:
    assert with_caught_by(LISTED, ["test_c", "test_b", "test_a"]) == LISTED
    fewer = with_caught_by(LISTED, ["test_a", "test_c"])
    assert fewer == LISTED.replace('    "test_b",\n', "")
    more = with_caught_by(LISTED, ["test_d", "test_a", "test_b", "test_c"])
    assert more == LISTED.replace('"test_c"', '"test_c",').replace("\n]", '\n    "test_d"\n]')


def test_a_course_test_that_is_named_twice_is_named_once() -> None:
    assert with_caught_by('caught_by = ["test_a", "test_b", "test_a"]\n', ["test_a", "test_b"]) == (
        'caught_by = ["test_a", "test_b"]\n'
    )


def test_a_list_whose_commas_begin_its_lines_is_read_back_as_it_should_be() -> None:
    text = with_caught_by('caught_by = [\n  "test_a" # 1\n  , "test_b" # 2\n]\n', ["test_b", "test_c"])
    assert tomllib.loads(text)["caught_by"] == ["test_b", "test_c"]


def test_an_authors_own_comment_about_the_course_tests_is_not_taken_for_the_one_that_asks() -> None:
    text = "title = 'a'\n# caught_by is still open: ask Ada\n"
    after = with_caught_by(text, ["test_a"])
    assert comments_in(after) == comments_in(text)
    assert tomllib.loads(after)["caught_by"] == ["test_a"]


def test_many_course_tests_have_a_line_each() -> None:
    names = [f"test_with_a_rather_long_name_{number}" for number in range(5)]
    text = with_caught_by(COMMENTED, names)
    assert all(f'\n    "{name}",\n' in text for name in names)
