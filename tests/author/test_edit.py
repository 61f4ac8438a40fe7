"""`ol mutants edit`: an existing fault edited again, or carried over to a changed reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.author.conftest import Course

    Editor = Callable[..., str]

FILE = "tinyllm/modern/norm.py"
RIGHT = "inverse_rms = (mean_square + self.eps) ** -0.5"
WRONG = "inverse_rms = 1 / (F.sqrt(mean_square) + self.eps)"
COMMENT = "# why this is a fault\n"


@pytest.fixture
def commented(course: Course) -> Course:
    """The course with comments in the first fault's file."""
    course.change(
        course.file("s01"), ("[[edit]]", f"{COMMENT}[[edit]]"), ("\n[witness]", f"{COMMENT}\n[witness]")
    )
    return course


def edits(course: Course, fault: str = "s01") -> list[tuple[str, str]]:
    return [(edit["find"], edit["replace"]) for edit in course.read(fault)["edit"]]


def text_of(course: Course, fault: str = "s01") -> str:
    return course.file(fault).read_text(encoding="utf-8")


# edited -----------------------------------------------------------------------------------------------------------


def test_the_editor_opens_on_the_faulty_file_and_its_edits_are_derived_anew(
    commented: Course, editor: Editor
) -> None:
    before = text_of(commented)
    done = commented.ol("mutants", "edit", "L7.1/s01", EDITOR=editor(WRONG, f"{WRONG[:-1]} ** 2)"))
    assert done.returncode == 0, done.stderr
    assert text_of(commented) == before.replace(WRONG, f"{WRONG[:-1]} ** 2)")
    assert "ol mutants verify L7.1/s01" in done.stdout
    assert commented.kept() == []


def test_a_second_change_becomes_a_second_edit_and_the_first_stays(commented: Course, editor: Editor) -> None:
    done = commented.ol(
        "mutants", "edit", "s01", EDITOR=editor("return x * inverse_rms", "return x / inverse_rms")
    )
    assert done.returncode == 0, done.stderr
    assert edits(commented) == [
        (RIGHT, WRONG),
        ("return x * inverse_rms * gain", "return x / inverse_rms * gain"),
    ]
    assert text_of(commented).count(COMMENT) == 2
    assert commented.read("s01")["witness"]["call"].strip()


def test_a_fault_that_is_not_changed_is_not_written(course: Course, editor: Editor) -> None:
    path = course.file("s01")
    before = path.stat().st_mtime_ns
    done = course.ol("mutants", "edit", "s01", EDITOR=editor())
    assert done.returncode == 0
    assert "L7.1/s01: nothing is changed" in done.stdout
    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("pairs", "problem"),
    [
        ((WRONG, RIGHT), "is the reference, unchanged"),
        ((WRONG, f"{RIGHT}  # here"), "only in comments and blanks"),
        ((WRONG, f"{WRONG})"), "has a syntax error: line"),
    ],
)
def test_an_edit_that_makes_no_fault_changes_nothing(
    course: Course, editor: Editor, pairs: tuple[str, str], problem: str
) -> None:
    before = text_of(course)
    done = course.ol("mutants", "edit", "s01", EDITOR=editor(*pairs))
    assert done.returncode == 4
    assert problem in done.stderr
    [kept] = course.kept()
    assert f"--edited {kept}" in done.stderr
    assert text_of(course) == before


def test_an_edited_file_takes_the_editors_place(course: Course, tmp_path: Path) -> None:
    path = tmp_path / "norm.py"
    path.write_text(course.faulty("s01").replace(WRONG, f"{WRONG} * 2"), encoding="utf-8")
    done = course.json("mutants", "edit", "s01", "--edited", path, EDITOR="false")
    assert done["changed"] is True
    assert [edit["replace"] for edit in done["edits"]] == [f"{WRONG} * 2"]
    assert edits(course) == [(RIGHT, f"{WRONG} * 2")]


def test_another_file_of_the_reference_can_be_edited_too(course: Course, editor: Editor) -> None:
    other = "tinyllm/autograd/functional.py"
    source = (course.root / "reference" / other).read_text(encoding="utf-8")
    line = next(line for line in source.splitlines() if line.startswith("def ") and source.count(line) == 1)
    change = editor(line, f"{line}\n    assert True")
    done = course.ol("mutants", "edit", "s01", "--file", other, EDITOR=change)
    assert done.returncode == 0, done.stderr
    assert [edit["file"] for edit in course.read("s01")["edit"]] == [FILE, other]
    assert "nothing is changed" in course.ol("mutants", "edit", "s01", EDITOR=editor()).stdout
    refused = course.ol("mutants", "edit", "s01", "--edited", course.module)
    assert refused.returncode == 2
    assert f"say with --file which of {FILE}, {other} was edited" in refused.stderr


