"""The workbench: what the course tests say of programs that are wrong in every way a program can be."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.author.candidates.probes import alike
from grader.author.candidates.records import Ending
from grader.author.candidates.runner import Attempt, Workbench
from grader.author.trials import function_name
from grader.errors import LessonError
from grader.lesson import Lesson, fault_source, load_lesson

DIARY = Path(__file__).resolve().parents[1] / "cases/diary"
RETURN = 'return f"{year:04}-{month + 1:02}-{number:02}"'


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return load_lesson(DIARY, "D1")


@pytest.fixture(scope="module")
def bench(lesson: Lesson) -> Iterator[Workbench]:
    with Workbench(lesson, jobs=2) as bench:
        yield bench


@pytest.fixture
def reference(lesson: Lesson) -> str:
    return lesson.reference_modules[lesson.module].source


def everything(bench: Workbench) -> range:
    return range(len(bench.ready.tests))


def test_faults_die_by_exactly_the_tests_that_they_name(bench: Workbench, lesson: Lesson) -> None:
    own = [fault for fault in lesson.faults if lesson.module_file in fault_source(lesson, fault)]
    attempts = [Attempt(fault_source(lesson, fault)[lesson.module_file], everything(bench)) for fault in own]
    killers = [{bench.ready.tests[f.test] for f in tried.failures} for tried in bench.run(attempts)]
    assert own
    assert [set(map(function_name, each)) for each in killers] == [set(fault.caught_by) for fault in own]


def test_no_test_fails_on_the_reference_and_its_values_are_its_own(bench: Workbench, reference: str) -> None:
    tried = bench.run([Attempt(reference, everything(bench), probe=True)])[0]
    assert (tried.ending, tried.failures) == (Ending.COMPLETED, [])
    assert alike(tried.probes, bench.ready.probes)


@pytest.mark.parametrize(
    ("instead", "ending"),
    [
        ("import os; os._exit(3)", Ending.CRASHED),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", Ending.CRASHED),
        ("raise MemoryError", Ending.MEMORY),
        ("bytearray(1 << 40)", Ending.MEMORY),
        ("raise KeyboardInterrupt", Ending.CRASHED),
        ("while True: pass", Ending.TIMEOUT),
    ],
)
def test_a_process_that_does_not_get_to_its_end_kills_nothing(
    bench: Workbench, reference: str, instead: str, ending: Ending
) -> None:
    assert reference.count(RETURN) == 1
    tried = bench.run([Attempt(reference.replace(RETURN, instead), everything(bench))])[0]
    assert (tried.ending, tried.failures) == (ending, [])
    assert tried.detail


def test_what_failed_before_a_process_was_ended_still_counts(bench: Workbench, reference: str) -> None:
    dying = "import os; state = parts.__dict__; state['n'] = state.get('n', 0) + 1; os._exit(1) if state['n'] > 1 else 0; return 'x'"
    tried = bench.run([Attempt(reference.replace(RETURN, dying), everything(bench))])[0]
    assert tried.ending is Ending.CRASHED
    assert len(tried.failures) == 1


def test_a_module_that_raises_is_not_imported(bench: Workbench, reference: str) -> None:
    tried = bench.run([Attempt(f"{reference}\n1 / 0\n", everything(bench))])[0]
    assert (tried.ending, tried.failures) == (Ending.NOT_IMPORTED, [])
    assert tried.detail == "ZeroDivisionError: division by zero"


def test_what_cannot_be_put_in_its_place_is_said_to_be_unfit(bench: Workbench, reference: str) -> None:
    tried = bench.run([Attempt(f"{reference}\nMORE = 1\n", everything(bench))])[0]
    assert tried.ending is Ending.UNFIT


def test_an_error_of_the_program_is_told_from_one_of_the_test(bench: Workbench, reference: str) -> None:
    raising, wrong = bench.run(
        [
            Attempt(reference.replace(RETURN, text), everything(bench))
            for text in ("return year.none", "return ''")
        ]
    )
    assert raising.failures
    assert all(failure.inside for failure in raising.failures)
    assert wrong.failures
    assert not any(failure.inside for failure in wrong.failures)


def test_results_come_in_the_order_of_the_attempts(bench: Workbench, reference: str) -> None:
    wrong = reference.replace(RETURN, "return ''")
    tried = bench.run([Attempt(each, everything(bench)) for each in (reference, wrong) * 6])
    assert [bool(each.failures) for each in tried] == [False, True] * 6


def test_a_test_that_is_not_asked_for_does_not_run(bench: Workbench, reference: str) -> None:
    wrong = reference.replace(RETURN, "return ''")
    whole = bench.run([Attempt(wrong, everything(bench))])[0]
    first = whole.failures[0].test
    assert [failure.test for failure in bench.run([Attempt(wrong, [first])])[0].failures] == [first]
    assert bench.run([Attempt(wrong, [])])[0].failures == []


def test_one_program_leaves_nothing_behind_for_the_next(bench: Workbench, reference: str) -> None:
    spoiling = reference.replace(
        RETURN, f"import diary.months; diary.months.MONTHS = 11; parts.spoilt = 1; {RETURN}"
    )
    programs = [reference, spoiling, reference, reference, spoiling, reference] * 4
    tried = bench.run([Attempt(each, everything(bench)) for each in programs])
    assert {bool(each.failures) for each, text in zip(tried, programs, strict=True) if text == reference} == {
        False
    }


def test_one_that_does_not_end_costs_the_others_nothing(bench: Workbench, reference: str) -> None:
    texts = ["return ''", "import os; os._exit(0)", "while True: pass", RETURN]
    tried = bench.run([Attempt(reference.replace(RETURN, text), everything(bench)) for text in texts * 2])
    assert [each.ending for each in tried[:4]] == [
        Ending.COMPLETED,
        Ending.CRASHED,
        Ending.TIMEOUT,
        Ending.COMPLETED,
    ]
    assert [each.ending for each in tried[4:]] == [each.ending for each in tried[:4]]
    assert [bool(each.failures) for each in tried] == [True, False, False, False] * 2


def test_lines_that_a_test_executes_are_known(bench: Workbench, reference: str) -> None:
    line = reference[: reference.index(RETURN)].count("\n") + 1
    reaching = [line in lines for lines in bench.ready.reached]
    assert any(reaching)
    assert not all(reaching)


def test_a_course_test_that_fails_on_the_reference_is_an_error_of_the_course(diary: Any) -> None:
    tests = next((diary.root / "reference/tests/D1").glob("test_*.py"))
    tests.write_text(tests.read_text() + "\n\ndef test_wrong() -> None:\n    assert 1 == 2\n")
    with (
        pytest.raises(LessonError, match="test_wrong"),
        Workbench(load_lesson(diary.root, "D1"), jobs=1) as bench,
    ):
        assert bench.ready.tests
