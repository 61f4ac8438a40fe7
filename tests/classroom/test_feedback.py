"""A finished report and a level: what stays in it is what its reader may see, and nothing else."""

from __future__ import annotations

import datetime as dt
import inspect
from itertools import pairwise, product
from typing import TYPE_CHECKING

import msgspec
import pytest
from msgspec import UNSET

from grader.commands import feedback_options
from grader.feedback import AUDIENCES, LEVELS, Policy, restrict
from grader.pipeline import Request
from grader.report import Tally
from grader.writers import markdown, text
from tests.classroom.made import FAULTS, PRIVATE, error, graded, invalid

if TYPE_CHECKING:
    from types import ModuleType

FULL = graded(
    (*FAULTS, *PRIVATE),
    notices=("s02: it failed once", "p02: it failed once, too", "conftest.toml has no effect"),
)


def text_of(report: object) -> str:
    return msgspec.json.encode(report).decode()


def test_score_tells_numbers_alone() -> None:
    shown = restrict(graded(notices=("s02: it failed once", "a file has no effect")), "score")
    assert shown.mutation is not None
    assert (shown.mutation.killed, shown.mutation.total, shown.mutation.faults) == (2, 4, ())
    assert shown.reason == "2 of 4 faults killed, 3 needed; required and not killed: 1"
    assert shown.notices == ("a file has no effect",)
    assert not any(f"{word} of s0" in text_of(shown) for word in ("title", "hint", "symptom", "message"))


def test_names_tells_faults_and_no_hint() -> None:
    told = text_of(restrict(graded(), "names"))
    assert all(f"title of {each.id}" in told for each in FAULTS)
    assert not any(f"{word} of s0" in told for word in ("hint", "symptom", "witness"))


def test_hints_tells_hints_and_no_witness() -> None:
    told = text_of(restrict(graded(), "hints"))
    assert "hint of s02" in told
    assert "symptom of s04" in told
    assert "witness of" not in told


def test_full_tells_everything() -> None:
    assert restrict(graded(), "full") == graded()


@pytest.mark.parametrize("audience", AUDIENCES)
def test_each_level_tells_what_the_one_before_tells(audience: str) -> None:
    words = [set(text_of(restrict(FULL, level, audience)).split('"')) for level in LEVELS]
    for less, more in pairwise(words):
        assert {word for word in less if " of " in word and "needed" not in word} < more


@pytest.mark.parametrize("level", LEVELS)
def test_a_learner_is_told_of_no_private_fault_and_that_there_are_some(level: str) -> None:
    shown = restrict(FULL, level)
    assert not any(private in text_of(shown) for private in ("p01", "p02", '"private":true'))
    assert shown.mutation is not None
    assert shown.mutation.private == Tally(killed=1, total=2)
    assert (shown.mutation.killed, shown.mutation.total) == (3, 6)


@pytest.mark.parametrize("level", LEVELS)
def test_how_long_private_faults_ran_is_not_told(level: str) -> None:
    """A suite decides how long it runs, so the time could say what it saw."""
    slow = msgspec.structs.replace(FULL, seconds=FULL.seconds + 7)
    assert restrict(slow, level) == restrict(FULL, level)
    assert restrict(slow, level, "staff").seconds == slow.seconds


@pytest.mark.parametrize("level", ["names", "hints", "full"])
def test_what_is_told_and_what_is_private_make_up_what_is_counted(level: str) -> None:
    grade = restrict(FULL, level).mutation
    assert grade is not None
    assert isinstance(grade.private, Tally)
    assert len(grade.faults) + grade.private.total == grade.total
    assert sum(each.status == "killed" for each in grade.faults) + grade.private.killed == grade.killed


def test_staff_is_told_of_private_faults() -> None:
    grade = restrict(FULL, "names", "staff").mutation
    assert grade is not None
    assert [each.id for each in grade.faults if each.private] == ["p01", "p02"]
    assert grade.private is UNSET
    assert "p02: it failed once, too" in restrict(FULL, "names", "staff").notices


def test_without_private_faults_a_report_has_no_key_about_them() -> None:
    assert "private" not in text_of(restrict(graded(), "full"))


@pytest.mark.parametrize(("level", "audience"), [*product(LEVELS, AUDIENCES)])
def test_restricting_twice_changes_nothing(level: str, audience: str) -> None:
    once = restrict(FULL, level, audience)
    assert restrict(once, level, audience) == once


@pytest.mark.parametrize("report", [invalid(), error()], ids=["invalid", "error"])
@pytest.mark.parametrize("level", LEVELS)
def test_a_report_without_a_grade_stays_as_it_is(report: msgspec.Struct, level: str) -> None:
    assert restrict(report, level) == report  # type: ignore[arg-type]  # both are reports


def test_a_reason_about_the_course_tests_stays_before_the_number_of_missing_faults() -> None:
    report = msgspec.structs.replace(graded(), reason="3 of 3 course tests pass; " + graded().reason)
    assert restrict(report, "score").reason.startswith("3 of 3 course tests pass; 2 of 4 faults killed")
    assert restrict(report, "score").reason.endswith("required and not killed: 1")


def test_after_the_attempts_a_learner_gets_the_score_alone() -> None:
    policy = Policy(level="full", attempts=2)
    assert [policy.level_of(position) for position in (1, 2, 3, 9)] == ["full", "full", "score", "score"]


def test_without_a_number_of_attempts_the_level_stays() -> None:
    assert Policy(level="hints", window=dt.timedelta(hours=1)).level_of(99) == "hints"


def test_staff_keep_their_level() -> None:
    assert Policy(audience="staff", level="full", attempts=1).level_of(99) == "full"


def test_the_options_offer_what_there_is() -> None:
    assert (feedback_options.LEVELS, feedback_options.AUDIENCES) == (LEVELS, AUDIENCES)
    assert inspect.signature(Request).parameters["feedback"].default in LEVELS


@pytest.mark.parametrize("writer", [text, markdown])
def test_a_learner_reads_how_many_of_the_unnamed_faults_are_killed(writer: ModuleType) -> None:
    told = "3 of 6 killed, 5 needed; 1 of 2 that are not named here"
    assert told in writer.write(restrict(FULL, "names"))
    assert told not in writer.write(restrict(FULL, "names", "staff"))
