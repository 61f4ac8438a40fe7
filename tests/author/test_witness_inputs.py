"""Inputs are drawn from texts with holes: their author's, strictly read, and those that a lesson allows to derive."""

from __future__ import annotations

import ast
import random
import shutil
from pathlib import Path

import pytest

from grader.author.witness.author_inputs import author_templates, file_of
from grader.author.witness.catching import catching_text
from grader.author.witness.inputs import templates_of
from grader.author.witness.readable import NUMBERS
from grader.author.witness.signatures import callables_of, signature_templates
from grader.author.witness.stored import stored_templates
from grader.author.witness.templates import Array, Choice, Letters, Template, Whole, merged
from grader.errors import ExitCode, LessonError
from grader.lesson import Lesson, load_lesson
from grader.lesson.syntax import compiled_witness

ROOT = Path(__file__).resolve().parents[2]
INPUTS = "reference/inputs/D1.toml"


@pytest.fixture(scope="module")
def norm() -> Lesson:
    return load_lesson(ROOT, "L7.1")


@pytest.fixture
def dates(tmp_path: Path) -> Lesson:
    """A lesson about dates, in a course of its own that has no file of inputs."""
    shutil.copytree(ROOT / "tests/cases/diary", tmp_path / "diary")
    return load_lesson(tmp_path / "diary", "D1")


def last(choices: int) -> int:
    return choices - 1


def drawn(template: Template, times: int = 200) -> list[str]:
    source = random.Random(0)  # noqa: S311 - the same each time is the point
    return [template.filled(source.randrange) for _ in range(times)]


# Templates ----------------------------------------------------------------------------------------------------


def test_a_hole_has_one_value_wherever_it_stands() -> None:
    template = Template("$d $x $d", {"d": Whole(1, 4), "x": Array((("d",),), "n"), "n": Choice(("7",))})
    assert template.filled(last) == "4 [7, 7, 7, 7] 4"
    assert template.simplest() == "1 [7] 1"


def test_each_entry_of_an_array_is_drawn_anew() -> None:
    template = Template("$x", {"x": Array(((1, 2),), "n"), "n": Choice(("0", "1"))})
    assert set(drawn(template)) == {"[[0, 0]]", "[[0, 1]]", "[[1, 0]]", "[[1, 1]]"}


def test_what_is_chosen_may_have_holes_itself() -> None:
    template = Template("f($a)", {"a": Choice(("", "eps=$e")), "e": Choice(("1",))})
    assert set(drawn(template)) == {"f()", "f(eps=1)"}


def test_letters_are_written_as_python_writes_them() -> None:
    template = Template("$t", {"t": Letters("a'", 2)})
    assert {ast.literal_eval(each) for each in drawn(template)} == {"", "a", "'", "aa", "a'", "'a", "''"}


def test_a_doubled_dollar_sign_is_one() -> None:
    assert Template("'$$5'", {}).simplest() == "'$5'"


def test_templates_with_the_same_text_become_one_that_offers_what_each_of_them_does() -> None:
    one, other, third = (Template("$a", {"a": Choice(options)}) for options in (("1",), ("2", "1"), ("3",)))
    assert merged([one, other, Template("$b", {"b": Whole(1, 2)}), third])[0] == Template(
        "$a", {"a": Choice(("1", "2", "3"))}
    )


# The author's file --------------------------------------------------------------------------------------------


def test_a_lesson_may_do_without_a_file_of_inputs(dates: Lesson) -> None:
    assert author_templates(dates) == []


@pytest.mark.parametrize("lesson", ["L7.1", "L0.4"])
def test_every_input_that_a_lesson_of_ours_describes_is_the_body_of_a_witness(lesson: str) -> None:
    templates = author_templates(load_lesson(ROOT, lesson))
    assert templates
    for template in templates:
        for call in drawn(template, 40):
            compiled_witness(call)


