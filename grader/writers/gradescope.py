"""The report as Gradescope's `results.json`.

Points are those of the suite's score: killed faults of all faults, of the points that a full score is worth. A suite
that cannot be graded gets 0, since Gradescope knows no score that is withheld, and the first line says that it is no
grade. An error has neither score nor tests: Gradescope then says that the autograder failed, and grades nothing.

No test is hidden: with a hidden one, learners do not see their total.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from grader import texts
from grader.advice import enough, next_step, pool_parts, private_part, tally
from grader.writers import text
from grader.writers.said import fault_name, message, problem_name, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.report import FaultLine, Mutation, Report, TestLine, Validity

POINTS = Fraction(100)
DECIMALS = 5
MESSAGE = 3_000  # characters of one message
NAME = 500  # characters of a test's name
OUTPUT = 100_000  # characters of the text above all tests


def write(report: Report, points: Fraction = POINTS, *, messages: bool = False) -> str:
    """The document.

    Args:
        report: what was found.
        points: how many a full score is worth.
        messages: tell what the killing tests said, too.
    """
    return json.dumps(_document(report, points, messages=messages), indent=2, allow_nan=False) + "\n"


def _document(report: Report, points: Fraction, *, messages: bool) -> dict[str, Any]:
    document = {
        # Without it, Gradescope takes text for HTML.
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "stdout_visibility": "hidden",
        "output": shortened(_output(report, messages=messages), OUTPUT),
        "execution_time": report.seconds,
        "extra_data": _facts(report),
    }
    if report.status == "error":
        return document
    share = _share(report)
    earned = round(float(share * points), DECIMALS) if share is not None else 0.0
    return document | {
        "score": earned,
        "visibility": "visible",
        "tests": list(_tests(report, messages=messages)),
    }


def _share(report: Report) -> Fraction | None:
    """The part of all points that is earned; None where the score is withheld."""
    if report.mutation is not None:
        return Fraction(report.mutation.killed, report.mutation.total)
    if report.validity is None and report.course is not None:
        return Fraction(report.course.passed, max(len(report.course.tests), 1))
    return None


def _facts(report: Report) -> dict[str, Any]:
    return {
        "status": report.status,
        "score_withheld": _share(report) is None,
        "seed": report.seed,
        "submission_sha256": report.submission_sha256,
        "lesson_sha256": report.lesson_sha256,
        "sandbox": list(report.sandbox),
        "versions": dict(report.versions),
    }


def _output(report: Report, *, messages: bool) -> str:
    """What a learner reads first."""
    if report.status == "error":
        return f"NOT GRADED: {texts.one_line(report.reason)}\nNext: {next_step(report)}\n"
    screen = text.write(report, messages=messages)
    if report.status == "invalid":
        return (
            "NOT GRADED: your tests cannot be graded as they are, and get no points until they can be. This is no "
            f"grade and says nothing about how good they are. What to do stands below.\n\n{screen}"
        )
    return screen


# Everything that was looked at, each as one test ---------------------------------------------------------------


def _tests(report: Report, *, messages: bool) -> Iterator[dict[str, Any]]:
    if report.validity is not None:
        yield from _validity(report.validity)
    if report.mutation is not None:
        yield from _faults(report.mutation, messages=messages)
    if report.course is not None:
        yield from (_course(number, test) for number, test in enumerate(report.course.tests, 1))


def _validity(found: Validity) -> Iterator[dict[str, Any]]:
    if found.valid:
        sound = f"Your tests on correct programs: sound, {texts.count(found.tests, 'test')}"
        yield _test("1", sound, passed=True)
    for number, problem in enumerate(found.problems, 1):
        yield _test(f"1.{number}", problem_name(problem), passed=False, output=problem.message)


def _faults(grade: Mutation, *, messages: bool) -> Iterator[dict[str, Any]]:
    count = f"Your tests on the faults: {tally(grade)}{private_part(grade)}"
    yield _test("2", count, passed=enough(grade))
    for number, fault in enumerate(grade.faults, 1):
        yield _fault(f"2.{number}", fault, messages=messages)
    for number, pool in enumerate(pool_parts(grade), len(grade.faults) + 1):
        yield _test(f"2.{number}", f"Your tests on the {pool}", passed=pool.enough)


def _fault(number: str, fault: FaultLine, *, messages: bool) -> dict[str, Any]:
    killed = fault.status == "killed"
    facts = [("killed by", killer) for killer in fault.killed_by]
    if killed and messages:
        facts.append(("message", fault.message))
    if not killed:
        facts += [
            ("verdict", fault.status.replace("_", " ")),
            ("message", fault.message),
            ("how it shows", fault.symptom),
            ("blind spot", fault.hint),
            ("for example", fault.witness),
        ]
    output = "\n".join(_labelled(label, said) for label, said in facts if said)
    return _test(number, fault_name(fault), passed=killed, output=output)


def _labelled(label: str, said: str) -> str:
    return f"{label}:\n{said}" if "\n" in said else f"{label}: {said}"


def _course(number: int, test: TestLine) -> dict[str, Any]:
    output = "" if test.outcome == "passed" else f"{test.outcome.replace('_', ' ')}: {test.message}"
    return _test(f"3.{number}", test.test, passed=test.outcome == "passed", output=output)


def _test(number: str, name: str, *, passed: bool, output: str = "") -> dict[str, Any]:
    """One test. It has no score of its own: the sum of rounded parts need not be the score."""
    made = {
        "number": number,
        "name": shortened(texts.one_line(name), NAME),
        "status": "passed" if passed else "failed",
    }
    if output:
        made["output"] = shortened(message(output, lines=60), MESSAGE)
    return made | {"visibility": "visible"}
