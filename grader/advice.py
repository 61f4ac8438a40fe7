"""What a grade comes to in words, and what to do next: read from the report alone, so that every writer says the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.errors import ExitCode
from grader.report import Tally

if TYPE_CHECKING:
    from grader.report import FaultLine, Mutation, PoolLine, Report, Tests, Validity

ALIVE = ("survived", "timeout", "crashed", "not_run")

BY_PROBLEM = {
    "policy": "take out what is named above, or do it in the way that is suggested there.",
    "nothing_ran": "write a first test, in a file named test_*.py; `ol start {lesson}` lays one down.",
    "does_not_load": "mend the file that does not load.",
    "blind": "let a test call the lesson's module and compare what it returns.",
    "order_dependent": "let each test make its own data.",
    "flaky": "give the random numbers of the test a seed.",
    "timeout": "find what takes so long in the test named above; smaller inputs notice as much.",
    "crashed": "find what ends the process in the test named above.",
    "memory": "use smaller arrays in the test named above.",
}
HOUSE = "this was no fault of yours: run the command again."
COURSE = "the course's own data are wrong, or not those that are asked for: tell your instructor."
MEND_THE_TEST = "mend the tests named above: they must pass on every correct module."


def next_step(report: Report) -> str:
    """The one thing to do after this report, as a sentence; empty when there is nothing left to do."""
    if report.status == "error":
        return COURSE if report.exit_code == ExitCode.COURSE else HOUSE
    if report.validity is not None and not report.validity.valid:
        return _after_invalid(report.validity, report.lesson)
    if report.course is not None and report.course.failed:
        return _after_course(report.course)
    if report.mutation is not None and report.status == "failed":
        return _after_mutation(report.mutation)
    return _after_pass(report)


def _after_invalid(validity: Validity, lesson: str) -> str:
    kind = validity.problems[0].kind if validity.problems else ""
    return BY_PROBLEM.get(kind, MEND_THE_TEST).format(lesson=lesson)


def _after_course(course: Tests) -> str:
    failing = [test for test in course.tests if test.outcome not in {"passed", "not_run"}]
    if not failing:
        return "do what the reason says, then run the same command again."
    name = failing[0].test.rpartition("::")[2]
    more = f", the first of {course.failed}" if course.failed > 1 else ""
    return f"mend your module for {name}{more}."


def _after_mutation(mutation: Mutation) -> str:
    alive = survivors(mutation)
    if not alive:
        return "write a test that looks at something your tests do not look at yet."
    first = alive[0]
    return f"write a test for {first.id} ({first.title}){', which is required' if first.required else ''}."


def _after_pass(report: Report) -> str:
    if report.mutation is None:
        return f"write your own tests, then grade them with `ol check {report.lesson}`."
    if report.course is None:
        return f"`ol check {report.lesson}` in your workspace checks your module, too."
    return f"`ol diff {report.lesson}` shows your module beside the reference."


def survivors(mutation: Mutation) -> list[FaultLine]:
    """The faults that are not killed, required ones first."""
    alive = [fault for fault in mutation.faults if fault.status in ALIVE]
    return sorted(alive, key=lambda fault: not fault.required)


def tally(grade: Mutation | PoolLine) -> str:
    """`8 of 9 killed, 7 needed`."""
    return f"{grade.killed} of {grade.total} killed, {grade.needed} needed"


def enough(mutation: Mutation) -> bool:
    """Whether the faults are graded well enough; pools beside them are not looked at."""
    return mutation.killed >= mutation.needed and not mutation.required_missing


def private_part(mutation: Mutation) -> str:
    """How many of the faults that count are kept from the reader, to follow the count; empty where none is."""
    private = mutation.private
    if not isinstance(private, Tally):
        return ""
    return f"; {private.killed} of {private.total} that are not named here"


@dataclass(frozen=True)
class PoolPart:
    """A pool of programs beside the faults: what it is called, its count in words, and whether that is enough."""

    name: str
    count: str
    enough: bool

    def __str__(self) -> str:
        return f"{self.name}: {self.count}"


def pool_parts(mutation: Mutation) -> list[PoolPart]:
    """The pools of a grade, in its order."""
    return [
        PoolPart(f"pool {pool.name}", tally(pool), pool.killed >= pool.needed)
        for pool in mutation.pools or ()
    ]