def test_the_holes_of_a_file_become_what_their_kinds_say(dates: Lesson) -> None:
    write(
        dates,
        'calls = ["return $a + $b + $c + $d"]\n'
        "[holes]\na = {choose = [1, 0.50, 1e-3, -2.0, true, 'x']}\nb = {between = [-1, 3]}\n"
        "c = {array = [['b'], [2, 'b']], of = 'a'}\nd = {letters = 'ab', most = 3}\n"
        "e = {array = [[2]], of = [0, 1.5]}",
    )
    with pytest.raises(LessonError, match=r"'b', which is no hole for whole numbers"):
        author_templates(dates)
    text = (dates.root / INPUTS).read_text(encoding="utf-8").replace("[-1, 3]", "[0, 3]")
    write(dates, text)
    assert author_templates(dates)[0].holes == {
        "a": Choice(("1", "0.50", "0.001", "-2.0", "True", "x")),
        "b": Whole(0, 3),
        "c": Array((("b",), (2, "b")), "a"),
        "d": Letters("ab", 3),
        "e": Array(((2,),), "e_entry"),
        "e_entry": Choice(("0", "1.5")),
    }


def write(lesson: Lesson, text: str) -> None:
    path = lesson.root / file_of(lesson.id)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


CALL = 'calls = ["return $a"]\n'

