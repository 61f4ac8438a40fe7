"""`ol mutants new`: from an edit of the reference, in a real editor process, to a fault's file."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.author.conftest import Course

    Editor = Callable[..., str]

ROOT = Path(__file__).resolve().parents[2]
GAIN = "gain = self.offset + self.weight"
WRONG = "gain = self.offset * self.weight"
SAID = ("--title", "offset times gain", "--symptom", "zeros", "--hint", "look at the gain")


@pytest.fixture
def edited(course: Course, tmp_path: Path) -> Path:
    """A copy of the reference with a mistake in it."""
    path = tmp_path / "edited.py"
    path.write_text(course.module.read_text(encoding="utf-8").replace(GAIN, WRONG), encoding="utf-8")
    return path


def before_and_after(course: Course) -> set[str]:
    return {path.name for path in course.faults.iterdir()}


def test_a_fault_is_made_in_the_editor(course: Course, editor: Editor) -> None:
    done = course.ol("mutants", "new", "L7.1", *SAID, EDITOR=editor(GAIN, WRONG))
    assert done.returncode == 0, done.stderr
    data = course.read("s10")
    assert data == {
        "title": "offset times gain",
        "required": False,
        "symptom": "zeros",
        "hint": "look at the gain",
        "edit": [{"file": "tinyllm/modern/norm.py", "find": GAIN, "replace": WRONG}],
    }
    assert course.file("s10").name == "s10-offset-times-gain.toml"
    assert "Still to be written: caught_by, witness\n" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "ol mutants verify L7.1/s10" in done.stdout
    assert course.kept() == []


def test_what_is_not_said_is_asked(course: Course, editor: Editor) -> None:
    answers = "L7.1\n\na title\nit hurts\nlook there\nnought\n1\n5\n"
    done = course.ol("mutants", "new", answers=answers, EDITOR=editor(GAIN, WRONG))
    assert done.returncode == 0, done.stderr
    data = course.read("s10")
    assert (data["title"], data["symptom"], data["hint"]) == ("a title", "it hurts", "look there")
    assert (data["pitfall"], data["required"]) == (5, True)
    assert "the number 1 is taken by L7.1/s01" in done.stdout


def test_what_is_not_answered_either_is_left_as_a_comment(course: Course, editor: Editor) -> None:
    done = course.ol("mutants", "new", "L7.1", "--title", "a", answers="", EDITOR=editor(GAIN, WRONG))
    assert done.returncode == 0, done.stderr
    assert "# hint    =" in course.file("s10").read_text(encoding="utf-8")


def test_with_an_edited_file_nothing_is_asked_and_no_editor_is_opened(course: Course, edited: Path) -> None:
    made = course.json("mutants", "new", "L7.1", *SAID, "--edited", edited, EDITOR="false")
    assert made["edits"] == [{"file": "tinyllm/modern/norm.py", "line": 45, "find": GAIN, "replace": WRONG}]
    assert (made["lesson"], made["id"], made["missing"]) == ("L7.1", "s10", ["caught_by", "witness"])
    assert course.read("s10")["hint"] == "look at the gain"
    assert edited.exists()


def test_the_file_that_is_made_holds_all_that_was_given(course: Course, edited: Path) -> None:
    words = ["--id", "x1", "--pitfall", "7", "--caught-by", "test_hand_example,test_validation"]
    done = course.ol("mutants", "new", "--lesson", "L7.1", *SAID, *words, "--edited", edited)
    assert done.returncode == 0, done.stderr
    data = course.read("x1")
    assert (data["pitfall"], data["required"]) == (7, True)
    assert data["caught_by"] == ["test_hand_example", "test_validation"]


def test_the_course_tests_that_kill_it_are_found_by_running_them(course: Course, editor: Editor) -> None:
    done = course.ol("mutants", "new", "L7.1", *SAID, "--run", EDITOR=editor(GAIN, "gain = self.weight"))
    assert done.returncode == 0, done.stderr
    assert course.read("s10")["caught_by"] == ["test_golden_hf_gemma_offset"]


def test_a_fault_that_no_course_test_catches_is_written_and_said_to_be_so(
    course: Course, editor: Editor
) -> None:
    change = editor("class RMSNorm(Module):", "class Unseen:\n    pass\n\n\nclass RMSNorm(Module):")
    done = course.ol("mutants", "new", "L7.1", *SAID, "--run", EDITOR=change)
    assert done.returncode == 0, done.stderr
    assert "No course test catches it" in done.stdout
    assert "caught_by" not in course.read("s10")


def test_finished_by_hand_it_is_a_fault_of_the_lesson(course: Course, editor: Editor) -> None:
    course.ol("mutants", "new", "L7.1", *SAID, "--run", EDITOR=editor(GAIN, WRONG))
    text = course.file("s10").read_text(encoding="utf-8")
    finished = text.replace("\n# ", "\n").replace(
        "return …", "return RMSNorm(2)(Tensor(np.array([3, 4], dtype))).data"
    )
    course.file("s10").write_text(finished, encoding="utf-8")
    assert course.ol("mutants", "list", "L7.1").returncode == 0


def test_another_file_of_the_reference_can_be_edited(course: Course, editor: Editor) -> None:
    file = "tinyllm/autograd/functional.py"
    source = (course.root / "reference" / file).read_text(encoding="utf-8")
    line = next(line for line in source.splitlines() if line.startswith("def ") and source.count(line) == 1)
    words = ["--file", f"reference/{file}", *SAID]
    done = course.ol("mutants", "new", "L7.1", *words, EDITOR=editor(line, f"{line}\n    assert True"))
    assert done.returncode == 0, done.stderr
    assert [edit["file"] for edit in course.read("s10")["edit"]] == [file]


# editors ----------------------------------------------------------------------------------------------------------


def test_visual_comes_before_editor(course: Course, editor: Editor) -> None:
    done = course.ol("mutants", "new", "L7.1", *SAID, VISUAL=editor(GAIN, WRONG), EDITOR="false")
    assert done.returncode == 0, done.stderr


def test_the_editor_sees_a_file_with_the_modules_name(course: Course, editor: Editor) -> None:
    see = f"assert path.name == 'norm.py'\npath.write_text(path.read_text().replace({GAIN!r}, {WRONG!r}))"
    assert course.ol("mutants", "new", "L7.1", *SAID, EDITOR=editor(code=see)).returncode == 0


@pytest.mark.parametrize("name", ["no-such-editor-anywhere", "'unclosed", "false"])
def test_an_editor_that_fails_is_named_and_nothing_is_written(course: Course, name: str) -> None:
    there = before_and_after(course)
    done = course.ol("mutants", "new", "L7.1", *SAID, EDITOR=name)
    assert done.returncode == 2
    assert f"The editor `{name}`" in done.stderr.replace("`\"'\"'", "`'")
    assert "[editor]" in done.stderr
    assert before_and_after(course) == there
    assert course.kept() == []


def test_without_an_editor_and_without_a_terminal_one_has_to_be_named(course: Course) -> None:
    done = course.ol("mutants", "new", "L7.1", *SAID)
    assert done.returncode == 2
    assert "`$EDITOR` is not set" in done.stderr


def test_without_the_library_for_toml_the_extra_is_named(course: Course, tmp_path: Path) -> None:
    (tmp_path / "without").mkdir()
    (tmp_path / "without/tomlkit.py").write_text("raise ImportError('not installed')\n")
    path = os.pathsep.join([str(tmp_path / "without"), str(ROOT)])
    for command in (["new", "L7.1"], ["edit", "s01"]):
        done = course.ol("mutants", *command, PYTHONPATH=path, EDITOR="false")
        assert done.returncode == 70
        assert "pip install 'ol-grader[author]'" in done.stderr
    assert course.ol("mutants", "list", "L7.1", PYTHONPATH=path).returncode == 0


def test_an_editor_that_fails_after_a_change_leaves_the_copy(course: Course, editor: Editor) -> None:
    change = f"path.write_text(path.read_text().replace({GAIN!r}, {WRONG!r}))\nsys.exit(3)"
    done = course.ol("mutants", "new", "L7.1", *SAID, EDITOR=editor(code=change))
    assert done.returncode == 2
    assert "ended with code 3" in done.stderr
    [kept] = course.kept()
    assert f"--edited {kept}" in done.stderr
    assert course.ol("mutants", "new", "L7.1", *SAID, "--edited", kept).returncode == 0
    assert course.read("s10")["edit"][0]["replace"] == WRONG


def test_ctrl_c_in_the_editor_is_the_editors(course: Course, editor: Editor) -> None:
    change = (
        "import os, signal\nos.kill(os.getppid(), signal.SIGINT)\n"
        f"path.write_text(path.read_text().replace({GAIN!r}, {WRONG!r}))"
    )
    assert course.ol("mutants", "new", "L7.1", *SAID, EDITOR=editor(code=change)).returncode == 0


def test_an_end_from_outside_while_the_editor_is_open_leaves_the_copy(course: Course, editor: Editor) -> None:
    change = (
        f"path.write_text(path.read_text().replace({GAIN!r}, {WRONG!r}))\n"
        "import os, signal, time\nos.kill(os.getppid(), signal.SIGTERM)\ntime.sleep(60)"
    )
    there = before_and_after(course)
    done = course.ol("mutants", "new", "L7.1", *SAID, EDITOR=editor(code=change))
    assert done.returncode == 130
    assert str(course.kept()[0]) in done.stderr
    assert before_and_after(course) == there


def test_ctrl_c_at_a_question_leaves_the_copy_and_nothing_half_written(
    course: Course, editor: Editor
) -> None:
    there = before_and_after(course)
    environment = os.environ | {
        "OL_COURSE": str(course.root),
        "EDITOR": editor(GAIN, WRONG),
        "TMPDIR": str(course.scratch),
    }
    with subprocess.Popen(
        [sys.executable, "-m", "grader", "mutants", "new", "L7.1", "--id", "s10", "--title", "a"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        end = threading.Timer(60, process.kill)
        end.start()
        said = b""
        while b"Symptom" not in said:
            said += process.stdout.read(1) or pytest.fail(process.stderr.read().decode())
        while (
            process.poll() is None
        ):  # a signal just before the process waits for its input would not wake it
            process.send_signal(signal.SIGINT)
            time.sleep(0.05)
        assert process.returncode == 130
        end.cancel()
        assert str(course.kept()[0]).encode() in process.stderr.read()
    assert before_and_after(course) == there


# edits that make no fault -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("pass", "is the reference, unchanged"),
        ("path.write_bytes(path.read_bytes().rstrip())", "is the reference, unchanged"),
        ("path.write_bytes(path.read_bytes().replace(b'\\n', b'\\r\\n'))", "is the reference, unchanged"),
        ("path.write_bytes(b'\\xef\\xbb\\xbf' + path.read_bytes())", "is the reference, unchanged"),
        ("path.write_text(path.read_text() + '# a comment\\n')", "differs from the reference only in comments"),
        ("path.write_text(path.read_text().replace('\\n', '  \\n', 3))", "differs from the reference only in"),
        ("path.write_text('def broken(:\\n')", "has a syntax error: line 1:"),
        ("path.write_text('if 1:\\n\\tx = 1\\n        y = 2\\n')", "has a syntax error: line 3: inconsistent use of tabs"),
        ("path.write_bytes(b'x = 1\\n\\xff\\n')", "is not UTF-8 at byte 6"),
    ],
)  # fmt: skip
def test_an_edit_that_makes_no_fault_is_refused(
    course: Course, editor: Editor, code: str, problem: str
) -> None:
    there = before_and_after(course)
    done = course.ol("mutants", "new", "L7.1", *SAID, EDITOR=editor(code=code))
    assert done.returncode == 4
    assert problem in done.stderr
    assert "[fault-edit]" in done.stderr
    assert before_and_after(course) == there
    assert bool(course.kept()) == (code != "pass")


def test_line_ends_of_another_system_are_no_part_of_the_fault(course: Course, editor: Editor) -> None:
    change = f"path.write_bytes(path.read_bytes().replace({GAIN.encode()!r}, {WRONG.encode()!r}).replace(b'\\n', b'\\r\\n'))"
    assert course.ol("mutants", "new", "L7.1", *SAID, EDITOR=editor(code=change)).returncode == 0
    assert course.read("s10")["edit"] == [{"file": "tinyllm/modern/norm.py", "find": GAIN, "replace": WRONG}]


def test_an_edit_of_comments_beside_the_fault_is_pointed_out(course: Course, editor: Editor) -> None:
    pairs = GAIN, WRONG, "# NaN fails too", "# NaN fails as well"
    done = course.ol("mutants", "new", "L7.1", *SAID, EDITOR=editor(*pairs))
    assert done.returncode == 0
    assert done.stdout.count("only comments or blanks: is it meant?") == 1
    assert len(course.read("s10")["edit"]) == 2


# mistakes in the command line -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["L9.9"], "no lesson 'L9.9'"),
        ([], "name the lesson, one of"),
        (["L7.1", "--id", "s01"], "L7.1/s01 is taken; the next free id is s10"),
        (["L7.1", "--id", "s-1"], "is no id"),
        (["L7.1", "--id", "lesson", "--title", "偏差"], "'lesson' is no id"),
        (["L7.1", "--pitfall", "1"], "the number 1 is taken by L7.1/s01"),
        (["L7.1", "--pitfall", "0"], "0 is not in the range"),
        (["L7.1", "--caught-by", "test_nowhere"], "test_nowhere: no test of the course; there are test_"),
        (["L7.1", "--file", "tinyllm/nowhere.py"], "tinyllm/nowhere.py is no file of the reference"),
        (["L7.1", "--run", "--caught-by", "test_hand_example"], "give one of them"),
        (["L7.1", "--edited", "nowhere.py"], "nowhere.py does not exist"),
    ],
)
def test_a_mistake_in_the_command_line_is_found_before_the_editor_opens(
    course: Course, words: list[str], problem: str
) -> None:
    done = course.ol("mutants", "new", *SAID, *words, EDITOR="false")
    assert done.returncode == 2
    assert problem in " ".join(done.stderr.split())


def test_a_course_without_lessons_has_none_to_name(course: Course) -> None:
    for folder in course.faults.parent.iterdir():
        shutil.rmtree(folder)
    done = course.ol("mutants", "new", *SAID, EDITOR="false")
    assert done.returncode == 4
    assert "holds no lesson: `ol lesson new` lays one down" in done.stderr


def test_a_fault_needs_a_title(course: Course, edited: Path) -> None:
    done = course.ol("mutants", "new", "L7.1", "--edited", edited)
    assert done.returncode == 2
    assert "--title TEXT" in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_course_that_cannot_be_written_is_refused_before_the_editor_opens(course: Course) -> None:
    course.faults.chmod(0o555)
    try:
        done = course.ol("mutants", "new", "L7.1", *SAID, EDITOR="false")
    finally:
        course.faults.chmod(0o755)
    assert done.returncode == 2
    assert "Work on a copy" in done.stderr
