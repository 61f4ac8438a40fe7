"""The commands as a learner and a CI job meet them: in processes of their own, through pipes."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from grader.cli import run
from grader.course_part import Program, course_part
from grader.errors import NoSuchTestError
from grader.interrupts import INTERRUPTS
from grader.lesson import Lesson, find_course, load_lesson
from grader.programs import library_of
from grader.workers.pool import Server
from grader.workers.wire import Module
from grader.writers.json import schema
from tests.processes import PATIENCE, ROOT, ol

SUBMISSIONS = ROOT / "fixtures/L7.1/submissions"
GRADE_ODD_IDS = ("check", "L7.1", "--only", "mutation", "--tests", SUBMISSIONS / "odd-ids/suite")
SOURCE = "python/tinyllm/modern/norm.py"
TESTS = "python/tests/l7-1-norm"
LOG = ".ol/attempts.jsonl"


def report(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema()).validate(document)
    return document


def log_of(workspace: Path) -> list[dict[str, Any]]:
    file = workspace / LOG
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def assert_clean(text: str) -> None:
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)


@pytest.fixture
def started(tmp_path: Path) -> Path:
    done = ol("start", "L7.1", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path


@pytest.fixture
def solved(started: Path) -> Path:
    shutil.copy(ROOT / "reference/tinyllm/modern/norm.py", started / SOURCE)
    shutil.copytree(SUBMISSIONS / "complete/suite", started / TESTS, dirs_exist_ok=True)
    return started


def test_start_prints_the_test_path_and_the_rung(tmp_path: Path) -> None:
    done = ol("start", "L7.1", folder=tmp_path)
    assert re.search(rf"^Your tests: +{TESTS}/$", done.stdout, re.MULTILINE)
    assert "rung R5" in done.stdout
    assert (tmp_path / SOURCE).is_file()
    assert [path.name for path in (tmp_path / TESTS).iterdir()] == ["test_rmsnorm_oracle.py"]
    assert_clean(done.stdout)


def test_a_fresh_start_fails_usefully_and_explains_the_grade_once(started: Path) -> None:
    first = ol("check", "L7.1", "--ref-deps", "--json", "r.json", folder=started)
    assert first.returncode == 1, first.stderr
    assert "What the grade of your tests is" in first.stdout
    assert "Next: mend your module for test_hand_example" in first.stdout
    assert first.stderr == ""
    assert_clean(first.stdout)
    found = report(started / "r.json")
    assert (found["status"], found["exit_code"]) == ("failed", 1)
    assert (found["course"]["passed"], found["course"]["failed"]) == (0, 12)
    assert found["own"]["failed"] == 1
    assert found["validity"]["valid"]
    assert found["mutation"]["killed"] < found["mutation"]["needed"]
    second = ol("check", "L7.1", "--ref-deps", folder=started)
    assert "What the grade of your tests is" not in second.stdout
    assert [attempt["status"] for attempt in log_of(started)] == ["failed", "failed"]


def test_a_pass_is_logged_and_opens_the_diff_until_a_file_changes(solved: Path) -> None:
    done = ol("check", "L7.1", "--ref-deps", "--json", "r.json", folder=solved)
    assert done.returncode == 0, done.stdout + done.stderr
    found = report(solved / "r.json")
    assert (found["status"], found["exit_code"]) == ("passed", 0)
    assert found["course"] | {"tests": []} == {"passed": 12, "failed": 0, "tests": []}
    assert "9 of 9 killed, 8 needed" in done.stdout
    assert "passed, 1 attempt, best 9 of 9 killed" in ol("list", folder=solved, COLUMNS="120").stdout

    shown = ol("diff", "L7.1", folder=solved)
    assert shown.returncode == 0
    assert "to the letter" in shown.stdout
    assert len(log_of(solved)) == 1  # it was not checked again

    with (solved / SOURCE).open("a") as module:
        module.write("\n\ndef pre_norm_residual(x, norm, sublayer):\n    return norm(x + sublayer(x))\n")
    hidden = ol("diff", "L7.1", "--ref-deps", folder=solved)
    assert hidden.returncode == 1
    assert "Not yet" in hidden.stdout
    assert "mean_square" not in hidden.stdout
    assert len(log_of(solved)) == 2


def test_diff_before_any_check_checks_first(solved: Path) -> None:
    with (solved / SOURCE).open("a") as module:
        module.write("\n# mine\n")
    done = ol("diff", "L7.1", "--ref-deps", "--json", "d.json", folder=solved)
    assert done.returncode == 0, done.stderr
    assert "-# mine" in done.stdout
    assert "-# mine" in json.loads((solved / "d.json").read_text())["diff"]
    assert [attempt["status"] for attempt in log_of(solved)] == ["passed"]


def test_a_workspace_with_all_lessons_needs_no_ref_deps(solved: Path) -> None:
    shutil.copytree(ROOT / "reference/tinyllm", solved / "python/tinyllm", dirs_exist_ok=True)
    done = ol("check", "L7.1", "--only", "course", folder=solved / "python/tinyllm/modern")
    assert done.returncode == 0, done.stdout + done.stderr


def test_without_earlier_lessons_the_reason_names_the_way_out(started: Path) -> None:
    done = ol("tests", "L7.1", "--json", "r.json", folder=started)
    assert done.returncode == 1
    found = report(started / "r.json")
    assert found["status"] == "failed"
    assert "--ref-deps" in found["reason"]
    assert {test["outcome"] for test in found["course"]["tests"]} == {"not_run"}


def test_without_a_module_the_suite_is_graded_all_the_same(solved: Path) -> None:
    (solved / SOURCE).unlink()
    done = ol("check", "L7.1", "--ref-deps", "--json", "r.json", folder=solved)
    assert done.returncode == 1
    found = report(solved / "r.json")
    assert f"{SOURCE} does not exist yet" in found["reason"]
    assert found["mutation"]["killed"] == 9
    assert found["own"] is None


def test_without_tests_nothing_ran(started: Path) -> None:
    shutil.rmtree(started / TESTS)
    done = ol("check", "L7.1", "--ref-deps", "--json", "r.json", folder=started)
    assert done.returncode == 3
    assert [problem["kind"] for problem in report(started / "r.json")["validity"]["problems"]] == [
        "nothing_ran"
    ]


def test_a_module_that_hangs_is_one_sentence(started: Path) -> None:
    (started / SOURCE).write_text("while True: pass\n")
    done = ol("tests", "L7.1", "--ref-deps", "--timeout", "1", "--json", "r.json", folder=started)
    assert done.returncode == 1, done.stderr
    assert "importing tinyllm.modern.norm had not ended after 1 s" in " ".join(done.stdout.split())
    assert report(started / "r.json")["course"]["failed"] == 12


def test_course_tests_are_chosen_by_name_and_show_their_kind(solved: Path) -> None:
    done = ol("tests", "L7.1", "--ref-deps", "-k", "golden and not llama or HAND", folder=solved)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"(\w+) +(\w+) +(test_\w+)", done.stdout) == [
        ("passed", "unit", "test_hand_example"),
        ("passed", "golden", "test_golden_hf_gemma_offset"),
    ]


def test_a_failing_course_test_says_why_it_matters(solved: Path) -> None:
    text = (solved / SOURCE).read_text()
    (solved / SOURCE).write_text(text.replace("np.full(d, 1 - offset", "np.full(d, offset"))
    done = ol("tests", "L7.1", "--ref-deps", "-k", "init", folder=solved)
    assert done.returncode == 1
    assert "Why it matters: the key of every norm" in done.stdout


def test_json_on_standard_output_is_all_there_is(tmp_path: Path) -> None:
    done = ol(*GRADE_ODD_IDS, "--json", "-", folder=tmp_path, PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout)["exit_code"] == done.returncode
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []  # and no log


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_old_encodings_get_words_and_no_traceback(tmp_path: Path, encoding: str) -> None:
    done = ol(*GRADE_ODD_IDS, "--matrix", folder=tmp_path, PYTHONIOENCODING=encoding)
    assert done.returncode == 1, done.stderr
    assert done.stderr == ""
    done.stdout.encode(encoding, "surrogateescape")
    assert not re.search(r"^\s*::", done.stdout, re.MULTILINE)
    assert "7 of 9 killed" in done.stdout


def test_tests_elsewhere_leave_no_trace_in_the_log(solved: Path) -> None:
    suite = SUBMISSIONS / "complete/suite"
    done = ol("check", "L7.1", "--only", "mutation", "--tests", suite, folder=solved)
    assert done.returncode == 0
    assert log_of(solved) == []


def test_a_workspace_that_cannot_be_written_to_still_gets_its_grade(solved: Path) -> None:
    (solved / ".ol").write_text("a file stands where the log's folder should\n")
    done = ol("check", "L7.1", "--ref-deps", "--only", "course", folder=solved)
    assert done.returncode == 0
    assert "could not be logged" in done.stderr


def test_a_course_with_a_stale_fault_is_an_error_with_a_report(tmp_path: Path) -> None:
    course = tmp_path / "course"
    for name in ("mutants", "reference", "student_template", "fixtures"):
        shutil.copytree(ROOT / name, course / name, ignore=shutil.ignore_patterns("submissions"))
    fault = next((course / "mutants/L7.1").glob("s01-*"))
    fault.write_text(fault.read_text().replace("find    = '''", "find    = '''stale "))
    suite = SUBMISSIONS / "complete/suite"
    done = ol(
        "check",
        "L7.1",
        "--course",
        course,
        "--only",
        "mutation",
        "--tests",
        suite,
        "--json",
        "r.json",
        folder=tmp_path,
    )
    assert done.returncode == 4
    found = report(tmp_path / "r.json")
    assert (found["status"], found["exit_code"], found["mutation"]) == ("error", 4, None)
    assert "s01" in found["reason"]
    assert "[lesson-data]" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "L9.9"], "unknown-lesson"),
        (["check", "L7.1"], "workspace-not-found"),
        (["tests", "L7.1"], "workspace-not-found"),
        (["diff", "L7.1"], "workspace-not-found"),
        (["check", "L7.1", "--only", "mutation", "--tests", "nowhere"], "path-not-found"),
        (["check", "L7.1", "--only", "everything"], "Invalid value"),
        (["check", "L7.1", "--format", "nonsense"], "no format"),
        (["check", "L7.1", "--json", "-", "--format", "text"], "only one format"),
        (["report", "text", "nowhere.json"], "path-not-found"),
        (["nonsense"], "No such command"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else None,
)
def test_a_mistake_in_the_command_line_is_exit_2_without_a_report(
    tmp_path: Path,
    arguments: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    keep_signals: None,
) -> None:
    monkeypatch.chdir(tmp_path)
    json_option = ["--json", "r.json"] if "--json" not in arguments and arguments[0] != "nonsense" else []
    assert run([*arguments, *json_option]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_fits_no_course_test_is_refused(
    server: Server, lesson: Lesson, solution: Program
) -> None:
    with pytest.raises(NoSuchTestError, match="no course test fits"):
        course_part(server, lesson, solution, seed="00", timeout=20.0, chosen="nonsense")
    with pytest.raises(NoSuchTestError, match="no expression"):
        course_part(server, lesson, solution, seed="00", timeout=20.0, chosen="a or")


@pytest.fixture
def keep_signals() -> Iterator[None]:
    kept = {number: signal.getsignal(number) for number in INTERRUPTS}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return load_lesson(find_course(None), "L7.1")


@pytest.fixture(scope="module")
def server(lesson: Lesson) -> Iterator[Server]:
    with Server() as server:
        server.load(library_of(lesson))
        yield server


def program_with(lesson: Lesson, source: str) -> Program:
    modules = {name: each.source for name, each in lesson.reference_modules.items()} | {lesson.module: source}
    return Program(
        tuple(Module(name, text, lesson.reference_modules[name].is_package) for name, text in modules.items())
    )


@pytest.fixture(scope="module")
def solution(lesson: Lesson) -> Program:
    return program_with(lesson, lesson.reference_modules[lesson.module].source)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("import os; os._exit(0)\n", "importing tinyllm.modern.norm ended the process"),
        ("import ctypes; ctypes.string_at(0)\n", "importing tinyllm.modern.norm ended the process"),
        ("def f(:\n", "tinyllm.modern.norm does not import: SyntaxError"),
        ("import nowhere\n", "tinyllm.modern.norm does not import: ModuleNotFoundError"),
        ("raise SystemExit(0)\n", "tinyllm.modern.norm ends the program while it is imported"),
        ("x = [0] * (1 << 40)\n", "importing tinyllm.modern.norm asked for more memory"),
        ("x = 1\n", "tinyllm.modern.norm lacks what the course tests import"),
        ("\0", "tinyllm.modern.norm does not import: "),
    ],
    ids=["exits", "segfault", "syntax", "missing", "system-exit", "memory", "empty", "nul"],
)
def test_a_module_that_cannot_be_used_is_one_sentence(
    server: Server, lesson: Lesson, source: str, sentence: str
) -> None:
    part = course_part(server, lesson, program_with(lesson, source), seed="00", timeout=20.0)
    assert part.problem.startswith(sentence)
    assert "\n" not in part.problem
    assert (part.tests.passed, part.tests.failed) == (0, 12)
    assert all(test.kind and test.downstream for test in part.tests.tests)


def test_a_crash_in_one_test_leaves_the_others_not_run(server: Server, lesson: Lesson) -> None:
    source = lesson.reference_modules[lesson.module].source
    broken = source.replace("return x + sublayer(norm(x))", "import os; os._exit(3)")
    part = course_part(server, lesson, program_with(lesson, broken), seed="00", timeout=20.0)
    outcomes = [test.outcome for test in part.tests.tests]
    assert outcomes == ["passed"] * 8 + ["crashed"] + ["not_run"] * 3
    assert part.problem.startswith("test_pre_norm_residual_identity_path on your module ended the process")


def test_a_kept_report_is_written_in_every_other_format(tmp_path: Path) -> None:
    case = ROOT / "tests/screens/cases/survivors"
    text = ol("report", "text", case / "report.json", folder=tmp_path)
    assert text.stdout == (case / "80.txt").read_text()
    assert json.loads(ol("report", "json", case / "report.json", folder=tmp_path).stdout)["seed"] == 7


def test_what_is_no_report_is_named(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text("{}")
    done = ol("report", "text", "r.json", folder=tmp_path)
    assert done.returncode == 2
    assert "[unreadable]" in done.stderr


def test_the_doctor_finds_this_machine_well(tmp_path: Path) -> None:
    done = ol("doctor", "--json", "d.json", folder=tmp_path)
    assert done.returncode == 0, done.stdout
    names = [check["name"] for check in json.loads((tmp_path / "d.json").read_text())]
    assert {"python", "numpy", "pytest", "cores", "engine", "speed"} <= set(names)


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    case = ROOT / "tests/screens/cases/matrix/report.json"
    command = f"{sys.executable} -m grader report text {case} | head -n 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=PATIENCE,
        check=False,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
