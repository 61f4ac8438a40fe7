"""Every check of a lesson can fail, and then names the file and the key: one thing is wrong in each copy of a course."""

import importlib.util
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.author.new_lesson import NewLesson, lay_down
from grader.author.trials import course_trials
from grader.author.verify import Level
from grader.author.verify.bits import check_bits
from grader.author.verify.contract import contract_check
from grader.author.verify.correct import check_correct
from grader.author.verify.evidence import Bounds, gather
from grader.author.verify.finding import Finding
from grader.author.verify.form import check_form
from grader.author.verify.golden import check_golden
from grader.author.verify.template import check_template
from grader.cli import run
from grader.lesson import Lesson, load_lesson
from grader.programs import library_of
from grader.workers.pool import Server

DIARY = Path(__file__).resolve().parents[1] / "cases/diary"
STUB = "student_template/D1/python/diary/due.py"
STARTER = "student_template/D1/python/tests/d1-due"
STARTER_TEST = f"{STARTER}/test_due_oracle.py"
REFERENCE = "reference/diary/due.py"
CONTRACT = "reference/contracts/diary/due.pyi"
VARIANT = "reference/variants/D1/one_at_a_time.py"
COURSE_TEST = "reference/tests/D1/test_due.py"

Edit = Callable[[Path], None]
Correct = Callable[[], list[tuple[str, str]]]


def change(file: str, old: str, new: str) -> Edit:
    def edit(root: Path) -> None:
        text = (root / file).read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
        (root / file).write_text(text.replace(old, new), encoding="utf-8")

    return edit


def write(file: str, text: str) -> Edit:
    def edit(root: Path) -> None:
        (root / file).write_text(text, encoding="utf-8")

    return edit


def remove(file: str) -> Edit:
    return lambda root: shutil.rmtree(root / file) if (root / file).is_dir() else (root / file).unlink()


def copy(file: str, to: str) -> Edit:
    def edit(root: Path) -> None:
        shutil.copyfile(root / file, root / to)

    return edit


def store(file: str, **arrays: Any) -> Edit:
    return lambda root: np.savez(
        root / file, **{key.replace("__", "/"): each for key, each in arrays.items()}
    )


