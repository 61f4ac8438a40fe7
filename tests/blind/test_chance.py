"""Chance earns nothing: 300 gradings of a suite with one test that fails one time in five."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from grader.grading import Grading, Options, SuiteGrade
from grader.lesson import load_lesson
from grader.plan import CORRECT_RUNS_WITH_RANDOMNESS
from grader.programs import library_of
from grader.repertoire import Repertoire
from grader.validity import ProblemKind
from grader.verdict import Status
from grader.workers.pool import Server, Suite
from grader.workers.wire import Rules, SuiteFile

if TYPE_CHECKING:
    from grader.lesson import Lesson

COURSE = Path(__file__).resolve().parents[2]
GRADINGS = 300
FAILS = 0.2
HONEST = b"""
import numpy as np
from tinyllm.autograd.tensor import Tensor
from tinyllm.modern.norm import RMSNorm

def test_hand_example():
    y = RMSNorm(4, eps=0.0)(Tensor(np.array([3.0, 4.0, 0.0, 0.0])))
    np.testing.assert_allclose(y.data, [1.2, 1.6, 0.0, 0.0], rtol=1e-5)
"""
BY_CHANCE = b"""
import random

def test_by_chance():
    assert random.random() > 0.2
"""


def graded(
    server: Server, lesson: Lesson, repertoire: Repertoire, seed: int, *files: SuiteFile
) -> SuiteGrade:
    """One grading on a server that many gradings share."""
    host = server.open(
        Suite("suite", files, Rules(list(lesson.imports), hypothesis_installed=False)), slots=1
    )
    try:
        return Grading(lesson, host, repertoire, Options(seed=seed)).grade()
    finally:
        host.close()


def killed(grade: SuiteGrade) -> set[str]:
    return {result.fault.id for result in grade.faults if result.verdict.status is Status.KILLED}


def test_no_fault_is_credited_to_chance_and_the_test_is_named() -> None:
    lesson = load_lesson(COURSE, "L7.1")
    honest, chance = SuiteFile("test_honest.py", HONEST), SuiteFile("test_chance.py", BY_CHANCE)
    with Server() as server:
        server.load(library_of(lesson))
        repertoire = Repertoire(lesson, shared=True)
        earned = killed(graded(server, lesson, repertoire, 0, honest))
        with ThreadPoolExecutor(2) as pool:
            grades = list(
                pool.map(
                    lambda seed: graded(server, lesson, repertoire, seed, honest, chance), range(GRADINGS)
                )
            )

    assert earned  # the honest test kills something, so that the comparison below can fail
    valid = [grade for grade in grades if not grade.problems]
    assert all(killed(grade) == earned for grade in valid)
    named = Counter((problem.kind, problem.test) for grade in grades for problem in grade.problems)
    assert set(named) == {(ProblemKind.FLAKY, "test_chance.py::test_by_chance")}
    expected = 1 - (1 - FAILS) ** CORRECT_RUNS_WITH_RANDOMNESS
    deviation = (expected * (1 - expected) / GRADINGS) ** 0.5
    assert sum(named.values()) / GRADINGS > expected - 4 * deviation
