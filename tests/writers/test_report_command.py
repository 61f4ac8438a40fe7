"""`ol report` and `ol check --format`: which text goes where, and which reports are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from grader.commands.delivery import Delivery
from grader.commands.report import read
from grader.errors import UnreadableError
from grader.report import PoolLine, Tally
from grader.report_checks import contradiction
from grader.writers import FORMATS, writer_of
from tests.processes import ROOT, ol

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.report import Report

CASES = ROOT / "tests" / "screens" / "cases"
SUITE = ROOT / "fixtures/L7.1/submissions/imports-os-subprocess-inspect/suite"


@pytest.mark.parametrize("name", ["markdown", "csv", "junit", "gradescope", "github"])
def test_a_kept_report_is_written_as_its_writer_writes_it(
    name: str, kept: dict[str, Report], tmp_path: Path
) -> None:
    done = ol("report", name, CASES / "full" / "report.json", "--out", "file", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "file").read_text(encoding="utf-8") == writer_of(name)(kept["full"])


def test_every_format_stands_in_the_help_of_both_commands(tmp_path: Path) -> None:
    for command in ("report", "check"):
        page = ol(command, "--help", folder=tmp_path).stdout
        assert [name for name in FORMATS if name not in page] == []


def test_points_and_the_suites_folder_are_told_to_the_formats_that_need_them(tmp_path: Path) -> None:
    report = CASES / "not-allowed" / "report.json"
    done = ol("report", "github", report, "--root", "python/tests", folder=tmp_path)
    assert "file=python/tests/test_norm.py,line=1" in done.stdout
    done = ol("report", "gradescope", CASES / "full" / "report.json", "--points", "9", folder=tmp_path)
    assert json.loads(done.stdout)["score"] == 8


@pytest.mark.parametrize(
    "options",
    [
        ["csv", "--points", "9"],
        ["gradescope", "--root", "x"],
        ["gradescope", "--points", "-1"],
        ["gradescope", "--points", "nan"],
        ["gradescope", "--points", "1/0"],
        ["pdf"],
    ],
)
def test_an_option_that_does_not_fit_is_a_mistake_in_the_command(options: list[str], tmp_path: Path) -> None:
    form, *rest = options
    done = ol("report", form, CASES / "full" / "report.json", *rest, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")


def test_a_check_writes_annotations_for_files_as_seen_from_here_and_the_summary(tmp_path: Path) -> None:
    suite = tmp_path / "work" / "tests"
    suite.mkdir(parents=True)
    (suite / "test_norm.py").write_text((SUITE / "test_norm.py").read_text())
    options = ["--only", "mutation", "--tests", "work/tests", "--format", "github", "--json", "r.json"]
    done = ol("check", "L7.1", *options, folder=tmp_path, GITHUB_STEP_SUMMARY=str(tmp_path / "summary"))
    assert done.returncode == 3, done.stderr
    assert "::error file=work/tests/test_norm.py,line=1,title=not allowed%3A test_norm.py::" in done.stdout
    assert (tmp_path / "summary").read_text().startswith("## L7.1: invalid\n")


def test_annotations_in_a_file_are_no_summary(tmp_path: Path) -> None:
    options = [
        "--only",
        "mutation",
        "--tests",
        str(SUITE),
        "--format",
        "github=commands",
        "--format",
        "csv=row",
    ]
    done = ol("check", "L7.1", *options, folder=tmp_path, GITHUB_STEP_SUMMARY=str(tmp_path / "summary"))
    assert done.returncode == 3, done.stderr
    assert (tmp_path / "commands").read_text().startswith("::stop-commands::")
    assert ",invalid,,,,false,," in (tmp_path / "row").read_text()
    assert not (tmp_path / "summary").exists()


# Which reports are refused -------------------------------------------------------------------------------------


def test_no_kept_report_contradicts_itself(
    kept: dict[str, Report], told: Callable[[str], list[Report]]
) -> None:
    assert {case: contradiction(report) for case, report in kept.items()} == dict.fromkeys(kept, "")
    assert [contradiction(report) for report in told("x")] == ["", "", ""]


@pytest.mark.parametrize(
    ("case", "changes", "said"),
    [
        ("passed", {"exit_code": 1}, "exit code 1 is none of passed"),
        ("passed", {"format_version": 99}, "version 99"),
        ("passed", {"validity": None}, "not valid"),
        ("survivors", {"status": "passed", "exit_code": 0}, "its numbers do not"),
        ("survivors", {"status": "invalid", "exit_code": 3}, "validity"),
        ("survivors", {"status": "error", "exit_code": 70}, "no grade"),
        ("not-allowed", {"status": "failed", "exit_code": 1}, "validity"),
        ("course-only", {"course": None}, "its numbers do not"),
    ],
)
def test_a_report_that_contradicts_itself_is_told_by_what_it_says(
    case: str, changes: dict[str, Any], said: str, kept: dict[str, Report]
) -> None:
    assert said in contradiction(replace(kept[case], **changes))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"killed": 10}, "cannot be killed"),
        ({"killed": 0, "total": 0}, "cannot be killed"),
        ({"score": 0.9}, "is not that of 8 of 9"),
        ({"killed": 9, "score": 1.0}, "not those that it counts"),
        ({"needed": 7}, "7 of 9 is not what a threshold of 0.80 needs"),
        ({"threshold": "1e-999999999"}, "a threshold of 1e-999999999"),
        ({"threshold": "much"}, "a threshold of much"),
        ({"required_missing": ()}, "not those that are alive"),
    ],
)
def test_a_grade_that_contradicts_itself_is_told_by_its_numbers(
    changes: dict[str, Any], said: str, kept: dict[str, Report]
) -> None:
    report = kept["survivors"]
    assert report.mutation is not None
    assert said in contradiction(replace(report, mutation=replace(report.mutation, **changes)))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"killed": 9}, "9 of 4 faults cannot be killed"),
        ({"score": 0.1}, "is not that of 3 of 4"),
        ({"needed": 0}, "0 of 4 is not what a threshold of 0.75 needs"),
    ],
)
def test_a_pool_that_contradicts_itself_is_told_as_a_grade_is(
    changes: dict[str, Any], said: str, kept: dict[str, Report]
) -> None:
    report = kept["survivors"]
    assert report.mutation is not None
    pool = PoolLine(name="g", killed=3, total=4, needed=3, threshold="0.75", score=0.75)
    sound = replace(report, mutation=replace(report.mutation, pools=(pool,)))
    assert contradiction(sound) == ""
    wrong = replace(report.mutation, pools=(replace(pool, **changes),))
    assert said in contradiction(replace(report, mutation=wrong))


def test_counts_that_are_not_those_of_the_tests_are_told(kept: dict[str, Report]) -> None:
    report = kept["course-only"]
    assert report.course is not None
    assert "it lists" in contradiction(replace(report, course=replace(report.course, passed=1000)))


def test_a_valid_suite_has_no_problems_and_nothing_takes_for_ever(kept: dict[str, Report]) -> None:
    report, invalid = kept["passed"], kept["not-allowed"]
    assert report.validity is not None
    assert invalid.validity is not None
    problems = replace(report.validity, problems=invalid.validity.problems)
    assert "no problem with it" in contradiction(replace(report, validity=problems))
    assert "takes so long" in contradiction(replace(report, seconds=1e308))


def test_a_document_nested_without_end_is_no_report(tmp_path: Path) -> None:
    deep = tmp_path / "deep.json"
    deep.write_text("[" * 200_000)
    with pytest.raises(UnreadableError, match="no report"):
        read(deep)


@pytest.mark.parametrize("points", ["1e400", "1e999999999", "-1", "1/0", "nan", "many", "9" * 50])
def test_points_that_are_no_number_are_a_mistake_in_the_command(points: str, tmp_path: Path) -> None:
    done = ol("report", "gradescope", CASES / "full/report.json", f"--points={points}", folder=tmp_path)
    assert done.returncode == 2
    assert "is no number of points" in done.stderr


def test_merge_is_found_behind_an_option(tmp_path: Path) -> None:
    done = ol("report", "--no-color", "merge", "--out", "both", "missing", folder=tmp_path)
    assert "missing" in done.stderr
    assert "is not one of" not in done.stderr


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--json", "missing/r.json"], 2, "missing/r.json cannot be used: No such file or directory"),
        (["--format", "junit=."], 2, "Is a directory"),
        (["--lesson-sha256", "0" * 64, "--json", "r.json"], 4, "[pinned-lesson]"),
    ],
)
def test_where_a_report_goes_is_looked_at_before_anything_is_graded(
    options: list[str], code: int, said: str, tmp_path: Path
) -> None:
    suite = ["--only", "mutation", "--tests", SUITE]
    done = ol("check", "L7.1", *suite, *options, folder=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr


def test_a_place_that_is_lost_meanwhile_takes_nothing_from_the_others(
    kept: dict[str, Report], tmp_path: Path
) -> None:
    gone = tmp_path / "gone" / "r.json"
    places = Delivery((("json", str(gone)), ("csv", str(tmp_path / "r.csv"))), screen=True)
    with pytest.raises(UnreadableError, match="gone"):
        places.deliver(kept["passed"])
    assert (tmp_path / "r.csv").read_text(encoding="utf-8") == writer_of("csv")(kept["passed"])


def test_what_has_no_end_is_no_report() -> None:
    with pytest.raises(UnreadableError, match="larger than 16 MiB"):
        read(Path("/dev/zero"))


def test_faults_that_are_not_shown_are_counted(kept: dict[str, Report]) -> None:
    report = kept["passed"]
    assert report.mutation is not None
    shown = replace(report.mutation, faults=report.mutation.faults[1:], private=Tally(killed=1, total=1))
    assert contradiction(replace(report, mutation=shown)) == ""
    assert contradiction(replace(report, mutation=replace(shown, private=Tally(killed=0, total=1)))) != ""


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--lesson", "L7.1"], 0, ""),
        (["--lesson", "L9.9"], 2, "it is of the lesson L7.1, not of L9.9"),
        (["--lesson-sha256", "0" * 64], 4, "[pinned-lesson]"),
    ],
)
def test_the_report_of_another_lesson_is_refused(
    options: list[str], code: int, said: str, tmp_path: Path
) -> None:
    done = ol("report", "csv", CASES / "passed" / "report.json", *options, folder=tmp_path)
    assert done.returncode == code
    assert said in done.stderr
    assert bool(done.stdout) == (code == 0)
