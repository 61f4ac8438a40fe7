"""Every check of a fault can fail, and then names the fault's file and the key: one fault for each, wrong in one thing."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.author.verify import Bounds, Level, Verification, verify_lesson
from grader.author.verify.loading import read_lesson
from grader.cli import run

DIARY = Path(__file__).resolve().parents[1] / "cases/diary"
CLAMP = "number = min(number, days_in(year, month + 1))"
PARTS = "year, month, number = parts(day)"
SHORT = ("test_the_last_day_of_a_short_month", "test_leap_years", "test_golden")
ALL = (*SHORT, "test_the_day_stays", "test_into_another_year")
FEBRUARY = 'return add_months("2023-01-31", 1)'


JANUARY = "months == 1 and number == 31 and year == 2023"


@dataclass(frozen=True)
class Broken:
    """A fault, its one mistake, and what has to be said of it: check, key and some words of the message."""

    says: tuple[tuple[str, str, str], ...]
    find: str = CLAMP
    replace: str = "number = min(number, 30)"
    also: tuple[str, str] | None = None
    witness: str = FEBRUARY
    caught_by: tuple[str, ...] = SHORT
    more: str = ""
    hint: str = "every month in your suite is long enough"
    symptom: str = "a date in no calendar"

    def text(self) -> str:
        edits = [(self.find, self.replace), *([self.also] if self.also else [])]
        return (
            f"title = 'broken'\nsymptom = {json.dumps(self.symptom)}\nhint = {json.dumps(self.hint)}\n"
            f"caught_by = {json.dumps(self.caught_by)}\n{self.more}\n\n"
            + "".join(
                f"[[edit]]\nfile = 'diary/due.py'\nfind = '''{find}'''\nreplace = '''{replace}'''\n\n"
                for find, replace in edits
            )
            + f"[witness]\ncall = '''\n{self.witness}\n'''\n"
        )


def both(key: str, words: str) -> tuple[tuple[str, str, str], ...]:
    return tuple((f"witness {dtype}", key, words) for dtype in ("float32", "float64"))


FIRST_CALL = """if not _CALLS:
        _CALLS.append(day)
        return "nothing yet"
    year, month, number = parts(day)"""

BROKEN = {
    # how its file reads
    "stale": Broken((("loads", "edit[0].find", "a stale edit"),), find="number = max("),
    "ambiguous": Broken((("loads", "edit[0].find", "several places"),), find="month", replace="moon"),
    "syntax": Broken((("loads", "edit", "syntax error"),), replace="number = min("),
    "numbered": Broken((("loads", "required", "must be true"),), more="pitfall = 7"),
    "required": Broken((("loads", "required", "needs a `pitfall`"),), more="required = true"),
    "unknown": Broken((("loads", "caught_by[0]", "no test of the course"),), caught_by=("test_nothing",)),
    "no.word": Broken((("loads", "name", "the part before the first `-` is 'no.word', not a word"),)),
    # whether it runs
    "unloadable": Broken(
        (
            ("imports", "edit", "does not load (NameError: name 'nobody' is not defined)"),
            *both("witness.call", "since the module does not load"),
            ("not trivial", "edit", "cannot be called"),
        ),
        find="from diary.months import MONTHS, days_in",
        replace="from diary.months import MONTHS, days_in\n\nNAMED = nobody",
        caught_by=(*ALL, "test_what_is_no_date_is_refused"),
    ),
    "nameless": Broken(
        (("imports", "edit", "without all of its public names"),), also=("def day_of(", "def _day_of(")
    ),
    "hangs": Broken(
        (("ends", "edit", "do not end on it: test_the_last_day_of_a_short_month; a fault that is meant"),),
        replace=f"while {JANUARY}: pass\n    number = min(number, 30)",
        witness='return add_months("2024-01-31", 1)',
        caught_by=("test_leap_years", "test_golden"),
    ),
    "ends": Broken(
        (("ends", "timeout_is_kill", "every course test ends on it"),),
        replace="number = min(number, 28)",
        witness='return add_months("2024-01-31", 1)',
        more="timeout_is_kill = true",
    ),
    "exits": Broken(
        (
            ("ends", "edit", "it ends the process that tests it: test_the_last_day_of_a_short_month"),
            ("not trivial", "edit", "ends the process"),
        ),
        replace=f"if {JANUARY}: __import__('os')._exit(0)\n    number = min(number, 30)",
        witness='return add_months("2024-01-31", 1)',
        caught_by=("test_leap_years", "test_golden"),
    ),
    # its witness
    "same": Broken(
        both("witness.call", "gives the same as the reference"), witness="return parts('2023-01-31')"
    ),
    "raises": Broken(
        both("witness.call", "raises ValueError: 'soon' is no date"), witness="return parts('soon')"
    ),
    "raising": Broken(
        (
            *both("witness.call", "on the fault it raises KeyError: 'short'; catch"),
            ("not trivial", "edit", "raises KeyError: 'short'"),
        ),
        replace="if number > days_in(year, month + 1): raise KeyError('short')",
    ),
    "incomparable": Broken(
        both("witness.call", "a object cannot be compared"),
        witness="return object(), add_months('2023-01-31', 1)",
    ),
    "waits": Broken(
        both("witness.call", "on the fault it does not end"),
        witness="while add_months('2023-01-31', 1) != '2023-02-28': pass\nreturn 1",
        replace="number = min(number, 31)",
    ),
    "infinite": Broken(
        both("witness.call", "on the reference it gives an infinity or NaN"),
        witness="return np.array([np.inf, float(parts(add_months('2023-01-31', 0))[2])])",
    ),
    "large": Broken(
        both("witness.call", "returns too much"),
        witness="add_months('2023-01-31', 1)\nreturn np.random.default_rng(0).random(9000)",
    ),
    # the course tests
    "caught": Broken(
        (
            (
                "caught_by",
                "caught_by",
                "do not kill it: test_the_day_stays; these kill it too and are not named: test_golden",
            ),
        ),
        caught_by=("test_the_last_day_of_a_short_month", "test_leap_years", "test_the_day_stays"),
    ),
    "twice": Broken(
        (("caught_by", "caught_by", "named more than once: test_golden"),), caught_by=(*SHORT, SHORT[2])
    ),
    "by_chance": Broken(
        (("deterministic", "caught_by", "depends on the order and the seed: "),),
        find="    year, month, number = parts(day)",
        replace="    " + FIRST_CALL,
        witness='_CALLS.clear()\nreturn add_months("2023-01-31", 0)',
        caught_by=("test_the_day_stays",),
    ),
    # whether it is fair
    "crude": Broken(
        (("not trivial", "edit", "gives a tuple of (a number, a number, a number) in place of a str"),),
        replace="return year, month, number",
        caught_by=ALL,
    ),
    "telling": Broken(
        (("hint", "hint", "holds `number = min(number, 30)`"),), hint="is it number = min(number, 30)?"
    ),
    "showing": Broken((("hint", "symptom", "holds `min(number, 30)`"),), symptom="a day is min(number, 30)"),
}
TWINS = {
    "one": Broken((("distinct", "edit", "tells it from other"),), replace="number = min(number, 29)"),
    "other": Broken(
        (("distinct", "edit", "tells it from one"),), replace="number = number if number < 29 else 29"
    ),
}
FAULTS = BROKEN | TWINS


def with_faults(root: Path, faults: dict[str, Broken]) -> Path:
    """A copy of the course in which these faults stand beside those that are sound."""
    shutil.copytree(DIARY, root, ignore=shutil.ignore_patterns("__pycache__"))
    lesson = root / "mutants/D1/lesson.toml"
    lesson.write_text(lesson.read_text().replace("witness_names = {", 'witness_names = {np = "numpy", '))
    reference = root / "reference/diary/due.py"
    added = "_CALLS: list[str] = []\n\n\ndef day_of(day: str) -> int:\n    return parts(day)[2]\n\n\ndef add_months"
    reference.write_text(reference.read_text().replace("def add_months", added))
    for name, broken in faults.items():
        (root / f"mutants/D1/{name}-broken.toml").write_text(broken.text())
    return root


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Verification:
    """All of them in one course."""
    root = with_faults(tmp_path_factory.mktemp("broken") / "course", FAULTS)
    return verify_lesson(root, "D1", only=list(FAULTS), bounds=Bounds(jobs=2))


def errors_of(found: Verification, fault: str) -> list[tuple[str, str]]:
    return [(finding.check, finding.message) for finding in found.of(Level.ERROR) if finding.subject == fault]


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_with_a_fault_is_said_with_file_and_key_and_nothing_else_is(
    found: Verification, fault: str
) -> None:
    # Those in which the same is edited are twins of one another, and say so too.
    errors = [error for error in errors_of(found, fault) if fault in TWINS or error[0] != "distinct"]
    says = FAULTS[fault].says
    assert [check for check, _message in errors] == [check for check, _key, _words in says], errors
    for (_check, message), (_same, key, words) in zip(errors, says, strict=True):
        assert message.startswith(f"mutants/D1/{fault}-broken.toml: {key}: ")
        assert words in message


def test_a_fault_that_cannot_be_read_keeps_no_other_from_being_verified(found: Verification) -> None:
    subjects = {finding.subject for finding in found.of(Level.OK)}
    assert {"nameless", "twice", "one"} <= subjects
    assert "stale" not in subjects


def test_a_witness_that_does_not_end_is_told_and_holds_nothing_up(tmp_path: Path) -> None:
    endless = Broken(
        both("witness.call", "on the reference it does not end"), witness="while True: pass\nreturn 1"
    )
    root = with_faults(tmp_path / "course", {"endless": endless})
    found = verify_lesson(root, "D1", only=["endless", "d01"], bounds=Bounds(jobs=2, witness_seconds=2))
    assert [check for check, _message in errors_of(found, "endless")] == [
        "witness float32",
        "witness float64",
    ]
    for _check, message in errors_of(found, "endless"):
        assert message.startswith("mutants/D1/endless-broken.toml: witness.call: in float")
        assert "on the reference it does not end" in message
    assert errors_of(found, "d01") == []


def test_a_fault_that_is_meant_to_hang_may(tmp_path: Path) -> None:
    hanging = Broken(
        (),
        replace=f"while {JANUARY}: pass\n    {CLAMP}",
        caught_by=("test_the_last_day_of_a_short_month",),
        more="timeout_is_kill = true",
    )
    root = with_faults(tmp_path / "course", {"hanging": hanging})
    assert verify_lesson(root, "D1", only=["hanging"], bounds=Bounds(jobs=2)).of(Level.ERROR) == []


def test_a_witness_that_does_not_end_on_the_fault_alone_is_no_exception_to_catch(found: Verification) -> None:
    assert all("catch what the fault raises" not in message for _check, message in errors_of(found, "waits"))


def test_two_files_with_one_id_are_an_error_of_the_course(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    root = with_faults(tmp_path / "course", {})
    shutil.copyfile(root / "mutants/D1/d02-the-year-stays.toml", root / "mutants/D1/d02-again.toml")
    assert run(["mutants", "verify", "D1/d02", "--course", str(root)]) == 4
    screen = " ".join(capfd.readouterr().out.split())
    assert "mutants/D1/d02-the-year-stays.toml: name: the id d02 is taken by d02-again.toml" in screen


def test_a_key_that_is_missing_is_told_for_each_such_key(tmp_path: Path) -> None:
    root = with_faults(tmp_path / "course", {})
    path = root / "mutants/D1/d02-the-year-stays.toml"
    lines = path.read_text(encoding="utf-8").partition("[witness]")[0].splitlines()
    path.write_text("\n".join(line for line in lines if not line.startswith(("symptom", "hint"))))
    _lesson, findings = read_lesson(root, "D1")
    assert [(finding.subject, finding.message) for finding in findings] == [
        ("d02", f"mutants/D1/{path.name}: {key}: still to be written")
        for key in ("symptom", "hint", "witness")
    ]


def verified(root: Path, *names: str) -> tuple[int, list[str]]:
    """The exit code of the command, and what does not hold."""
    output = root.parent / "found.json"
    code = run(["mutants", "verify", *names, "--course", str(root), "--json", str(output)])
    (lesson,) = json.loads(output.read_text(encoding="utf-8"))["lessons"]
    return code, [each["message"] for each in lesson["findings"] if each["level"] == "error"]


def test_a_lesson_without_faults_does_not_hold(tmp_path: Path) -> None:
    root = with_faults(tmp_path / "course", {})
    for path in root.glob("mutants/D1/d*.toml"):
        path.unlink()
    wanted = ["mutants/D1: folder: holds no fault, and a lesson needs at least one"]
    assert verified(root, "D1") == (4, wanted)


def test_what_is_wrong_with_the_lesson_is_told_whichever_fault_is_asked_about(tmp_path: Path) -> None:
    root = with_faults(tmp_path / "course", {})
    lesson = root / "mutants/D1/lesson.toml"
    lesson.write_text(f"{lesson.read_text()}\n[pools.generated]\nthreshold = 0.6\n", encoding="utf-8")
    code, (message,) = verified(root, "D1/d02")
    assert code == 4
    assert message.startswith("mutants/D1/pools/generated")


def test_the_same_course_tests_are_a_note_and_no_error(tmp_path: Path) -> None:
    root = with_faults(tmp_path / "course", {"thirty": Broken(())})
    found = verify_lesson(root, "D1", only=["thirty"], bounds=Bounds(jobs=2))
    assert found.holds
    assert [note.message for note in found.of(Level.NOTE)] == [
        "d01 and thirty are killed by the same course tests"
    ]


def test_the_command_ends_with_code_4_and_says_what_does_not_hold(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    root = with_faults(tmp_path / "course", {"telling": BROKEN["telling"]})
    output = tmp_path / "found.json"
    arguments = ["mutants", "verify", "telling", "d02", "--course", str(root), "--json", str(output)]
    assert run(arguments) == 4
    screen = " ".join(capfd.readouterr().out.split())
    assert "telling 1 of 11 checks does not hold" in screen
    assert "d02 11 checks hold" in screen
    assert "mutants/D1/telling-broken.toml: hint: gives the answer away" in screen
    document = json.loads(output.read_text(encoding="utf-8"))
    assert document["holds"] is False
    (lesson,) = document["lessons"]
    wrong = [finding for finding in lesson["findings"] if finding["level"] == "error"]
    assert [(each["subject"], each["check"]) for each in wrong] == [("telling", "hint")]
