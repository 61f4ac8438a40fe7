"""The report as JUnit XML, for whatever shows tests in a CI service.

There is no specification. What is written here is what Jenkins' schema (junit-10.xsd), GitLab and the libraries that
read such files have in common: suites of cases, a case with at most one of failure, error and skipped.

The name of a case is the same whatever became of it, so that a service can tell what is new since the last time. Four
suites, named after the lesson: `.status` with one case that says what the report comes to, and with what it takes
to repeat it; `.validity` with a case a problem; `.mutants` with a case a fault; `.course` with a case a course test. A
learner's tests on their own module count for nothing and are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from grader import texts
from grader.advice import enough, pool_parts, tally
from grader.writers.said import fault_name, message, problem_words, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from grader.report import FaultLine, Mutation, ProblemLine, Report, TestLine, Validity

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
LINES = 40  # of one message
MESSAGE = 10_000  # characters of one message
NAME = 500  # characters of a case's name
TITLE = 200  # characters of an attribute

FAILURE, ERROR, SKIPPED = "failure", "error", "skipped"
COUNTED = {FAILURE: "failures", ERROR: "errors", SKIPPED: "skipped"}
OF_STATUS = {"failed": FAILURE, "invalid": FAILURE, "error": ERROR}
OF_FAULT = {"survived": FAILURE, "timeout": ERROR, "crashed": ERROR, "not_run": SKIPPED}
OF_OUTCOME = {
    "failed": FAILURE,
    "xpassed": FAILURE,
    "error": ERROR,
    "timeout": ERROR,
    "crashed": ERROR,
    "skipped": SKIPPED,
    "xfailed": SKIPPED,
    "not_run": SKIPPED,
}
# What texts.plain leaves and XML 1.0 (2.2, Char) forbids.
_ILLEGAL = re.compile("[\ufffe\uffff]")


@dataclass(frozen=True)
class Case:
    """One case: how it ended (failure, error, skipped; empty: well), in which words, and what was said."""

    name: str
    end: str = ""
    kind: str = ""
    said: str = ""
    seconds: float = 0.0


def write(report: Report) -> str:
    """The document."""
    root = ET.Element("testsuites", name=_legal(report.lesson), time=_time(report.seconds))
    for name, cases in _suites(report):
        root.append(_suite(f"{report.lesson}.{name}", list(cases)))
    root[0].insert(0, _properties(report))
    for each in ("tests", "failures", "errors"):
        root.set(each, str(sum(int(suite.get(each, "0")) for suite in root)))
    ET.indent(root)
    return f"{DECLARATION}{ET.tostring(root, encoding='unicode')}\n"


def write_class(lesson: str, graded: Iterable[tuple[str, Report]]) -> str:
    """The document about a class: one suite, a case a learner."""
    cases = [replace(_status(report), name=learner) for learner, report in graded]
    root = ET.Element("testsuites", name=_legal(lesson))
    root.append(_suite(f"{lesson}.class", cases))
    for each in ("tests", "failures", "errors"):
        root.set(each, root[0].get(each, "0"))
    ET.indent(root)
    return f"{DECLARATION}{ET.tostring(root, encoding='unicode')}\n"


def _suites(report: Report) -> Iterator[tuple[str, Iterator[Case]]]:
    yield "status", iter([_status(report)])
    if report.validity is not None:
        yield "validity", _validity(report.validity)
    if report.mutation is not None:
        yield "mutants", _mutants(report.mutation)
    if report.course is not None:
        yield "course", map(_course, report.course.tests)


def _status(report: Report) -> Case:
    return Case("verdict", OF_STATUS.get(report.status, ""), report.status, report.reason, report.seconds)


def _validity(found: Validity) -> Iterator[Case]:
    if found.valid:
        yield Case("sound")
    for problem in found.problems:
        yield _problem(problem)


def _problem(problem: ProblemLine) -> Case:
    words = problem_words(problem.kind)
    name = f"{problem.test}: {words}" if problem.test else words
    return Case(name, FAILURE, problem.kind, problem.message)


def _mutants(grade: Mutation) -> Iterator[Case]:
    if not grade.faults:
        yield Case("faults", "" if enough(grade) else FAILURE, "survived", tally(grade))
    yield from map(_fault, grade.faults)
    for pool in pool_parts(grade):
        yield Case(pool.name, "" if pool.enough else FAILURE, "survived", pool.count)


def _fault(fault: FaultLine) -> Case:
    told = [fault.message, fault.symptom, fault.hint, fault.witness] if fault.status != "killed" else []
    said = "\n".join(text for text in told if text)
    end = OF_FAULT.get(fault.status, "")
    return Case(fault_name(fault), end, fault.status, said or fault.status, fault.seconds)


def _course(test: TestLine) -> Case:
    return Case(test.test, OF_OUTCOME.get(test.outcome, ""), test.outcome, test.message or test.outcome)


# As XML --------------------------------------------------------------------------------------------------------


def _suite(name: str, cases: Sequence[Case]) -> ET.Element:
    suite = ET.Element("testsuite", name=_legal(name), tests=str(len(cases)))
    for end, attribute in COUNTED.items():
        suite.set(attribute, str(sum(case.end == end for case in cases)))
    suite.set("time", _time(sum(case.seconds for case in cases)))
    suite.extend(_case(name, case) for case in _distinct(cases))
    return suite


def _distinct(cases: Iterable[Case]) -> Iterator[Case]:
    """The cases with names of their own: of two that are alike, GitLab drops one."""
    taken: set[str] = set()
    for case in cases:
        name = shortened(texts.one_line(case.name), NAME)
        wanted = chain([name], (f"{name} ({number})" for number in count(2)))
        name = next(each for each in wanted if each not in taken)
        taken.add(name)
        yield replace(case, name=name)


def _properties(report: Report) -> ET.Element:
    found = ET.Element("properties")
    facts = {
        "seed": str(report.seed),
        "submission_sha256": report.submission_sha256,
        "lesson_sha256": report.lesson_sha256,
        **{f"version.{name}": version for name, version in report.versions.items()},
    }
    for name, value in facts.items():
        ET.SubElement(found, "property", name=_legal(name), value=_legal(value))
    return found


def _case(suite: str, case: Case) -> ET.Element:
    element = ET.Element(
        "testcase", name=_legal(case.name), classname=_legal(suite), time=_time(case.seconds)
    )
    if case.end:
        said = shortened(message(case.said, LINES), MESSAGE)
        first = shortened(said.partition("\n")[0], TITLE)
        end = ET.SubElement(element, case.end, type=_legal(case.kind), message=_legal(first))
        end.text = _legal(said)
    return element


def _time(seconds: float) -> str:
    return f"{seconds:.4f}"


def _legal(text: str) -> str:
    """`text` without any character that a document may not hold, not even escaped."""
    return _ILLEGAL.sub(lambda found: found[0].encode("unicode_escape").decode(), texts.plain(text))
