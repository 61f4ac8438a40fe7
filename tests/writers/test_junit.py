"""JUnit XML, read by a library that reads such files, and held to what Jenkins' schema (junit-10.xsd) allows."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from grader.writers.junit import OF_OUTCOME, write, write_class

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.report import Report

# Element: its attributes, those that it must have, and the elements in it.
SCHEMA: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, set(), {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "skipped", "time"},
        {"name", "tests", "failures", "errors"},
        {"properties", "testcase"},
    ),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, {"name", "value"}, set()),
    "testcase": ({"name", "classname", "time"}, {"name"}, {"failure", "error", "skipped"}),
    "failure": ({"type", "message"}, set(), set()),
    "error": ({"type", "message"}, set(), set()),
    "skipped": ({"type", "message"}, set(), set()),
}
unhurried = settings(deadline=None)  # the machine may be busy
anything = st.text(st.characters(codec="utf-16", exclude_categories=()), max_size=60)


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 - what is parsed was written a line before


def suites(text: str) -> dict[str, TestSuite]:
    document = JUnitXml.fromstring(text.encode())
    return {str(suite.name): suite for suite in document}


def ends(suite: TestSuite) -> dict[str, str]:
    """Name of a case: failure, error, skipped or nothing."""
    return {str(case.name): _end(case) for case in suite}


def _end(case: TestCase) -> str:
    kinds = {Failure: "failure", Error: "error", Skipped: "skipped"}
    assert len(case.result) <= 1
    return kinds[type(case.result[0])] if case.result else ""


def assert_allowed(element: ET.Element) -> None:
    known, needed, inside = SCHEMA[element.tag]
    assert needed <= set(element.attrib) <= known
    assert {child.tag for child in element} <= inside
    for child in element:
        assert_allowed(child)


def test_every_kept_report_is_read_and_its_counts_are_right(kept: dict[str, Report]) -> None:
    for report in kept.values():
        text = write(report)
        assert_allowed(parsed(text))
        document = JUnitXml.fromstring(text.encode())
        counted = (document.tests, document.failures, document.errors)
        document.update_statistics()  # type: ignore[no-untyped-call]  # the library leaves its type out
        assert (document.tests, document.failures, document.errors) == counted
        for suite in document:
            said = (suite.tests, suite.failures, suite.errors, suite.skipped)
            suite.update_statistics()  # type: ignore[no-untyped-call]  # as above
            assert (suite.tests, suite.failures, suite.errors, suite.skipped) == said


def test_a_suite_stands_for_each_part_of_the_report(kept: dict[str, Report]) -> None:
    assert list(suites(write(kept["survivors"]))) == ["L7.1.status", "L7.1.validity", "L7.1.mutants"]
    assert list(suites(write(kept["course-only"]))) == ["L7.1.status", "L7.1.course"]


def test_a_fault_that_is_alive_is_a_failure_and_one_that_hung_an_error(kept: dict[str, Report]) -> None:
    faults = ends(suites(write(kept["hangs-on-a-fault"]))["L7.1.mutants"])
    statuses = {f.id: f.status for f in kept["hangs-on-a-fault"].mutation.faults}  # type: ignore[union-attr]  # it is valid
    expected = {
        "killed": "",
        "survived": "failure",
        "timeout": "error",
        "crashed": "error",
        "not_run": "skipped",
    }
    assert {name.split()[0]: end for name, end in faults.items()} == {
        fault: expected[status] for fault, status in statuses.items()
    }
    assert {"", "error"} <= set(faults.values())


def test_the_status_decides_even_where_no_case_failed(kept: dict[str, Report]) -> None:
    """All tests of a module that cannot be imported are skipped; the build must not be green."""
    found = suites(write(kept["earlier-lessons-missing"]))
    assert ends(found["L7.1.status"]) == {"verdict": "failure"}
    assert ends(suites(write(kept["passed"]))["L7.1.status"]) == {"verdict": ""}


def test_an_error_is_an_error_and_no_suite_of_it_passes(told: Callable[[str], list[Report]]) -> None:
    found = suites(write(told("the disk is full")[-1]))
    assert {name: ends(suite) for name, suite in found.items()} == {"L7.1.status": {"verdict": "error"}}


def test_no_two_cases_have_one_name(kept: dict[str, Report], told: Callable[[str], list[Report]]) -> None:
    """GitLab shows the first of those that are called the same."""
    assert kept["not-allowed"].validity is not None
    assert len(kept["not-allowed"].validity.problems) == 3
    twice = write_class(
        "L7.1", [("Ada", kept["passed"]), ("Ada", kept["survivors"]), ("Ada (2)", kept["passed"])]
    )
    for text in [*map(write, (*kept.values(), *told("x"))), twice]:
        for suite in JUnitXml.fromstring(text.encode()):
            names = [case.name for case in suite]
            assert len(set(names)) == len(names)


def test_a_case_has_the_same_name_whatever_became_of_it(kept: dict[str, Report]) -> None:
    before, after = kept["survivors"], kept["passed"]
    for suite in ("L7.1.status", "L7.1.validity", "L7.1.mutants"):
        assert set(ends(suites(write(before))[suite])) == set(ends(suites(write(after))[suite]))


def test_with_the_score_alone_no_fault_is_named(kept: dict[str, Report]) -> None:
    text = write(kept["score-only"])
    assert list(ends(suites(text)["L7.1.mutants"]).values()) == ["failure"]
    assert "eps" not in text


def test_every_outcome_of_a_test_has_its_end(told: Callable[[str], list[Report]]) -> None:
    report = told("x")[1]
    assert report.course is not None
    cases = [_end(case) for case in suites(write(report))["L7.1.course"]]
    assert cases == [OF_OUTCOME.get(test.outcome, "") for test in report.course.tests]
    assert OF_OUTCOME["xpassed"] == "failure"


@unhurried
@given(anything)
@example("]]>")
@example("<!ENTITY x SYSTEM 'file:///etc/passwd'>&x;</failure>")
@example("\x00\x0b\x1b[31m\ud800\ufffe\uffff\u2028")
@example('"\r\n\t"')
def test_whatever_a_learner_writes_is_well_formed_and_comes_back_as_text(
    told: Callable[[str], list[Report]], text: str
) -> None:
    for report in told(f"{text} end"):
        document = write(report)
        assert_allowed(parsed(document))
        JUnitXml.fromstring(document.encode())
        assert "end" in document


@pytest.mark.parametrize("character", ["\x00", "\x08", "\x1f", "\ud800", "\ufffe", "\uffff"])
def test_a_character_that_xml_cannot_hold_is_written_as_an_escape(
    character: str, told: Callable[[str], list[Report]]
) -> None:
    text = write(told(f"a{character}b")[0])
    assert character not in text
    assert f"a{character.encode('unicode_escape').decode()}b" in text
