"""One warm server grades one submission after the other: nothing piles up, and nothing of one reaches the next."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.course_part import Program
from grader.errors import HarnessError
from grader.lesson import load_lesson
from grader.suite_grader import Settings, SuiteGrader
from grader.workers.pool import Suite
from grader.workers.wire import Link, Module, Reading, SuiteFile
from tests.classroom.school import SEED, STATUSES, SUITES, lay_course, submission
from tests.processes import family, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.lesson import Lesson

ROUNDS = 8  # of all kinds of suites

# Leaves whatever can be left: files, variables of the process, attributes of modules. It may, without the policy.
LEAVES = """
import builtins, os, pathlib, sys, tempfile
import pytest
import words.quiet
from words.shout import shout

PLACES = [pathlib.Path.cwd(), pathlib.Path(tempfile.gettempdir()), pathlib.Path(__file__).parent]

def leave(tmp_path):
    for place in [*PLACES, tmp_path, tmp_path.parent.parent, tmp_path.parent.parent.parent]:
        try:
            (place / "left-behind").write_text("here")
        except OSError:
            pass
    builtins.left_behind = words.quiet.left_behind = pytest.left_behind = sys.left_behind = True
    sys.modules["left_behind"] = words.quiet
    os.environ["LEFT_BEHIND"] = "here"
"""
LOOKS = """
def look(tmp_path):
    assert not any(hasattr(module, "left_behind") for module in (builtins, words.quiet, pytest, sys))
    assert "left_behind" not in sys.modules
    assert "LEFT_BEHIND" not in os.environ
    homes = {place for start in [*PLACES, tmp_path] for place in [start, *start.parents][:4]}
    found = [path for home in homes if len(home.parts) > 2 for path in home.glob("**/left-behind")]
    assert not found
"""
HONEST = "def test_mark(): assert shout('a')[-1] == '!'\n"
LEAVING = f"{LEAVES}\ndef test_leave(tmp_path): leave(tmp_path)\n{HONEST}"
LOOKING = f"{LEAVES}{LOOKS}\ndef test_look(tmp_path): look(tmp_path)\n{HONEST}"
BOTH = f"{LEAVES}{LOOKS}\ndef test_both(tmp_path): leave(tmp_path); look(tmp_path)\n{HONEST}"


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> Lesson:
    return load_lesson(lay_course(tmp_path_factory.mktemp("course")), "W1")


@pytest.fixture
def grader(lesson: Lesson) -> Iterator[SuiteGrader]:
    with SuiteGrader(lesson, Settings(witnesses=True)) as grader:
        yield grader


def held(grader: SuiteGrader) -> dict[str, int]:
    """What a grader holds: descriptors, processes that are not dead, temporary files."""
    server = grader.server.pid
    return {
        "descriptors": len(list(Path("/proc/self/fd").iterdir())),
        "descriptors of the server": len(list(Path(f"/proc/{server}/fd").iterdir())),
        "processes": len([pid for pid in family(server) if state(pid) not in "ZX"]),
        "temporary files": len(list(Path(grader.server.temp).rglob("*"))),
    }


def state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def dead(grader: SuiteGrader) -> int:
    """Processes that have ended and that the server has not taken note of."""
    return sum(state(pid) == "Z" for pid in family(grader.server.pid))


def test_forty_submissions_leave_as_much_behind_as_one(grader: SuiteGrader) -> None:
    program = Program(
        (Module("words", "", is_package=True), Module("words.shout", "def shout(t): return t\n"))
    )
    grader.grade(submission(SUITES["partial"]), SEED, program)
    wait_until(lambda: held(grader)["processes"] == 0, "a process is left")
    after_one = held(grader)
    for number in range(ROUNDS):
        for kind, text in SUITES.items():
            report = grader.grade(submission(text, number), SEED, None if number else program)
            assert report.status in {STATUSES[kind], "failed"}, (kind, report.reason)
    wait_until(lambda: held(grader)["processes"] == 0, "a process is left")
    assert held(grader) == after_one
    assert dead(grader) <= 2  # of the last submission; the next one makes the server look


def test_a_submission_that_is_open_is_seen_by_the_count(grader: SuiteGrader) -> None:
    grader.grade(submission(SUITES["complete"]), SEED)
    wait_until(lambda: held(grader)["processes"] == 0, "a process is left")
    before = held(grader)
    with grader.open(submission(SUITES["complete"])):
        during = held(grader)
    assert during["descriptors"] > before["descriptors"]
    assert during["processes"] > before["processes"]
    assert during["temporary files"] > before["temporary files"]


def test_nothing_that_a_suite_leaves_is_found_by_the_next(lesson: Lesson) -> None:
    with SuiteGrader(lesson, Settings(policy=False)) as grader:
        statuses = [grader.grade(submission(text), SEED).status for text in (LEAVING, LOOKING)]
        own = grader.grade(submission(BOTH), SEED)
    assert statuses == ["failed", "failed"]  # valid, and so graded: `test_look` found nothing
    assert own.status == "invalid"  # `look` does find what is there
    assert own.validity is not None
    assert own.validity.problems[0].test == "test_it.py::test_both"


def test_a_suite_is_not_to_blame_when_the_server_is_killed_while_it_is_read(
    grader: SuiteGrader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host that reads it ends with its server, as it would by a file that breaks Python's parser."""
    long = SuiteFile("test_it.py", b"x = [1, (2, 3), {4: 5}]\n" * 10_000)
    receive = Link.receive_any

    def kill_the_server_while_a_file_is_read(link: Link) -> tuple[Any, list[int]]:
        record, descriptors = receive(link)
        if isinstance(record, Reading) and record.file:
            os.kill(grader.server.pid, signal.SIGKILL)
        return record, descriptors

    with grader.server.open(Suite("suite", [long]), 1) as host:
        monkeypatch.setattr(Link, "receive_any", kill_the_server_while_a_file_is_read)
        with pytest.raises(HarnessError, match="reads the suite is gone"):
            _ = host.prepared


def test_a_grade_is_the_same_whatever_was_graded_before(grader: SuiteGrader) -> None:
    def grade(kind: str) -> tuple[object, ...]:
        report = grader.grade(submission(SUITES[kind]), SEED)
        faults = report.mutation.faults if report.mutation else ()
        return (report.status, report.reason, [(each.id, each.status, each.witness) for each in faults])

    first = {kind: grade(kind) for kind in SUITES}
    again = {kind: grade(kind) for kind in reversed(SUITES)}
    assert first == again
    assert {kind: found[0] for kind, found in first.items()} == STATUSES
