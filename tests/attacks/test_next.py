"""After the worst of suites, on the same warm server, the next one is graded as if nothing had happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from grader.grading import Grading, Options, SuiteGrade
from grader.lesson import load_lesson
from grader.programs import library_of
from grader.repertoire import Repertoire
from grader.submission import read_submission
from grader.workers.pool import Server, Suite
from tests.attacks.machine import COURSE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.lesson import Lesson

SUBMISSIONS = COURSE / "fixtures" / "L7.1" / "submissions"
# One of each kind of harm: to memory, processes, parents, channels, modules, and to what later runs would find.
WORST = [
    "attack-takes-all-memory",
    "attack-forks-without-end",
    "attack-kills-its-parent",
    "attack-closes-its-descriptors",
    "attack-shadows-by-sys-modules",
    "attack-marks-kernel-objects",
    "attack-sleeps-through-time-outs",
    "attack-recurses-in-c",
    "attack-nests-its-source",
]


OPTIONS = Options(seed=3, timeout=3.0, jobs=2)


class Grader:
    """A warm server that grades one submission after the other, without the static policy."""

    def __init__(self, server: Server, lesson: Lesson) -> None:
        self._server = server
        self._lesson = lesson
        self._repertoire = Repertoire(lesson)
        server.load(library_of(lesson))

    def grade(self, name: str) -> SuiteGrade | None:
        """The grade; None where the suite is no Python."""
        submission = read_submission(SUBMISSIONS / name / "suite")
        host = self._server.open(Suite(submission.root_name, submission.files), OPTIONS.jobs)
        try:
            if host.prepared.findings:
                return None
            return Grading(self._lesson, host, self._repertoire, OPTIONS).grade()
        finally:
            host.close()

    def kills(self, name: str) -> list[tuple[str, str, tuple[str, ...]]]:
        """Fault, verdict and killers; empty where the suite is not sound."""
        grade = self.grade(name)
        return (
            [(each.fault.id, each.verdict.status, each.verdict.killed_by) for each in grade.faults]
            if grade
            else []
        )


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return load_lesson(COURSE, "L7.1")


@pytest.fixture(scope="module")
def grader(lesson: Lesson) -> Iterator[Grader]:
    with Server() as server:
        yield Grader(server, lesson)


@pytest.fixture(scope="module")
def usual(lesson: Lesson) -> list[tuple[str, str, tuple[str, ...]]]:
    """What the model suite kills on a server that has graded nothing before."""
    with Server() as fresh:
        return Grader(fresh, lesson).kills("complete")


@pytest.mark.parametrize("attack", WORST)
def test_the_next_submission_is_graded_as_usual(grader: Grader, attack: str, usual: object) -> None:
    killed = {fault for fault, status, _tests in grader.kills(attack) if status == "killed"}
    assert killed <= {"s02", "s07"}
    assert grader.kills("complete") == usual


def test_usual_is_that_everything_is_killed(usual: list[tuple[str, str, tuple[str, ...]]]) -> None:
    assert [status for _fault, status, _tests in usual] == ["killed"] * 9
