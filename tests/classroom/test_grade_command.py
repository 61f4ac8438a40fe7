"""`ol grade`, as an instructor calls it: a folder of what learners handed in, and what stands in OUT afterwards."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import sqlite3
import tarfile
import textwrap
import zipfile
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from click.testing import CliRunner

from grader.classroom import summary
from grader.classroom.store import Store
from grader.cli import main
from grader.commands.options import MOST_SEED
from grader.errors import StoreError
from tests.classroom.school import STATUSES, SUITES, Ended, lay_course, ol
from tests.processes import ROOT, processes_in

if TYPE_CHECKING:
    from pathlib import Path

    from grader.classroom.store import Attempt

SUBMISSIONS = ROOT / "fixtures/L7.1/submissions"
HEADER = "learner,status,killed,needed,score,passed,required_missing,reason"
# Shows its status in one line without running long, and tries to take something else down with it.
HOSTILE = (
    "attack-exits-by-exception",
    "attack-kills-its-parent",
    "attack-signals-everybody",
    "attack-closes-its-descriptors",
    "attack-takes-all-memory",
    "exits-on-import",
    "stack-overflow",
)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_course(tmp_path_factory.mktemp("course"))


@pytest.fixture
def handed_in(tmp_path: Path) -> Path:
    """The tiny course's learners: a folder of tests each."""
    folder = tmp_path / "class"
    for name, text in SUITES.items():
        put(folder / name / "test_it.py", text)
    return folder


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def grade(folder: Path, course: Path, *options: object, jobs: int = 2) -> Ended:
    root = folder.parent
    arguments = ["W1", folder, "--out", root / "out", "--course", course, "--jobs", jobs, "--seed", 7]
    ended = ol(root / "temp", "grade", *arguments, *options)
    assert list((root / "temp").iterdir()) == []
    assert processes_in(root / "temp") == []
    return ended


def table(out: Path) -> dict[str, dict[str, str]]:
    with (out / "grades.csv").open(encoding="utf-8", newline="") as stream:
        return {row["learner"]: row for row in csv.DictReader(stream)}


def statuses(out: Path) -> dict[str, str]:
    return {learner: row["status"] for learner, row in table(out).items()}


def attempts(out: Path) -> int:
    with sqlite3.connect(out / "grades.sqlite") as database:
        return int(database.execute("SELECT COUNT(*) FROM attempts").fetchone()[0])


