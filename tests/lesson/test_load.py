"""A sound lesson, as the grader sees it."""

from __future__ import annotations

import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import ExitCode, UnknownLessonError
from grader.lesson import fault_source, lesson_ids, load_lesson, needed_kills

if TYPE_CHECKING:
    from tests.lesson.conftest import Course

CHECKOUT = Path(__file__).parent.parent.parent
REAL = CHECKOUT / "mutants" / "L7.1" / "lesson.toml"
SHOUT = "words/loud/shout.py"


def test_a_lesson_carries_what_its_author_wrote(course: Course) -> None:
    lesson = course.load()
    assert (lesson.id, lesson.title, lesson.rung) == ("W1", "Shouting", "R1")
    assert (lesson.module, lesson.module_file, lesson.package) == ("words.loud.shout", SHOUT, "words")
    assert (lesson.source, lesson.tests) == ("python/words/loud/shout.py", "python/tests/w1-shout")
    assert lesson.imports == ("words.loud.shout", "words.quiet")
    assert lesson.witness_names == {"string": "string", "whisper": "words.quiet:whisper"}
    assert lesson.course_tests == course.root / "reference" / "tests" / "W1"


def test_a_threshold_keeps_its_authors_digits(course: Course) -> None:
    assert str(course.load().threshold) == "0.80"


def test_a_threshold_may_be_a_whole_one(course: Course) -> None:
    course.change("mutants/W1/lesson.toml", "0.80", "1")
    assert course.load().threshold == Decimal(1)


def test_a_lesson_may_do_without_names_for_its_witnesses(course: Course) -> None:
    course.change("mutants/W1/lesson.toml", "witness_names", "#")
    assert course.load().witness_names == {}


def test_faults_come_by_id_with_their_defaults(course: Course) -> None:
    first, second = course.load().faults
    assert (first.id, first.pitfall, first.required, first.timeout_is_kill) == ("s01", 1, True, False)
    assert (second.id, second.pitfall, second.required, second.timeout_is_kill) == ("s02", None, False, False)
    assert second.path == course.root / "mutants" / "W1" / "s02-title-case.toml"
    assert second.caught_by == ("test_every_letter_is_loud",)
    assert [edit.replace for edit in second.edits] == [".title()"]


def test_an_id_without_a_dash_is_the_whole_name(course: Course) -> None:
    course.copy("mutants/W1/s02-title-case.toml", "mutants/W1/s03.toml")
    assert [fault.id for fault in course.load().faults] == ["s01", "s02", "s03"]


def test_the_whole_reference_package_comes_by_dotted_name(course: Course) -> None:
    modules = course.load().reference_modules
    assert set(modules) == {"words", "words.quiet", "words.loud", "words.loud.shout"}
    assert [name for name, module in modules.items() if module.is_package] == ["words", "words.loud"]
    assert modules["words.quiet"].file == "words/quiet.py"
    assert modules["words.quiet"].source == "def whisper(text):\n    return text.lower()\n"


def test_variants_come_by_name(course: Course) -> None:
    variants = course.load().variants
    assert [variant.name for variant in variants] == ["formatted", "joined"]
    assert "join" in variants[1].source


def test_a_faults_source_is_the_reference_with_its_edit(course: Course) -> None:
    lesson = course.load()
    assert fault_source(lesson, lesson.faults[0]) == {
        SHOUT: "def shout(text):\n    # loud\n    return text.upper()\n"
    }


def test_several_edits_are_all_looked_up_in_the_original(course: Course) -> None:
    course.replace_edits(
        "mutants/W1/s01-no-mark.toml",
        f"[[edit]]\nfile = '{SHOUT}'\nfind = '\"!\"'\nreplace = '\"upper\"'\n"
        f"[[edit]]\nfile = '{SHOUT}'\nfind = 'upper'\nreplace = 'lower'\n"
        "[[edit]]\nfile = 'words/quiet.py'\nfind = 'lower'\nreplace = 'upper'\n",
    )
    lesson = course.load()
    assert fault_source(lesson, lesson.faults[0]) == {
        SHOUT: 'def shout(text):\n    # loud\n    return text.lower() + "upper"\n',
        "words/quiet.py": "def whisper(text):\n    return text.upper()\n",
    }


