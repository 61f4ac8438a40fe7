"""`ol mutants witness`: tells, writes, and leaves everything as it was when it is interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.author.draft import Draft
from grader.author.fault_file import new_text
from grader.author.witness.saving import with_witness, witness_table
from grader.errors import ExitCode
from grader.lesson.model import Edit

if TYPE_CHECKING:
    from tests.author.conftest import Course

ROOT = Path(__file__).resolve().parents[2]
FEW = ("--inputs", "60")


def test_the_screen_has_the_input_both_results_and_what_to_paste(diary: Course) -> None:
    done = diary.ol("mutants", "witness", "d01", *FEW)
    assert done.returncode == ExitCode.PASSED, done.stderr
    assert "D1/d01 the day overflows\n\n    return add_months(" in done.stdout
    assert "On this input the reference gives '20" in done.stdout
    assert ",\nthis faulty version gives '20" in done.stdout
    pasted = done.stdout.partition("[witness]")[2]
    if not pasted:
        assert "It is the witness that the fault has." in done.stdout
    else:
        assert (
            tomllib.loads(f"[witness]{pasted}")["witness"]["call"].strip()
            in done.stdout.partition("On this")[0]
        )


def test_json_tells_the_witness_and_the_effort(diary: Course) -> None:
    told = diary.json("mutants", "witness", "D1/d02", *FEW, "--seed", "3")
    assert told["fault"] == "D1/d02"
    assert told["witness"].startswith("return add_months(")
    assert told["reference"].startswith("gives '")
    assert told["faulty"].startswith("gives '")
    assert told["probably_equivalent"] is False
    assert told["only_in_one_dtype"] is None
    assert told["seed"] == 3
    assert told["budget"] == 60
    assert 1 <= told["first_difference"] <= told["inputs"]
    assert told["inputs_with_a_value"] <= told["inputs"]


def test_write_puts_the_witness_into_the_file_and_keeps_everything_else(diary: Course) -> None:
    file = diary.root / "mutants/D1/d02-the-year-stays.toml"
    before = "# mine\n" + file.read_text(encoding="utf-8").replace('"2023-12-01", 1', '"2023-11-01", 1  # no')
    file.write_text(before, encoding="utf-8")
    done = diary.ol("mutants", "witness", "d02", *FEW, "--write")
    assert done.returncode == ExitCode.PASSED, done.stderr
    after = file.read_text(encoding="utf-8")
    assert after.partition("[witness]")[0] == before.partition("[witness]")[0]
    assert tomllib.loads(after)["witness"]["call"].startswith("return add_months(")
    assert "# no" not in after
    assert diary.ol("mutants", "list").returncode == ExitCode.PASSED


def test_a_fault_without_a_witness_gets_one(diary: Course) -> None:
    file = diary.root / "mutants/D1/d04-no-leading-zeros.toml"
    text = file.read_text(encoding="utf-8").partition("[witness]")[0]
    asking = new_text(Draft(edits=(Edit(file="f.py", find="x", replace="y"),)), "D1/d04").partition(
        "# [witness]"
    )
    file.write_text("".join([text, *asking[1:]]), encoding="utf-8")
    assert diary.ol("mutants", "witness", "d04", *FEW, "--write").returncode == ExitCode.PASSED
    after = file.read_text(encoding="utf-8")
    assert after.startswith(text)
    assert "# return" not in after
    assert diary.ol("mutants", "list").returncode == ExitCode.PASSED


def test_a_fault_that_is_none_is_probably_equivalent_and_its_file_stays_as_it_is(diary: Course) -> None:
    file = diary.root / "mutants/D1/d01-the-day-overflows.toml"
    text = file.read_text(encoding="utf-8").replace(
        "replace = '''number'''", "replace = '''min(days_in(year, month + 1), number)'''"
    )
    file.write_text(text, encoding="utf-8")
    done = diary.ol("mutants", "witness", "d01", *FEW, "--write", "--json", "told.json")
    assert done.returncode == ExitCode.FAILED
    told = json.loads((diary.root.parent / "told.json").read_text(encoding="utf-8"))
    assert told["witness"] is None
    assert told["probably_equivalent"] is True
    assert f"No difference found in {told['inputs']} inputs" in " ".join(done.stdout.split())
    assert "probably equivalent" in " ".join(done.stdout.split())
    assert file.read_text(encoding="utf-8") == text


def test_a_mistake_in_the_file_of_inputs_is_the_authors(diary: Course) -> None:
    (diary.root / "reference/inputs").mkdir()
    (diary.root / "reference/inputs/D1.toml").write_text('calls = ["return $x"]\n', encoding="utf-8")
    done = diary.ol("mutants", "witness", "d01")
    assert done.returncode == ExitCode.COURSE
    assert "reference/inputs/D1.toml" in done.stderr
    assert "calls[0]" in done.stderr
    assert diary.ol("mutants", "list").returncode == ExitCode.PASSED  # it takes part in no grade


@pytest.mark.parametrize("words", [("d99",), ("D1/d01", "--inputs", "0"), ()])
def test_a_mistake_in_the_command_line_is_one(words: tuple[str, ...], diary: Course) -> None:
    assert diary.ol("mutants", "witness", *words).returncode == ExitCode.USAGE


def test_an_interrupt_ends_it_at_once_and_leaves_nothing(diary: Course) -> None:
    file = diary.root / "mutants/D1/d01-the-day-overflows.toml"
    before = file.read_text(encoding="utf-8")
    loops = before.replace("replace = '''number'''", "replace = '''sum(iter(int, 1))'''")  # in C, for ever
    file.write_text(loops, encoding="utf-8")
    command = [sys.executable, "-m", "grader", "mutants", "witness", "d01", "--write"]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "OL_COURSE": str(diary.root)}
    environment["TMPDIR"] = str(diary.scratch)
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        bench = until_a_grandchild_is_there(process.pid)
        process.send_signal(signal.SIGINT)
        _out, errors = process.communicate(timeout=60)
    assert process.returncode == ExitCode.INTERRUPTED
    assert "interrupted" in errors
    assert file.read_text(encoding="utf-8") == loops
    assert not is_there(bench)
    assert list(diary.scratch.iterdir()) == []


def until_a_grandchild_is_there(pid: int) -> int:
    while True:
        for child in children(pid):
            for grandchild in children(child):
                return grandchild


def children(pid: int) -> list[int]:
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()]
    except OSError:
        return []


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    "call", ["return 1", "x = '''a'''\nreturn x", "return 'ä\\n'", 'return "it\'s"', "return 'a\tb'"]
)
def test_the_table_to_paste_holds_the_witness_itself(call: str) -> None:
    assert tomllib.loads(witness_table(call))["witness"]["call"] == f"{call}\n"


@pytest.mark.parametrize(
    "text",
    [
        'title = "a"  # b\n',
        'title = "a"\n[witness]  # c\ncall = "return 0"\n',
        'title = "a"\n\n[[edit]]\nfile = "f"\n',
        'title = "a"\n# [witness]\n#call = "return 0"\n',
    ],
)
def test_a_witness_fits_into_a_file_in_any_state(text: str) -> None:
    after = with_witness(text, "x = 1\nreturn x")
    wanted: dict[str, Any] = {"witness": {"call": "x = 1\nreturn x\n"}}
    assert tomllib.loads(after) == tomllib.loads(text) | wanted
    assert ("# b" in after, "# c" in after) == ("# b" in text, "# c" in text)
    assert with_witness(after, "x = 1\nreturn x") == after


def test_a_witness_takes_the_place_of_what_asked_for_it_and_of_no_comment_below() -> None:
    draft = Draft(title="a title", edits=(Edit(file="f.py", find="x", replace="y"),))
    text = f"{new_text(draft, 'L/s01')}# about all of this\n#\n# and more\n"
    after = with_witness(text, "return 1")
    assert tomllib.loads(after)["witness"] == {"call": "return 1\n"}
    assert "# [witness]" not in after
    assert after.endswith("\n# about all of this\n#\n# and more\n")


def test_what_was_found_is_told_though_it_cannot_be_written(diary: Course) -> None:
    path = diary.root / "mutants/D1/d01-the-day-overflows.toml"
    # So long a name that none can stand beside it.
    path = path.rename(path.with_name(f"d01-{'a' * 246}.toml"))
    before = path.read_bytes()
    done = diary.ol("mutants", "witness", "d01", *FEW, "--write")
    assert done.returncode == ExitCode.USAGE
    assert "cannot be written: File name too long" in done.stderr
    assert "On this input the reference gives '20" in done.stdout
    assert "Written to" not in done.stdout
    assert path.read_bytes() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_course_that_cannot_be_written_is_refused_before_the_search(diary: Course) -> None:
    (diary.root / "mutants/D1").chmod(0o555)
    done = diary.ol("mutants", "witness", "d01", *FEW, "--write")
    assert done.returncode == ExitCode.USAGE
    assert done.stdout == ""