def test_the_course_tests_that_kill_it_are_written_down_on_request(commented: Course) -> None:
    right = text_of(commented)
    commented.change(commented.file("s01"), ('"test_golden_hf_llama", ', ""))
    done = commented.ol("mutants", "edit", "s01", "--yes", "--run")
    assert done.returncode == 0, done.stderr
    assert set(commented.read("s01")["caught_by"]) == {
        "test_eps_inside_the_root", "test_golden_hf_llama", "test_golden_hf_gemma_offset",
    }  # fmt: skip
    assert text_of(commented).count(COMMENT) == right.count(COMMENT)
    assert edits(commented) == [(RIGHT, WRONG)]


def test_a_fault_that_no_course_test_catches_any_more_is_said_to_be_so(
    course: Course, editor: Editor
) -> None:
    before = course.read("s01")["caught_by"]
    change = editor(WRONG, f"{RIGHT}\n        assert True")
    done = course.ol("mutants", "edit", "s01", "--run", EDITOR=change)
    assert done.returncode == 0, done.stderr
    assert "No course test catches it" in done.stdout
    assert course.read("s01")["caught_by"] == before


# carried over -----------------------------------------------------------------------------------------------------


@pytest.fixture
def renamed(commented: Course) -> Course:
    """The course after its reference has other names in the line that the first fault changes."""
    text = commented.module.read_text(encoding="utf-8")
    commented.module.write_text(
        text.replace("mean_square", "power").replace("inverse_rms", "scale"), encoding="utf-8"
    )
    return commented


CARRIED = ("scale = (power + self.eps) ** -0.5", "scale = 1 / (F.sqrt(power) + self.eps)")


def test_a_stale_edit_is_shown_with_its_new_place_and_written_when_the_author_agrees(renamed: Course) -> None:
    before = text_of(renamed)
    assert renamed.ol("mutants", "list", "L7.1").returncode == 4
    done = renamed.ol("mutants", "edit", "s01", answers="y\n", EDITOR="false")
    assert done.returncode == 0, done.stderr
    for shown in (f"- {RIGHT}", f"+ {WRONG}", "line 44", f"- {CARRIED[0]}", f"+ {CARRIED[1]}"):
        assert shown in done.stdout
    assert text_of(renamed) == before.replace(RIGHT, CARRIED[0]).replace(WRONG, CARRIED[1])


def test_all_stale_edits_are_carried_over_without_a_question(renamed: Course) -> None:
    stale = [each["id"] for each in _listed(renamed) if each["problem"]]
    assert "s01" in stale
    for fault in stale:
        done = renamed.ol("mutants", "edit", fault, "--yes", EDITOR="false")
        assert done.returncode == 0, done.stderr
    assert renamed.ol("mutants", "list", "L7.1").returncode == 0


def _listed(course: Course) -> list[dict[str, str]]:
    import json  # noqa: PLC0415 - the command does not succeed, as it should not

    listed: list[dict[str, str]] = json.loads(course.ol("mutants", "list", "L7.1", "--json", "-").stdout)
    return listed


def test_what_is_carried_over_is_the_same_fault(course: Course) -> None:
    """A change of the reference beside the edit is in the faulty text too."""
    course.change(
        course.module, ("gain = self.offset + self.weight", "gain = float(self.offset) + self.weight")
    )
    done = course.ol("mutants", "edit", "s09", "--yes")
    assert done.returncode == 0, done.stderr
    assert "gain = float(self.offset) + self.weight.data" in course.faulty("s09")


def test_when_the_author_disagrees_the_editor_opens_on_what_still_fits(
    renamed: Course, editor: Editor
) -> None:
    change = editor("** -0.5", "** -0.25")
    done = renamed.ol("mutants", "edit", "s01", answers="n\n", EDITOR=change)
    assert done.returncode == 0, done.stderr
    assert edits(renamed) == [("scale = (power + self.eps) ** -0.5", "scale = (power + self.eps) ** -0.25")]


def test_when_the_author_disagrees_and_makes_no_edit_the_fault_stays_whole(course: Course) -> None:
    path = next((course.root / "mutants/L0.4").glob("ln09-*.toml"))
    before = path.read_bytes()
    course.change(course.layers, ("inverse_std = (", "scale = ("), ("inverse_std * self", "scale * self"))
    done = course.ol("mutants", "edit", "ln09", answers="n\nn\n", EDITOR="true")
    assert done.returncode == 4
    assert "the edit that no longer fits was not made again" in done.stderr
    assert path.read_bytes() == before


@pytest.mark.parametrize("answers", ["2\n", "9\nnone\n2\n"])
def test_of_several_places_the_author_chooses_one(course: Course, answers: str) -> None:
    text = course.module.read_text(encoding="utf-8")
    course.module.write_text(
        f"{text}\n\ndef other(x, sublayer, norm):\n    return x + sublayer(norm(x))\n", encoding="utf-8"
    )
    done = course.ol("mutants", "edit", "s04", answers=answers)
    assert done.returncode == 0, done.stderr
    assert "fits several places" in done.stdout
    assert course.faulty("s04").endswith("def other(x, sublayer, norm):\n    return norm(x + sublayer(x))\n")