@pytest.fixture
def course(tmp_path: Path) -> Path:
    shutil.copytree(DIARY, tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "course"


def said(findings: list[Finding]) -> list[str]:
    return [finding.message for finding in findings if finding.level is Level.ERROR]


def assert_says(findings: list[Finding], check: str, place: str, words: str) -> None:
    wrong = [finding for finding in findings if finding.level is Level.ERROR]
    assert [finding.check for finding in wrong] == [check], said(findings)
    assert wrong[0].message.startswith(f"{place}: ")
    assert words in wrong[0].message


# ------------------------------------------------------------------------- what learners begin with

TEMPLATES = {
    "no template": (
        remove("student_template/D1"),
        ("stub", "student_template/D1: folder", "is missing"),
    ),
    "no stub": (remove(STUB), ("stub", f"{STUB}: file", "is missing")),
    "syntax": (write(STUB, "def add_months(:\n"), ("stub", f"{STUB}: syntax", "line 1")),
    "no text": (
        lambda root: (root / STUB).write_bytes(b"\xff"),
        ("stub", f"{STUB}: syntax", "not UTF-8"),
    ),
    "a NUL byte": (write(STUB, "def parts(): '\0'\n"), ("stub", f"{STUB}: syntax", "null bytes")),
    "a name is missing": (
        change(STUB, "def parts", "def pieces"),
        ("stub", f"{STUB}: parts", "is missing, and the contract has it"),
    ),
    "other parameters": (
        change(STUB, "day: str, months: int", "day: str, months: int = 1"),
        ("stub", f"{STUB}: add_months", "takes (day, months=1), and by the contract (day, months)"),
    ),
    "a first test without a test": (
        write(STARTER_TEST, "\n"),
        ("starter test", f"{STARTER}: tests", "on the reference: none runs"),
    ),
    "no first test": (remove(STARTER), ("starter test", f"{STARTER}: file", "there is no test")),
    "a test that may not be handed in": (
        change(STARTER_TEST, "def test", "import os\n\n\ndef test"),
        ("starter test", f"{STARTER_TEST}: line 7", "os"),
    ),
    "a wrong test": (
        change(STARTER_TEST, "2023-11-15", "2023-11-16"),
        ("starter test", f"{STARTER_TEST}::test_one_date_by_hand", "on the reference: it ends as failed"),
    ),
    "a test that is too strict": (
        write(
            STARTER_TEST,
            "from diary.due import parts\n\ndef test_text():\n    try:\n        parts('')\n"
            "    except ValueError as error:\n        assert 'write it as' in str(error)\n",
        ),
        ("starter test", f"{STARTER_TEST}::test_text", "on the variant from_a_table: it ends as failed"),
    ),
    "a test that passes on the stub": (
        write(STARTER_TEST, "import diary.due\n\ndef test_import():\n    assert diary.due.parts\n"),
        ("starter test", f"{STARTER}: tests", "pass on the stub"),
    ),
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Warm, with what all copies have in common: nothing that a test here changes is among it."""
    with Server() as server:
        server.load(library_of(load_lesson(DIARY, "D1")))
        yield server


@pytest.mark.parametrize("case", TEMPLATES)
def test_what_is_wrong_with_a_template_is_said(course: Path, server: Server, case: str) -> None:
    edit, says = TEMPLATES[case]
    edit(course)
    assert_says(check_template(load_lesson(course, "D1"), server), *says)


def test_a_stub_that_is_the_reference_is_told_with_the_test_that_passes_on_it(
    course: Path, server: Server
) -> None:
    copy(REFERENCE, STUB)(course)
    messages = said(check_template(load_lesson(course, "D1"), server))
    assert [message.split(": ")[0] for message in messages] == [STUB, STARTER]
    assert "is the reference" in messages[0]


# ------------------------------------------------------------------------- golden values

GOLDEN = "fixtures/D1/due.json"
STORED = "fixtures/D1/more.npz"
VALUES = {
    "no json": (write(GOLDEN, "{"), (f"{GOLDEN}: content", "does not load: JSONDecodeError")),
    "any tool's version": (change(GOLDEN, '"python"', '"by"'), None),
    "no versions at all": (write(GOLDEN, '{"cases": []}'), (f"{GOLDEN}: meta", "records no version")),
    "no number in them": (
        write(GOLDEN, '{"meta": {"by": "hand"}}'),
        (f"{GOLDEN}: meta", "records no version"),
    ),
    "no script": (
        remove("fixtures/D1/due.py"),
        (f"{GOLDEN}: script", "due.py, which makes it, is not beside it"),
    ),
    "a script without content": (
        write("fixtures/D1/due.py", "\n"),
        (f"{GOLDEN}: script", "is no program that makes it"),
    ),
    "a script that is no program": (
        write("fixtures/D1/due.py", "def\n"),
        (f"{GOLDEN}: script", "is no program that makes it"),
    ),
    "no archive": (write(STORED, "PK"), (f"{STORED}: content", "does not load")),
    "objects": (store(STORED, x=np.array([None])), (f"{STORED}: content", "allow_pickle")),
    "arrays without a version": (store(STORED, x=np.ones(3)), (f"{STORED}: meta", "records no version")),
    "arrays without a script": (
        store(STORED, x=np.ones(3), meta__torch="2.13.0+cpu"),
        (f"{STORED}: script", "more.py"),
    ),
}


@pytest.mark.parametrize("case", VALUES)
def test_what_is_wrong_with_golden_values_is_said(course: Path, case: str) -> None:
    edit, says = VALUES[case]
    edit(course)
    findings = check_golden(load_lesson(course, "D1"))
    if says is None:  # which tool's version it is may be called anything
        assert said(findings) == []
    else:
        assert_says(findings, "golden values", *says)


def test_a_lesson_without_golden_values_hears_of_it_and_no_more(course: Path) -> None:
    remove("fixtures/D1")(course)
    (finding,) = check_golden(load_lesson(course, "D1"))
    assert (finding.level, finding.message.partition(":")[0]) == (Level.NOTE, "fixtures/D1 holds none")


# ------------------------------------------------------------------------- the contract


def contract_finding(course: Path, seconds: float = 120) -> Finding:
    with contract_check(load_lesson(course, "D1"), seconds) as finding:
        return finding()


def test_every_signature_in_which_a_contract_does_not_agree_is_told(course: Path) -> None:
    change(CONTRACT, "months: int)", "months: int = 1)")(course)
    change(CONTRACT, "def parts", "def pieces")(course)
    change(REFERENCE, "def add_months", "def day_of(day: str) -> int: ...\n\n\ndef add_months")(course)
    finding = contract_finding(course)
    assert_says([finding], "contract", f"{CONTRACT}: signatures", "diary.due.add_months is inconsistent")
    for words in (
        "diary.due.pieces is not present at runtime",
        "diary.due.parts is not",
        "diary.due.day_of is not",
    ):
        assert words in finding.message


def test_a_contract_that_is_missing_is_told(course: Path) -> None:
    remove(CONTRACT)(course)
    assert_says([contract_finding(course)], "contract", f"{CONTRACT}: file", "is missing")


@pytest.mark.parametrize("data", [b"def parts(:\n", b"\xff"])
def test_a_contract_that_is_no_python_is_told_and_the_stub_is_held_to_the_reference(
    course: Path, server: Server, data: bytes
) -> None:
    (course / CONTRACT).write_bytes(data)
    finding = contract_finding(course)
    assert finding.message.startswith(f"{CONTRACT}: syntax: ")
    assert said(check_template(load_lesson(course, "D1"), server)) == []


def test_a_module_that_is_never_imported_to_its_end_holds_nothing_up(course: Path) -> None:
    change(REFERENCE, "def parts", "while True: pass\n\n\ndef parts")(course)
    assert_says([contract_finding(course, 3)], "contract", f"{CONTRACT}: time", "had not ended after 3 s")


def test_where_there_is_no_mypy_the_way_to_it_is_a_note(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    finding = contract_finding(course)
    assert finding.level is Level.NOTE
    assert "pip install 'ol-grader[author]'" in finding.message


# ------------------------------------------------------------------------- programs that are correct


@pytest.fixture
def correct(course: Path, server: Server) -> Correct:
    """`correct()`: check and message of all that does not hold for the correct programs."""
    return lambda: problems(load_lesson(course, "D1"), server)


def problems(lesson: Lesson, server: Server) -> list[tuple[str, str]]:
    evidence = gather(lesson, server, bounds=Bounds(jobs=2))
    assert evidence.others is not None
    found = check_correct(lesson, evidence.reference, evidence.others)
    return [(finding.check, finding.message) for finding in found if finding.level is Level.ERROR]


def test_a_course_test_that_correct_programs_fail_is_told_for_each_of_them(
    course: Path, correct: Correct
) -> None:
    change(COURSE_TEST, '0) == "2023-11-05"', '0) == "2023-11-06"')(course)
    found = dict(correct())
    assert list(found) == ["reference", "variant from_a_table", "variant one_at_a_time"]
    for file in (REFERENCE, VARIANT):
        wanted = f"{file}: test_due.py::test_the_day_stays: this course test ends as failed"
        assert any(message.startswith(wanted) for message in found.values())


def test_a_course_test_that_is_skipped_holds_for_nobody(course: Path, correct: Correct) -> None:
    change(COURSE_TEST, "def test_golden", "@pytest.mark.skip\ndef test_golden")(course)
    assert "this course test ends as skipped" in dict(correct())["reference"]


def test_a_variant_that_is_wrong_is_told(course: Path, correct: Correct) -> None:
    change(VARIANT, "range(abs(months))", "range(max(months, 0))")(course)
    ((check, message),) = correct()
    assert check == "variant one_at_a_time"
    assert message.startswith(
        f"{VARIANT}: test_due.py::test_into_another_year: this course test ends as failed"
    )


def test_a_variant_that_gives_another_text_than_the_reference_is_told(course: Path, correct: Correct) -> None:
    table = "reference/variants/D1/from_a_table.py"
    day = 'number + (day == "2023-01-15" and not months))'
    change(table, "index + 1, number)", f"index + 1, {day}")(course)
    found = [message for check, message in correct() if check == "variant from_a_table agrees"]
    assert found == [f"{table}: witness of d04: in float32 it gives another value than the reference"]


def test_a_variant_that_is_another_program_in_name_alone_is_told(course: Path, correct: Correct) -> None:
    copy(REFERENCE, "reference/variants/D1/again.py")(course)
    wanted = "reference/variants/D1/again.py: source: is the same program as the reference"
    assert correct() == [("variants", wanted)]


def test_course_tests_that_a_module_without_content_passes_are_told(course: Path, correct: Correct) -> None:
    tests = load_lesson(course, "D1").faults
    names = {name for fault in tests for name in fault.caught_by}
    write(COURSE_TEST, "".join(f"def {name}(): pass\n" for name in names))(course)
    ((check, message),) = correct()
    assert (check, message.partition(": ")[0]) == ("canary", "reference/tests/D1")


def test_course_tests_that_do_not_load_are_told(course: Path, correct: Correct) -> None:
    change(COURSE_TEST, "import json", "import json, nobody")(course)
    ((check, message),) = correct()
    assert check == "reference"
    assert message.startswith("reference/tests/D1: tests: none runs on the reference")


# ------------------------------------------------------------------------- numbers that round

SCORES = "reference/variants/N1/one_division.py"


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    lay_down(tmp_path / "numbers", NewLesson("N1", "Numbers", "R1", "figures.scores"))
    return tmp_path / "numbers"


def numbers_of(course: Path) -> list[tuple[str, str]]:
    lesson = load_lesson(course, "N1")
    with Server() as server:
        server.load(library_of(lesson))
        return problems(lesson, server)


def test_a_variant_that_gives_another_number_is_told(numbers: Path) -> None:
    change(SCORES, "(x - mean) * inverse", "(x - mean) * inverse * (1 + 0.01 * (x.shape[-1] == 2))")(numbers)
    found = dict(numbers_of(numbers))
    assert list(found) == ["variant one_division", "variant one_division agrees"]
    assert found["variant one_division agrees"].startswith(f"{SCORES}: witness of s01: in float")


def test_a_variant_that_rounds_as_the_reference_does_is_told(numbers: Path) -> None:
    source = (numbers / "reference/figures/scores.py").read_text(encoding="utf-8")
    other = source.replace("centered * centered", "centered**2").replace(
        "np.sqrt(variance)", "variance ** 0.5"
    )
    assert other != source
    (numbers / SCORES).write_text(other, encoding="utf-8")
    ((check, message),) = numbers_of(numbers)
    assert check == "variant one_division last bits"
    assert message.startswith(f"{SCORES}: source: returns the same as the reference to the last bit")


def test_without_numbers_that_round_there_are_no_last_bits(course: Path) -> None:
    lesson = load_lesson(course, "D1")
    with course_trials(lesson) as trials:
        (finding,) = check_bits(lesson, trials)
    assert finding.level is Level.NOTE


# ------------------------------------------------------------------------- form


def test_a_function_that_cannot_be_rewritten_is_a_note(course: Path) -> None:
    change(
        REFERENCE,
        "    year, month, number = parts(day)",
        "    global _LAST\n    year, month, number = parts(day)",
    )(course)
    change(REFERENCE, "def add_months", "_LAST = 0\n\n\ndef add_months")(course)
    (finding,) = check_form(load_lesson(course, "D1"))
    assert finding.level is Level.NOTE
    assert "diary.due: the form of add_months" in finding.message


# ------------------------------------------------------------------------- the command


def found_by(course: Path, *words: str) -> tuple[int, dict[str, Any]]:
    output = course.parent / "found.json"
    code = run(["lesson", "verify", *words, "--course", str(course), "--json", str(output)])
    document: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
    return code, document


def test_a_sound_course_holds_with_code_0(course: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, document = found_by(course)
    assert (code, document["holds"]) == (0, True)
    subjects = {finding["subject"] for finding in document["lessons"][0]["findings"]}
    assert subjects == {"lesson", "d01", "d02", "d03", "d04", "d05"}
    assert "Everything holds: 67 checks in 1 lesson." in capfd.readouterr().out


def test_everything_that_is_wrong_is_told_at_once_with_code_4(
    course: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for edit in (
        change(STUB, "def parts", "def pieces"),
        change(GOLDEN, '"meta"', '"about"'),
        change(CONTRACT, "def parts(day", "def parts(text"),
        change("mutants/D1/d03-the-last-day-sticks.toml", "test_the_day_stays", "test_leap_years"),
        change("mutants/D1/d05-every-fourth-year.toml", "year % 400 == 0", "year % 500 == 0"),
        change(COURSE_TEST, '0) == "2023-11-05"', '0) == "2023-11-06"'),
    ):
        edit(course)
    code, document = found_by(course, "D1")
    assert code == 4
    wrong = [each for each in document["lessons"][0]["findings"] if each["level"] == "error"]
    assert [(each["subject"], each["check"]) for each in wrong] == [
        ("lesson", "stub"),
        ("lesson", "golden values"),
        ("lesson", "reference"),
        ("lesson", "variant from_a_table"),
        ("lesson", "variant one_at_a_time"),
        ("lesson", "contract"),
        ("d03", "caught_by"),
        ("d04", "caught_by"),  # by a test that now fails on the reference, too
        ("d05", "loads"),
    ]
    screen = " ".join(capfd.readouterr().out.split())
    assert "9 problems in 1 lesson." in screen
    for place in (
        f"{STUB}: parts: ",
        f"{CONTRACT}: signatures: ",
        "d05-every-fourth-year.toml: edit[0].find: ",
    ):
        assert place in screen


def test_a_half_made_lesson_is_refused_with_all_that_is_missing(course: Path) -> None:
    for part in (VARIANT, "reference/variants/D1/from_a_table.py", CONTRACT, STARTER_TEST):
        remove(part)(course)
    code, document = found_by(course)
    assert code == 4
    assert [finding["message"].partition(": ")[0] for finding in document["lessons"][0]["findings"]] == [
        "reference/variants/D1/*.py",
        CONTRACT,
        f"{STARTER}/**/*.py",
    ]


def test_what_is_wrong_in_the_lessons_own_file_is_told_beside_what_it_names_in_vain(course: Path) -> None:
    change("mutants/D1/lesson.toml", '= "diary.due"', '= "diary.dew"')(course)
    _code, document = found_by(course)
    places = [finding["message"].partition(": ")[0] for finding in document["lessons"][0]["findings"]]
    assert places == [
        "reference/diary/dew.py",
        "reference/contracts/diary/dew.pyi",
        "mutants/D1/lesson.toml",
    ]


def test_a_lesson_that_is_not_there_is_a_mistake_in_the_command_line(course: Path) -> None:
    assert run(["lesson", "verify", "D7", "--course", str(course)]) == 2
    assert run(["mutants", "verify", "d77", "--course", str(course)]) == 2