def summary_in(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.validate(document, json.loads((ROOT / "docs/grade.schema.json").read_text(encoding="utf-8")))
    return document


# ------------------------------------------------------------------------- a class


def test_every_submission_has_its_row_its_report_and_its_feedback(handed_in: Path, course: Path) -> None:
    out = handed_in.parent / "out"
    ended = grade(handed_in, course, "--json", out.parent / "summary.json")
    assert (ended.code, ended.err) == (0, "")
    last = ended.out.splitlines()[-1]
    assert last == "5 submissions graded: 1 passed, 1 failed, 3 invalid, 0 in error."
    assert (out / "grades.csv").read_text(encoding="utf-8").splitlines()[0] == HEADER
    assert statuses(out) == STATUSES
    for name, status in STATUSES.items():
        folder = out / "submissions" / name
        assert json.loads((folder / "report.json").read_text(encoding="utf-8"))["status"] == status
        assert {path.name for path in folder.iterdir()} == {"report.json", "feedback.txt", "feedback.md"}
    told = summary_in(out.parent / "summary.json")
    assert {line["learner"]: line["status"] for line in told["grades"]} == STATUSES
    assert (told["submissions"], told["graded"], told["known"], told["exit_code"]) == (5, 5, 0, 0)
    assert (told["passed"], told["failed"], told["invalid"], told["error"]) == (1, 1, 3, 0)


def test_what_is_graded_is_not_graded_again_and_what_is_new_is(handed_in: Path, course: Path) -> None:
    out = handed_in.parent / "out"
    grade(handed_in, course)
    assert attempts(out) == 5
    again = grade(handed_in, course)
    assert "0 submissions graded" in again.out
    assert "5 were already known" in again.out
    assert attempts(out) == 5
    put(handed_in / "partial" / "test_it.py", SUITES["complete"])
    put(handed_in / "late" / "test_it.py", SUITES["wrong"])
    ended = grade(handed_in, course)
    assert (
        "2 submissions graded: 1 passed, 0 failed, 1 invalid, 0 in error; 4 were already known." in ended.out
    )
    assert attempts(out) == 7
    assert statuses(out) == STATUSES | {"partial": "passed", "late": "invalid"}
    # Taken back to what was graded before: known, and the last one again.
    put(handed_in / "partial" / "test_it.py", SUITES["partial"])
    assert "0 submissions graded" in grade(handed_in, course).out
    assert statuses(out)["partial"] == "failed"


def test_a_regrade_keeps_the_old_record_and_shows_old_beside_new(
    handed_in: Path, tmp_path: Path, course: Path
) -> None:
    mended = shutil.copytree(course, tmp_path / "mended")
    fault = mended / "mutants/W1/s02-title-case.toml"
    grade(handed_in, course)
    # A fault that `partial` kills and `complete` does, becomes one that no one kills.
    fault.write_text(
        fault.read_text(encoding="utf-8").replace(".title()", ".upper().replace('Q', 'q')"), encoding="utf-8"
    )
    everything = grade(handed_in, mended, "--regrade", "--json", tmp_path / "summary.json")
    assert "complete: passed 2/2 -> failed 1/2" in everything.out
    assert "partial: failed 1/2 without s01 -> failed 0/2 without s01" in everything.out
    assert "broken: invalid, as before" in everything.out
    lines = {line["learner"]: line for line in summary_in(tmp_path / "summary.json")["grades"]}
    assert (lines["complete"]["previous"]["killed"], lines["complete"]["killed"]) == (2, 1)
    assert attempts(tmp_path / "out") == 10
    changed = grade(handed_in, course, "--regrade", "--only-changed")
    assert "complete: failed 1/2 -> passed 2/2" in changed.out
    assert "as before" not in changed.out
    assert attempts(tmp_path / "out") == 15


def test_a_regrade_that_a_full_disk_ends_shows_what_it_came_to(
    handed_in: Path, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grade(handed_in, course)
    add = Store.add
    room = 2

    def add_or_fail(store: Store, *new: Any) -> Attempt:
        nonlocal room
        room -= 1
        if room < 0:
            raise StoreError(store.out, "No space left on device")
        return add(store, *new)

    monkeypatch.setattr(Store, "add", add_or_fail)
    arguments = [
        "W1",
        handed_in,
        "--out",
        handed_in.parent / "out",
        "--course",
        course,
        "--jobs",
        1,
        "--seed",
        7,
    ]
    done = CliRunner().invoke(main, ["grade", *map(str, arguments), "--regrade"], prog_name="ol")
    assert isinstance(done.exception, StoreError)
    assert [line.partition(", ")[2] for line in done.stdout.splitlines()] == ["as before"] * 2


def test_an_invalid_submission_that_is_mended_by_leaving_something_out_is_graded(
    handed_in: Path, course: Path
) -> None:
    elsewhere = handed_in.parent / "helper.py"
    put(elsewhere, "")
    link = handed_in / "complete" / "helper.py"
    link.symlink_to(elsewhere)
    grade(handed_in, course)
    assert statuses(handed_in.parent / "out")["complete"] == "invalid"
    link.unlink()
    grade(handed_in, course)
    assert statuses(handed_in.parent / "out")["complete"] == "passed"


def test_the_table_goes_to_other_formats_too(handed_in: Path, course: Path) -> None:
    root = handed_in.parent
    put(handed_in / "=cmd|'x'!A1" / "test_it.py", SUITES["complete"])
    put(handed_in / "<script>`|@all" / "test_it.py", SUITES["complete"])
    ended = grade(
        handed_in, course, "--format", f"junit={root}/j.xml", "--format", f"markdown={root}/m.md", "--format", "csv"
    )  # fmt: skip
    assert ended.out == (root / "out/grades.csv").read_text(encoding="utf-8")
    assert "'=cmd" in ended.out
    assert ended.err.splitlines()[-1].startswith("7 submissions graded")
    suite = ET.parse(root / "j.xml").getroot()[0]  # noqa: S314 - a document of ours
    assert {case.get("name") for case in suite} == {*STATUSES, "=cmd|'x'!A1", "<script>`|@all"}
    assert len(suite.findall("testcase/failure")) == 4
    page = (root / "m.md").read_text(encoding="utf-8")
    assert "<script>" not in page
    assert len([line for line in page.splitlines() if line.startswith("| ")]) == 9


def test_json_alone_goes_to_standard_output(handed_in: Path, course: Path) -> None:
    ended = grade(handed_in, course, "--json", "-")
    assert json.loads(ended.out)["graded"] == 5


def test_the_published_schema_is_that_of_the_summary() -> None:
    assert json.loads((ROOT / "docs/grade.schema.json").read_text(encoding="utf-8")) == summary.schema()


# ------------------------------------------------------------------------- whatever is handed in


def test_nothing_that_is_handed_in_stops_the_others(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    kinds = ("complete", "misses-eps", "syntax-error", *HOSTILE)
    for name in kinds:
        shutil.copytree(SUBMISSIONS / name / "suite", folder / name)
    one = SUBMISSIONS / "complete" / "suite"
    with zipfile.ZipFile(folder / "packed.zip", "w") as archive:
        for path in one.rglob("*.py"):
            archive.write(path, path.relative_to(one))
    (folder / "nonsense.zip").write_bytes(b"PK\x03\x04 and then nothing")
    with tarfile.open(folder / "leads-out.tar", "w") as tar:
        leading = tarfile.TarInfo("../../evil.py")
        tar.addfile(leading, io.BytesIO())
    with zipfile.ZipFile(folder / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("test_big.py", b"#" * (100 << 20))
    (folder / "link").symlink_to("/etc")
    shutil.copytree(one, folder / "a name\nwith \x1b[31mlines\u202e")
    (folder / "empty").mkdir()
    ended = ol(tmp_path / "temp", "grade", "L7.1", folder, "--out", tmp_path / "out", "--seed", 7)
    assert ended.code == 0, ended.err
    found = statuses(tmp_path / "out")
    assert found["complete"] == found["packed.zip"] == "passed"
    assert found["misses-eps"] == "failed"
    assert found.pop("complete") == "passed"
    assert sum(status == "passed" for status in found.values()) == 2
    assert "error" not in found.values()
    assert len(found) == len(kinds) - 1 + 7
    assert "\x1b" not in ended.out + (tmp_path / "out/grades.csv").read_text(encoding="utf-8")
    assert list((tmp_path / "temp").iterdir()) == []


def test_the_learners_module_counts_only_where_it_is_asked_for(tmp_path: Path, course: Path) -> None:
    folder = tmp_path / "class"
    right = (course / "reference/words/shout.py").read_text(encoding="utf-8")
    wrong = right.replace("text.upper() + MARK", "text.upper()")
    for learner, module in {"right": right, "wrong": wrong}.items():
        put(folder / learner / "python/words/shout.py", module)
        put(folder / learner / "python/tests/w1/test_it.py", SUITES["complete"])
    put(folder / "bare" / "test_it.py", SUITES["complete"])
    loop = folder / "loop" / "python" / "words"
    put(loop / "shout.py", right)
    (loop / "again").symlink_to(loop)
    put(folder / "loop/python/tests/w1/test_it.py", SUITES["complete"])
    out = tmp_path / "out"
    grade(folder, course)
    assert set(statuses(out).values()) == {"passed"}
    grade(folder, course, "--with-course", "--ref-deps")
    assert statuses(out) == {"right": "passed", "wrong": "failed", "bare": "passed", "loop": "failed"}
    assert "holds links" in table(out)["loop"]["reason"]
    # The module is part of what was handed in: mended, it is graded again.
    put(folder / "wrong/python/words/shout.py", right)
    assert "1 submission graded" in grade(folder, course, "--with-course", "--ref-deps").out
    assert statuses(out)["wrong"] == "passed"


def test_a_module_in_an_encoding_of_its_own_stops_no_one(tmp_path: Path, course: Path) -> None:
    folder = tmp_path / "class"
    right = (course / "reference/words/shout.py").read_bytes()
    modules = {
        "right": right,
        "undefined": b"# -*- coding: undefined -*-\n" + right,
        "surrogate": b'# -*- coding: raw_unicode_escape -*-\nTEXT = "\\udcff"\n' + right,
        "link": right,
    }
    for learner, module in modules.items():
        put(folder / learner / "python/tests/w1/test_it.py", SUITES["complete"])
        (folder / learner / "python/words").mkdir()
        (folder / learner / "python/words/shout.py").write_bytes(module)
    (folder / "link/python/words" / os.fsdecode(b"h\xfc")).symlink_to("shout.py")
    ended = grade(folder, course, "--with-course", "--ref-deps")
    assert ended.code == 0, ended.err
    assert statuses(tmp_path / "out") == dict.fromkeys(modules, "failed") | {"right": "passed"}
    assert r"words/h\xfc" in table(tmp_path / "out")["link"]["reason"]


def test_a_change_of_the_course_uses_no_attempt_of_a_learners(tmp_path: Path) -> None:
    course, folder = lay_course(tmp_path / "course"), tmp_path / "class"
    put(
        folder / "ada/python/words/shout.py",
        (course / "reference/words/shout.py").read_text(encoding="utf-8"),
    )
    put(folder / "ada/python/tests/w1/test_it.py", SUITES["partial"])
    other = course / "reference/words/__init__.py"
    for _ in range(2):
        ended = grade(folder, course, "--with-course", "--ref-deps", "--attempts", 1)
        assert "1 submission graded" in ended.out
        report = json.loads((tmp_path / "out/submissions/ada/report.json").read_text(encoding="utf-8"))
        assert len(report["mutation"]["faults"]) == 2
        other.write_text(f"{other.read_text(encoding='utf-8')}# a comment\n", encoding="utf-8")
    assert attempts(tmp_path / "out") == 2


def test_a_course_and_private_faults_may_lie_in_folders_of_any_name(handed_in: Path, tmp_path: Path) -> None:
    course = lay_course(tmp_path / os.fsdecode(b"\xff course"))
    private = tmp_path / os.fsdecode(b"\xff private")
    fault = (course / "mutants/W1/s02-title-case.toml").read_text(encoding="utf-8")
    put(private / "x01-the-same.toml", fault.replace("required", "# required"))
    ended = grade(handed_in, course, "--extra-faults", private)
    assert ended.code == 0, ended.err
    assert "of 3 faults killed" in table(tmp_path / "out")["complete"]["reason"]


def test_a_class_is_graded_with_the_largest_seed(handed_in: Path, course: Path) -> None:
    ended = grade(handed_in, course, "--seed", MOST_SEED, "--json", handed_in.parent / "summary.json")
    assert ended.code == 0, ended.err
    assert summary_in(handed_in.parent / "summary.json")["seed"] == MOST_SEED
    again = grade(handed_in, course, "--seed", MOST_SEED)
    assert "5 were already known" in again.out


def test_private_faults_count_and_are_told_to_no_learner(
    handed_in: Path, course: Path, tmp_path: Path
) -> None:
    private = tmp_path / "private"
    put(private / "x01-secret-flaw.toml", textwrap.dedent("""\
        title     = "a secret flaw"
        symptom   = "secretly flawed"
        hint      = "look for the secret"
        caught_by = ["test_loud"]

        [[edit]]
        file    = "words/shout.py"
        find    = ".upper()"
        replace = ".swapcase()"

        [witness]
        call    = "return shout('HEY secret')"
        """))  # fmt: skip
    ended = grade(handed_in, course, "--extra-faults", private)
    out = tmp_path / "out"
    assert statuses(out)["complete"] != "invalid"
    assert "of 3 faults killed" in table(out)["complete"]["reason"]
    for path in [*out.rglob("*.csv"), *(out / "submissions").rglob("*.*")]:
        if path.is_file():
            assert not any(word in path.read_text(encoding="utf-8") for word in ("secret", "x01")), path
    assert "secret" not in ended.out + ended.err


def test_parts_of_a_class_are_together_the_class(handed_in: Path, course: Path) -> None:
    graded: list[str] = []
    for part in (1, 2):
        document = handed_in.parent / f"part{part}.json"
        grade(
            handed_in, course, "--shard", f"{part}/2", "--json", document, "--out", handed_in.parent / f"out{part}"
        )  # fmt: skip
        graded += [line["learner"] for line in summary_in(document)["grades"]]
    assert sorted(graded) == sorted(SUITES)


# ------------------------------------------------------------------------- refused


def test_what_cannot_be_done_is_refused_with_a_sentence(
    handed_in: Path, course: Path, tmp_path: Path
) -> None:
    def said(*arguments: object) -> str:
        ended = ol(tmp_path / "temp", "grade", *arguments, "--course", course)
        assert ended.code == 2, ended
        assert ended.out == ""
        assert "Traceback" not in ended.err
        return ended.err

    out = tmp_path / "out"
    nobody = tmp_path / "nobody"
    nobody.mkdir()
    assert "does not exist" in said("W1", tmp_path / "missing", "--out", out)
    assert "holds no submission" in said("W1", nobody, "--out", out)
    assert "lies in the folder of submissions" in said("W1", handed_in, "--out", handed_in)
    assert "lies in the folder of submissions" in said("W1", handed_in, "--out", handed_in / "grades")
    assert "There is no lesson" in said("W9", handed_in, "--out", out)
    assert "--shard" in said("W1", handed_in, "--out", out, "--shard", "3/2")
    assert "there is no format" in said("W1", handed_in, "--out", out, "--format", "gradescope")
    assert "Missing option '--out'" in said("W1", handed_in)
    assert not out.exists()


def test_a_lesson_that_is_not_the_pinned_one_is_refused(handed_in: Path, course: Path) -> None:
    ended = grade(handed_in, course, "--lesson-sha256", "0" * 64)
    assert ended.code == 4
    assert "[pinned-lesson]" in ended.err