def test_several_places_are_not_chosen_from_without_a_question(course: Course) -> None:
    text = course.module.read_text(encoding="utf-8")
    course.module.write_text(
        f"{text}\n\ndef other(x, sublayer, norm):\n    return x + sublayer(norm(x))\n", encoding="utf-8"
    )
    before = text_of(course, "s04")
    done = course.ol("mutants", "edit", "s04", "--yes")
    assert done.returncode == 4
    assert "stands in several places of tinyllm/modern/norm.py, on lines 55, 59" in done.stderr
    assert text_of(course, "s04") == before


def test_places_beyond_nine_are_counted_and_a_line_is_named_once(course: Course, editor: Editor) -> None:
    text = course.module.read_text(encoding="utf-8")
    course.module.write_text(f"{text}\n\nGAINS = [{'(gain), ' * 20}]\n", encoding="utf-8")
    course.change(course.file("s04"), ("'return x + sublayer(norm(x))'", "'(gain)'"))
    line = text.count("\n") + 3
    done = course.ol("mutants", "edit", "s04", "--yes")
    assert done.returncode == 4
    assert f"stands in several places of {FILE}, on line {line} and in 11 more places" in done.stderr
    asked = course.ol("mutants", "edit", "s04", answers="\n", EDITOR=editor())
    assert "It stands in 11 more places: make the edit there by hand." in asked.stdout


def test_a_statement_that_is_written_in_another_way_now_is_not_mistaken_for_its_neighbour(
    course: Course,
) -> None:
    path = next((course.root / "mutants/L0.4").glob("ln03-*.toml"))
    before = path.read_bytes()
    course.change(
        course.layers,
        ("variance = F.mean(centered * centered, axis=-1", "variance = centered.square().mean(-1"),
    )
    done = course.ol("mutants", "edit", "ln03", "--yes")
    assert done.returncode == 4
    assert "the closest, may be another statement" in done.stderr
    assert path.read_bytes() == before


def test_a_fault_that_other_course_tests_kill_after_it_was_carried_over_is_not_written(
    renamed: Course,
) -> None:
    renamed.change(renamed.file("s01"), ('"test_golden_hf_llama", ', ""))
    before = text_of(renamed)
    done = renamed.ol("mutants", "edit", "s01", "--yes")
    assert done.returncode == 4
    assert "it is not killed by what caught_by names: test_golden_hf_llama" in done.stderr
    assert text_of(renamed) == before
    assert renamed.ol("mutants", "edit", "s01", "--yes", "--run").returncode == 0
    assert "test_golden_hf_llama" in renamed.read("s01")["caught_by"]


@pytest.mark.parametrize(
    ("instead", "problem"),
    [
        ("inverse_rms = (mean_square + self.eps) ** (-1 / 2)", "the reference changed the very words"),
        ("pass", "nor anything like it"),
        (WRONG, "the reference has become what this edit makes of it"),
    ],
)
def test_what_cannot_be_carried_over_is_refused(course: Course, instead: str, problem: str) -> None:
    course.change(course.module, (RIGHT, instead))
    before = text_of(course)
    done = course.ol("mutants", "edit", "s01", "--yes")
    assert done.returncode == 4
    assert problem in done.stderr
    assert text_of(course) == before


def test_a_fault_without_an_edit_has_none_to_carry_over(course: Course) -> None:
    text = text_of(course)
    course.file("s01").write_text(text.partition("[[edit]]")[0], encoding="utf-8")
    done = course.ol("mutants", "edit", "s01", "--yes")
    assert done.returncode == 4
    assert f"edit: is missing: there is none of {FILE}" in done.stderr
    assert "editor" not in done.stderr


def test_of_an_edited_file_that_is_the_reference_no_editor_is_to_blame(course: Course) -> None:
    done = course.ol("mutants", "edit", "s01", "--edited", course.module)
    assert done.returncode == 4
    assert "is the reference, unchanged" in done.stderr
    assert "editor" not in done.stderr


def test_a_file_that_is_gone_is_named_with_its_key(course: Course) -> None:
    course.change(course.file("s01"), (f'"{FILE}"', '"tinyllm/modern/nowhere.py"'))
    done = course.ol("mutants", "edit", "s01", "--yes")
    assert done.returncode == 4
    assert "edit[0].file: tinyllm/modern/nowhere.py is no module" in done.stderr
    assert "Authors: mend it, then run `ol lesson verify`" in done.stderr


def test_a_file_that_is_no_toml_is_named_with_the_line(course: Course) -> None:
    course.file("s01").write_text("title = \n", encoding="utf-8")
    done = course.ol("mutants", "edit", "s01", "--yes")
    assert done.returncode == 4
    assert "s01-eps-outside-root.toml: toml:" in done.stderr