def test_line_ends_of_another_system_and_a_byte_order_mark_do_not_make_edits_stale(course: Course) -> None:
    plain = course.load()
    for file in ("reference/words/loud/shout.py", "mutants/W1/s01-no-mark.toml", "mutants/W1/lesson.toml"):
        text = (course.root / file).read_text(encoding="utf-8")
        course.write(file, text.replace("\n", "\r\n").encode("utf-8-sig"))
    foreign = course.load()
    assert fault_source(foreign, foreign.faults[0]) == fault_source(plain, plain.faults[0])


@pytest.mark.filterwarnings("error")
def test_a_fault_that_python_warns_of_is_sound(course: Course) -> None:
    course.change("mutants/W1/s01-no-mark.toml", "'text.upper()'", "'text.upper() if text is \"\" else text'")
    assert len(course.load().faults) == 2


def test_loading_leaves_no_file_behind(course: Course) -> None:
    before = sorted(course.root.rglob("*"))
    course.load()
    assert sorted(course.root.rglob("*")) == before


def test_loading_runs_nothing_of_the_course(course: Course) -> None:
    course.write("reference/words/__init__.py", "raise SystemExit('loaded')\n")
    course.write("reference/tests/conftest.py", "raise SystemExit('loaded')\n")
    course.load()
    assert "words" not in sys.modules


def test_an_unknown_lesson_is_answered_with_the_lessons_there_are(course: Course) -> None:
    with pytest.raises(UnknownLessonError, match=r"There is no lesson 'L9\.9'") as caught:
        load_lesson(course.root, "L9.9")
    assert caught.value.hint == "The lessons here: W1."
    assert caught.value.exit_code is ExitCode.USAGE


def test_a_lesson_cannot_be_named_by_a_path(course: Course) -> None:
    with pytest.raises(UnknownLessonError):
        load_lesson(course.root, "../mutants/W1")


def test_lessons_are_listed_with_their_numbers_in_order(course: Course) -> None:
    for name in ("L7.10", "L7.2", "L10.1", ".cache", "__pycache__"):
        course.write(f"mutants/{name}/lesson.toml", "")
    assert lesson_ids(course.root) == ("L7.2", "L7.10", "L10.1", "W1")


@given(numerator=st.integers(1, 10_000), digits=st.integers(4, 9), faults=st.integers(1, 2_000))
def test_needed_is_the_smallest_number_of_kills_that_reaches_the_threshold(
    numerator: int, digits: int, faults: int
) -> None:
    threshold = Decimal(numerator).scaleb(-digits)
    needed = needed_kills(threshold, faults)
    assert Fraction(needed, faults) >= Fraction(threshold) > Fraction(needed - 1, faults)


@pytest.mark.parametrize(
    ("threshold", "faults", "needed"),
    [
        ("0.80", 9, 8),
        ("0.80", 1000, 800),  # 799 of 1000 is 79.9 %, which must not pass as 80 %
        ("0.80", 10, 8),
        ("0.7", 10, 7),  # in binary floating point 0.7 * 10 is above 7
        ("0.29", 100, 29),
        ("1", 9, 9),
        ("0.0001", 9, 1),
        ("0.9999999999999999999999999999999", 3, 3),
    ],
)
def test_needed_is_exact(threshold: str, faults: int, needed: int) -> None:
    assert needed_kills(Decimal(threshold), faults) == needed


def test_a_lesson_needs_its_share_of_its_own_faults(course: Course) -> None:
    assert course.load().needed == 2
    course.change("mutants/W1/lesson.toml", "0.80", "0.50")
    assert course.load().needed == 1


def test_a_lesson_cannot_be_changed_after_loading(course: Course) -> None:
    lesson = course.load()
    assert all(type(part).__struct_config__.frozen for part in (lesson, *lesson.faults, *lesson.variants))


@pytest.mark.skipif(not REAL.exists(), reason="this checkout has no L7.1")
def test_the_real_lesson_has_nine_faults_of_which_eight_are_needed() -> None:
    lesson = load_lesson(CHECKOUT, "L7.1")
    assert [fault.id for fault in lesson.faults] == [f"s0{number}" for number in range(1, 10)]
    assert (str(lesson.threshold), lesson.needed) == ("0.80", 8)
    assert [fault.id for fault in lesson.faults if fault.required] == ["s01", "s02", "s03", "s04"]
    assert [fault.pitfall for fault in lesson.faults] == [1, 2, 3, 4, None, None, None, None, None]
    assert len(lesson.variants) >= 2
