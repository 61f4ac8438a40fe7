"""Every course test has an outcome on any program, also on one that hangs, ends the process or does not load."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.author.trials import OTHER_SETTING, CourseTrials, Outcome, course_trials, function_name
from grader.lesson import Lesson, load_lesson
from grader.programs import programs_of
from grader.run import Ending

DIARY = Path(__file__).resolve().parents[1] / "cases/diary"
NO_DATE = "test_what_is_no_date_is_refused"


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return load_lesson(DIARY, "D1")


@pytest.fixture(scope="module")
def trials(lesson: Lesson) -> Iterator[CourseTrials]:
    with course_trials(lesson, jobs=2) as trials:
        yield trials


def changed(lesson: Lesson, old: str, new: str) -> dict[str, str]:
    source = lesson.reference_modules[lesson.module].source
    assert source.count(old) == 1
    return {lesson.module_file: source.replace(old, new)}


def test_the_reference_passes_everything_and_says_which_tests_there_are(trials: CourseTrials) -> None:
    assert len(trials.tests) == 11
    assert set(trials.reference.outcomes.values()) == {Outcome.PASSED}
    assert trials.reference.killers == ()


def test_each_fault_is_killed_by_the_tests_that_it_names(trials: CourseTrials, lesson: Lesson) -> None:
    heard = []
    found = trials.run_all(programs_of(lesson).faults, on_done=lambda tried: heard.append(tried.program.name))
    assert [tried.program.name for tried in found] == [fault.id for fault in lesson.faults]
    assert sorted(heard) == [fault.id for fault in lesson.faults]
    for tried, fault in zip(found, lesson.faults, strict=True):
        assert tried.names() == set(fault.caught_by), fault.id
        assert tried.loads


def test_the_opposite_order_gives_the_same(trials: CourseTrials, lesson: Lesson) -> None:
    fault = programs_of(lesson).faults[0]
    assert trials.run(fault, OTHER_SETTING).outcomes == trials.run(fault).outcomes


def test_a_test_that_hangs_is_told_from_those_after_it(trials: CourseTrials, lesson: Lesson) -> None:
    source = changed(lesson, "number = min(", "while months == 3: pass\n    number = min(")
    tried = trials.run(trials.program("hangs", source))
    assert tried.ending is Ending.TIMEOUT
    assert [function_name(test) for test in tried.hung_in] == ["test_the_last_day_of_a_short_month"]
    assert set(tried.outcomes.values()) == {Outcome.PASSED, Outcome.TIMEOUT}
    assert tried.names() == set()
    assert tried.names(hanging=True) == {"test_the_last_day_of_a_short_month"}


def test_who_wants_no_more_is_told_nothing_of_what_comes_after(trials: CourseTrials, lesson: Lesson) -> None:
    source = changed(lesson, "number = min(", "while months == 3: pass\n    number = min(")
    tried = trials.run(trials.program("hangs", source), complete=False)
    outcomes = list(tried.outcomes.values())
    assert outcomes[:2] == [Outcome.PASSED, Outcome.TIMEOUT]
    assert set(outcomes[2:]) == {Outcome.NOT_RUN}


def test_only_the_tests_that_are_asked_for_run(trials: CourseTrials) -> None:
    chosen = trials.tests[2]
    outcomes = trials.run(trials.program("reference again", {}), only=[chosen]).outcomes
    assert {test for test, outcome in outcomes.items() if outcome is Outcome.PASSED} == {chosen}
    assert {outcome for test, outcome in outcomes.items() if test != chosen} == {Outcome.NOT_RUN}


def test_a_program_that_ends_the_process_kills_nothing(trials: CourseTrials, lesson: Lesson) -> None:
    source = changed(
        lesson, "number = min(", "import os; os._exit(0) if months == 3 else None\n    number = min("
    )
    tried = trials.run(trials.program("ends", source))
    crashed = {function_name(test) for test, outcome in tried.outcomes.items() if outcome is Outcome.CRASHED}
    assert crashed == {"test_the_last_day_of_a_short_month"}
    assert tried.killers == ()


@pytest.mark.parametrize(
    ("source", "outcome", "loads"),
    [("raise ValueError('no')", Outcome.NOT_LOADED, False), ("while True: pass", Outcome.TIMEOUT, True)],
)
def test_a_program_that_does_not_load_has_an_outcome_for_every_test(
    trials: CourseTrials, lesson: Lesson, source: str, outcome: Outcome, loads: bool
) -> None:
    tried = trials.run(trials.program("broken", {lesson.module_file: source}))
    assert dict(tried.outcomes) == dict.fromkeys(trials.tests, outcome)
    assert tried.loads is loads


def test_a_module_that_no_fault_changes_can_be_changed_too(trials: CourseTrials) -> None:
    """The server has imported it already: the run gets the whole package of its own."""
    tried = trials.run(trials.program("other", {"diary/__init__.py": "raise ValueError('of the package')"}))
    assert set(tried.outcomes.values()) == {Outcome.NOT_LOADED}
    assert "of the package" in next(iter(tried.messages.values()))