WRONG = {
    "a key that the file may not have": ("call = 1", "call", "is not a key"),
    "no call": ("[holes]", "calls", "is missing"),
    "an empty list of calls": ("calls = []", "calls", "length"),
    "no TOML": ("calls = ", "toml", ""),
    "a hole that nobody describes": (CALL, "calls[0]", "names the hole 'a', which there is not"),
    "a dollar sign without a name": ('calls = ["return $ 1"]', "calls[0]", "`$$`"),
    "a call that is no Python": ('calls = ["return ("]', "calls[0]", "no body of a witness"),
    "a call that returns nothing": ('calls = ["pass"]', "calls[0]", "never returns a value"),
    "a key that a hole may not have": (f"{CALL}holes.a = {{pick = [1]}}", "holes.a.pick", "is not a key"),
    "a hole of no kind": (f"{CALL}holes.a = {{}}", "holes.a", "exactly one of"),
    "a hole of two kinds": (f"{CALL}holes.a = {{choose = [1], between = [1, 2]}}", "holes.a", "exactly one of"),
    "nothing to choose from": (f"{CALL}holes.a = {{choose = []}}", "holes.a.choose", "length"),
    "a choice that is a list": (f"{CALL}holes.a = {{choose = [1, [2]]}}", "holes.a.choose[1]", "neither a text"),
    "a range that ends before it begins": (f"{CALL}holes.a = {{between = [2, 1]}}", "holes.a.between", "ends before"),
    "an array without entries": (f"{CALL}holes.a = {{array = [[1]]}}", "holes.a", "`of` exactly where"),
    "an array of a number": (f"{CALL}holes.a = {{array = [[1]], of = 1}}", "holes.a.of", "is neither"),
    "an array of an unknown hole": (f"{CALL}holes.a = {{array = [[1]], of = 'b'}}", "holes.a", "hole 'b'"),
    "an array of an unknown length": (f"{CALL}holes.a = {{array = [['b']], of = [1]}}", "holes.a", "hole 'b'"),
    "an array of a negative length": (f"{CALL}holes.a = {{array = [[-1]], of = [1]}}", "holes.a.array", "-1"),
    "letters without a length": (f"{CALL}holes.a = {{letters = 'a'}}", "holes.a", "`most` exactly where"),
    "a length without letters": (f"{CALL}holes.a = {{choose = [1], most = 1}}", "holes.a", "`most` exactly where"),
    "a hole within itself": (f"{CALL}holes.a = {{choose = ['$b']}}\nholes.b = {{choose = ['$a']}}", "holes.a", "itself"),
    "a name that no template can hold": (f"{CALL}holes.a = {{choose = [1]}}\nholes.'a b' = {{choose = [1]}}", "holes.a b", "after `$`"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_mistake_in_the_file_is_named_with_file_key_and_reason(case: str, dates: Lesson) -> None:
    text, key, reason = WRONG[case]
    write(dates, text)
    with pytest.raises(LessonError) as raised:
        author_templates(dates)
    assert (raised.value.file, raised.value.key) == (INPUTS, key)
    assert reason in raised.value.reason
    assert raised.value.exit_code == ExitCode.COURSE


# Derived from witnesses ---------------------------------------------------------------------------------------


def test_every_stored_witness_is_tried_as_it_is(norm: Lesson, dates: Lesson) -> None:
    for lesson in (norm, dates):
        for fault in lesson.faults:
            call = fault.witness.call.strip("\n")
            assert stored_templates(lesson, [call])[0].filled(last) == call


def test_numbers_of_a_witness_get_other_values_and_lists_other_lengths(norm: Lesson) -> None:
    _, template = stored_templates(
        norm, ["return RMSNorm(2, eps=0.5)(Tensor(np.array([[3, 4]], dtype))).data"]
    )
    calls = drawn(template)
    for call in calls:
        width, entries = ast.literal_eval(call.partition("RMSNorm(")[2][0]), call.partition("array(")[2]
        rows = ast.literal_eval(entries.partition(", dtype")[0])
        assert {len(row) for row in rows} == {width}
    assert any("[[3]]" in call for call in calls)
    assert any("eps=0.1" in call for call in calls)
    assert any(", offset=1.0" in call for call in calls)
    assert {*NUMBERS} <= {
        number for call in calls for number in call.replace("]", "[").replace("[", ", ").split(", ")
    }


def test_a_text_of_a_witness_gets_other_numbers_in_it(dates: Lesson) -> None:
    _, template = stored_templates(dates, ["return add_months('2023-01-31', 1)"])
    found = {call.partition("(")[2].partition(",")[0] for call in drawn(template, 400)}
    assert {"'2023-01-31'", "'2024-01-31'", "'2023-02-31'", "'2023-01-30'"} <= found


@pytest.mark.parametrize(
    "call",
    [
        "return f'{1}'",
        "return '$a', 1",
        "return (1,\n    'ä', 2)",
        "return add_months('2023-01-31', -1,)",
        "return [*map(int, '12')]",
        "x = {'a': [1.5, -2]}\nreturn x['a'][-1]",
        "return True",
        "return []",
        "return b'1'",
    ],
)
def test_whatever_a_witness_is_its_template_is_a_witness_too(call: str, dates: Lesson) -> None:
    as_it_is, template = stored_templates(dates, [call])
    assert as_it_is.simplest() == call
    for each in drawn(template, 50):
        compiled_witness(each)


@pytest.mark.parametrize("call", ["return (", "pass", "return 1\n  return 2"])
def test_a_witness_that_is_none_is_left_out(call: str, dates: Lesson) -> None:
    assert stored_templates(dates, [call]) == []


def test_the_own_input_of_each_witness_is_kept_where_templates_are_alike(dates: Lesson) -> None:
    calls = {call for template in templates_of(dates) for call in drawn(template, 2000)}
    assert {'return add_months("2023-01-31", 1)', 'return add_months("1900-01-31", 1)'} <= calls


# Derived from signatures --------------------------------------------------------------------------------------


def test_functions_with_plain_annotations_are_called_with_such_values(dates: Lesson) -> None:
    calls = [template.call for template in signature_templates(dates)]
    assert calls == ["return add_months($day, $months)", "return parts($day)"]
    for template in signature_templates(dates):
        for call in drawn(template, 20):
            compiled_witness(call)


def test_a_function_that_takes_what_cannot_be_written_down_is_left_out(norm: Lesson) -> None:
    assert signature_templates(norm) == []
    assert callables_of(norm)["RMSNorm"].optional == {"eps": "1e-06", "offset": "0.0"}


# Exceptions ---------------------------------------------------------------------------------------------------


def test_a_witness_that_raises_is_rewritten_to_return_the_name_of_the_exception() -> None:
    text = catching_text("x = 1\nreturn f(x,\n         0)")
    assert text is not None
    space: dict[str, object] = {"f": lambda x, y: x / y}
    exec(compiled_witness(text), space)  # noqa: S102 - written above
    assert space["witness"]() == "ZeroDivisionError"  # type: ignore[operator] # defined by the line above


def test_a_witness_with_several_ends_is_not_rewritten() -> None:
    assert catching_text("if f():\n    return 1\nreturn 2") is None
