"""What a whole grading makes of a suite: is it sound, and which faults does it kill."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.engine.conftest import Bench, Grade

IMPORT = "from words.shout import shout, letters\n"
MARK = "def test_mark(): assert shout('a')[-1] == '!'\n"
LOUD = "def test_loud(): assert 'AB' in shout('ab')\n"
GOOD = IMPORT + MARK + LOUD
FILE = "test_it.py"

# A test that fails on a fault only: what it does in its failing branch is the case's own.
ON_NO_MARK = "import os, sys, pytest\ndef test_it():\n    if shout('a')[-1] != '!':\n        {}\n"


def no_problems(grade: Grade) -> None:
    assert grade.problems == [], grade.messages


# Sound suites -------------------------------------------------------------------------------------------------


def test_a_good_suite_kills_each_fault_by_the_test_that_looks_for_it(bench: Bench) -> None:
    grade = bench.grade(GOOD)
    no_problems(grade)
    assert grade.killers == {"s01": (f"{FILE}::test_mark",), "s02": (f"{FILE}::test_loud",)}
    assert grade.found.tests == 2
    assert "==" in grade.verdicts["s01"].message


def test_a_suite_that_looks_away_lets_a_fault_survive(bench: Bench) -> None:
    assert bench.grade(IMPORT + MARK).statuses == {"s01": "killed", "s02": "survived"}


def test_with_every_killer_the_statuses_are_the_same_and_all_tests_are_named(bench: Bench) -> None:
    source = GOOD + "def test_exactly(): assert shout('ab') == 'AB!'\n"
    first, all_of_them = bench.grade(source), bench.grade(source, every_killer=True)
    assert first.statuses == all_of_them.statuses
    assert all(len(killers) == 1 for killers in first.killers.values()), first.killers
    assert all_of_them.killers == {
        "s01": (f"{FILE}::test_mark", f"{FILE}::test_exactly"),
        "s02": (f"{FILE}::test_loud", f"{FILE}::test_exactly"),
    }
    for fault, (killer,) in first.killers.items():
        assert killer in all_of_them.killers[fault]


@pytest.mark.parametrize("part", ["yield\n    assert", "assert"])
def test_a_failure_in_set_up_or_tear_down_kills(bench: Bench, part: str) -> None:
    source = f"{IMPORT}import pytest\n@pytest.fixture\ndef f():\n    {part} shout('a')[-1] == '!'\ndef test(f): pass\n"
    assert bench.grade(source).killers["s01"] == (f"{FILE}::test",)


def test_a_failed_subtest_kills(bench: Bench) -> None:
    source = IMPORT + "def test(subtests):\n    with subtests.test(): assert shout('a')[-1] == '!'\n"
    assert bench.grade(source).killers["s01"] == (f"{FILE}::test",)


def test_a_file_that_raises_while_loading_on_the_fault_kills_it(bench: Bench) -> None:
    files = {
        "test_a.py": IMPORT + "assert shout('a')[-1] == '!'\ndef test(): pass\n",
        "test_b.py": IMPORT + LOUD,
    }
    grade = bench.grade(files)
    no_problems(grade)
    assert grade.killers == {"s01": ("test_a.py",), "s02": ("test_b.py::test_loud",)}


@pytest.mark.parametrize("name", ["conftest.py", "oracle.py"])
def test_a_conftest_or_helper_that_raises_on_the_fault_kills_as_its_test_file(
    bench: Bench, name: str
) -> None:
    imported = "import oracle\n" if name == "oracle.py" else ""
    files = {
        f"a/{name}": IMPORT + "assert shout('a')[-1] == '!'\n",
        "a/test_a.py": f"{imported}def test(): pass\n",
        "test_b.py": IMPORT + LOUD,
    }
    grade = bench.grade(files)
    no_problems(grade)
    assert grade.killers["s01"] == ("a/test_a.py",)


def test_a_notice_names_what_exists_on_some_correct_programs_only_and_it_kills_nothing(bench: Bench) -> None:
    source = f"""{IMPORT}
import pytest
@pytest.mark.parametrize("first", letters("ab")[:1])
def test_first(first): assert shout(first)[-1] == "!"
{LOUD}"""
    grade = bench.grade(source)
    no_problems(grade)
    assert grade.statuses == {"s01": "survived", "s02": "killed"}
    assert f"{FILE}::test_first[a]" in grade.notices
    assert f"{FILE}::test_first[b]" in grade.notices
    assert f"{FILE}::test_loud" not in grade.notices


def test_an_id_that_only_the_fault_has_kills_nothing(bench: Bench) -> None:
    source = f"""{IMPORT}
import pytest
@pytest.mark.parametrize("mark", [shout("a")[-1]])
def test_mark(mark): assert mark == "!"
{LOUD}"""
    grade = bench.grade(source)
    no_problems(grade)
    assert grade.statuses["s01"] == "survived"


# No kills -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "branch",
    [
        "pytest.skip('odd')",
        "pytest.xfail('odd')",
        "pytest.exit('odd')",
        "pytest.exit('odd', returncode=1)",
        "raise KeyboardInterrupt",
        "os._exit(0)",
        "os._exit(1)",
        "os.abort()",
        "os.close(3)",
        "os.write(3, b'junk' * 100)",
        "raise MemoryError",
    ],
)
def test_what_happens_on_the_fault_alone_and_is_no_failure_never_kills(bench: Bench, branch: str) -> None:
    grade = bench.grade(IMPORT + ON_NO_MARK.format(branch) + LOUD)
    no_problems(grade)
    assert grade.statuses["s01"] in {"survived", "crashed"}, grade.verdicts["s01"]
    assert grade.killers["s01"] == ()
    assert grade.statuses["s02"] == "killed"


@pytest.mark.parametrize("strict", [True, False])
def test_an_xpass_on_the_fault_never_kills(bench: Bench, strict: bool) -> None:
    source = f"""{IMPORT}
import pytest
@pytest.mark.xfail(strict={strict})
def test_no_mark(): assert shout("a")[-1] != "!"
{LOUD}"""
    grade = bench.grade(source)
    no_problems(grade)
    assert grade.statuses == {"s01": "survived", "s02": "killed"}


@pytest.mark.parametrize(
    "ending", ["sys.exit(1)", "pytest.skip('x', allow_module_level=True)", "os._exit(1)"]
)
def test_an_exit_or_skip_while_loading_on_the_fault_never_kills(bench: Bench, ending: str) -> None:
    files = {
        "test_a.py": f"{IMPORT}import os, sys, pytest\nif shout('a')[-1] != '!':\n    {ending}\ndef test(): pass\n",
        "test_b.py": IMPORT + LOUD,
    }
    grade = bench.grade(files)
    no_problems(grade)
    assert grade.statuses["s01"] in {"survived", "crashed"}
    assert grade.killers["s01"] == ()


def test_a_failure_that_does_not_repeat_survives_with_a_notice(bench: Bench) -> None:
    # It fails on the fault in the setting of its first run alone: the seed tells the settings apart.
    source = f"""{IMPORT}{LOUD}
import random
def test_by_chance(): assert shout("a")[-1] == "!" or random.random() < CHANCE
"""
    found = [bench.grade(source.replace("CHANCE", "0.5"), seed=seed) for seed in range(4)]
    for grade in found:
        no_problems(grade)
        if "once and not again" in grade.notices:
            assert grade.statuses["s01"] == "survived"
            assert f"s01: {FILE}::test_by_chance failed once" in grade.notices
    assert any("once and not again" in grade.notices for grade in found)


def test_a_test_after_the_one_that_failed_by_chance_still_kills(bench: Bench) -> None:
    source = f"""{IMPORT}{LOUD}
import random
def test_by_chance(): assert shout("a")[-1] == "!" or random.random() < 0.5
{MARK}"""
    for seed in range(3):
        assert bench.grade(source, seed=seed).statuses["s01"] == "killed"


# Runs that are cut short --------------------------------------------------------------------------------------


def test_a_test_that_failed_before_a_crash_is_run_alone_and_kills(bench: Bench) -> None:
    grade = bench.grade(IMPORT + MARK + ON_NO_MARK.format("os.abort()") + LOUD, every_killer=True)
    no_problems(grade)
    assert grade.killers["s01"] == (f"{FILE}::test_mark",)


def test_a_test_that_does_not_pass_alone_on_the_reference_does_not_kill_from_a_run_cut_short(
    bench: Bench,
) -> None:
    source = f"""{IMPORT}
import os
READY = []
class TestBoth:
    def test_a(self, tmp_path):
        READY.append(1)
        if shout("a")[-1] != "!": READY.append(2)

    def test_b(self):
        assert len(READY) == 1

    def test_c(self):
        if shout("a")[-1] != "!": os.abort()
"""
    grade = bench.grade(source, every_killer=True)
    assert grade.kinds == {"order_dependent"}


def test_a_fault_that_hangs_is_a_timeout_and_a_kill_only_where_it_is_meant_to_hang(bench: Bench) -> None:
    source = IMPORT + ON_NO_MARK.format("while True: pass") + LOUD
    plain = bench.grade(source, timeout=10)
    no_problems(plain)
    assert plain.statuses == {"s01": "timeout", "s02": "killed"}
    assert plain.killers["s01"] == ()
    assert "time limit" in plain.verdicts["s01"].message
    meant = bench.grade(source, timeout=10, hanging=["s01"])
    assert meant.statuses == {"s01": "killed", "s02": "killed"}
    assert meant.killers["s01"] == (f"{FILE}::test_it",)


@pytest.mark.parametrize("body", ["while True: pass", "import os; os.abort()", "raise KeyboardInterrupt"])
def test_a_fault_that_ends_or_hangs_the_process_itself_is_no_kill(bench: Bench, body: str) -> None:
    grade = bench.with_faults(s01=body).grade(GOOD, timeout=10)
    no_problems(grade)
    assert grade.statuses["s01"] in {"timeout", "crashed"}


def test_a_fault_that_raises_is_killed(bench: Bench) -> None:
    grade = bench.with_faults(s01="raise ValueError", s02="return None", s03="return text.no_such").grade(
        GOOD
    )
    no_problems(grade)
    assert set(grade.statuses.values()) == {"killed"}


# Suites that are not sound ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "kind", "test"),
    [
        pytest.param(
            "def test(): assert shout('a') == 'a'\n", "rejects_reference", "test", id="wrong oracle"
        ),
        pytest.param("async def test(): assert shout('a')\n", "rejects_reference", "test", id="async"),
        pytest.param(
            "def test(nothing): assert shout('a')\n", "rejects_reference", "test", id="unknown fixture"
        ),
        pytest.param("def test(): assert input()\n", "rejects_reference", "test", id="stdin"),
        pytest.param(
            "import pytest\n@pytest.mark.xfail(strict=True)\ndef test(): assert shout('a') == 'A!'\n",
            "rejects_reference",
            "test",
            id="strict xpass",
        ),
        pytest.param(
            "def test(): assert letters('ab') == ['a', 'b']\n", "too_strict", "test", id="one variant's order"
        ),
        pytest.param(
            "import random\ndef test(): assert shout('a') and random.random() < 0.5\n",
            "flaky",
            "test",
            id="random",
        ),
        pytest.param(
            "import numpy as np\ndef test(): assert shout('a') and np.random.default_rng().random() < 0.5\n",
            "flaky",
            "test",
            id="default_rng",
        ),
        pytest.param(
            "D = []\ndef test_1(): D.append(shout('a'))\ndef test_2(): assert D\n",
            "order_dependent",
            "test_2",
            id="order",
        ),
        pytest.param("import time\ndef test(): time.sleep(99)\n", "timeout", "test", id="sleeps"),
        pytest.param("import os\ndef test(): os.abort()\n", "crashed", "test", id="abort"),
        pytest.param("import os\ndef test(): os._exit(0)\n", "crashed", "test", id="os._exit"),
        # To pytest this is an exception like any other: the process goes on.
        pytest.param("import sys\ndef test(): sys.exit(0)\n", "rejects_reference", "test", id="sys.exit"),
        pytest.param(
            "import pytest\ndef test(): pytest.exit('x', returncode=0)\n", "crashed", "test", id="pytest.exit"
        ),
        pytest.param("def test(): raise KeyboardInterrupt\n", "crashed", "test", id="interrupt"),
        pytest.param(
            "import os\ndef test(): os.write(3, b'\\0' * 9)\n", "crashed", "test", id="junk among the records"
        ),
        pytest.param("def test(): raise MemoryError\n", "memory", "test", id="memory"),
        pytest.param("import sys\nsys.exit(0)\n", "does_not_load", None, id="exit on import"),
        pytest.param(
            "import pytest\npytest.exit('x', returncode=0)\n",
            "does_not_load",
            None,
            id="pytest.exit on import",
        ),
        pytest.param("import os\nos._exit(0)\n", "does_not_load", None, id="os._exit on import"),
        pytest.param("import os\nos.abort()\n", "does_not_load", None, id="abort on import"),
        pytest.param("import nowhere\n", "does_not_load", None, id="import error"),
    ],
)
def test_the_problem_of_a_suite_that_is_not_sound(
    bench: Bench, source: str, kind: str, test: str | None
) -> None:
    grade = bench.grade(IMPORT + source, timeout=2 if kind == "timeout" else 60)
    name = FILE if test is None else f"{FILE}::{test}" if test else ""
    assert (kind, name) in grade.problems, grade.messages
    assert grade.kinds == {kind}
    assert grade.found.faults == ()


@pytest.mark.parametrize(
    "source",
    [
        "def test(): pass\n",
        "def test():\n    try: assert shout('a') == 'A!'\n    except BaseException: pass\n",
        "import words\ndef test(): assert words\n",
    ],
)
def test_a_suite_that_does_not_look_at_the_module_is_blind(bench: Bench, source: str) -> None:
    assert bench.grade(IMPORT + source).problems == [("blind", "")]


def test_swallowed_exceptions_alone_do_not_make_a_suite_blind(bench: Bench) -> None:
    source = (
        IMPORT
        + "def test():\n    try: x = shout('a')\n    except Exception: x = ''\n    assert x in ('', 'A!')\n"
    )
    assert bench.grade(source).kinds == set()


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"test_it.py": "x = 1\n"}, id="no tests"),
        pytest.param(
            {"test_it.py": "import pytest\n@pytest.mark.skip\ndef test(): assert 0\n"}, id="all skipped"
        ),
        pytest.param(
            {"test_it.py": "import pytest\n@pytest.mark.xfail\ndef test(): assert 0\n"}, id="all xfailed"
        ),
        pytest.param(
            {"test_it.py": "import pytest\npytest.skip('x', allow_module_level=True)\n"}, id="module skip"
        ),
        pytest.param({"test_it.py": "class Shout:\n    def test(self): assert 0\n"}, id="misnamed class"),
        pytest.param({"test_it.py": "def check_it(): assert 0\n"}, id="misnamed function"),
    ],
)
def test_a_suite_in_which_no_test_passes_ran_nothing(bench: Bench, files: dict[str, str]) -> None:
    assert bench.grade(files).kinds == {"nothing_ran"}


def test_a_conftest_that_fails_on_load_is_a_problem_of_its_test_file(bench: Bench) -> None:
    grade = bench.grade({"test_it.py": GOOD, "conftest.py": "raise ValueError('mine')\n"})
    assert grade.problems == [("does_not_load", FILE)]
    assert "mine" in grade.messages
    assert "conftest.py:1" in grade.messages


def test_a_wrong_oracle_is_told_that_it_is_the_test_that_disagrees(bench: Bench) -> None:
    assert (
        "it is the test that is wrong"
        in bench.grade(IMPORT + "def test(): assert shout('a') == 'a'\n").messages
    )


def test_every_failing_test_is_a_problem_of_its_own_kind(bench: Bench) -> None:
    source = f"""{IMPORT}
import random
D = []
def test_0(): D.append(1)
def test_order(): assert D
def test_wrong(): assert shout("a") == "a"
def test_strict(): assert letters("ab") == ["a", "b"]
def test_chance(): assert random.random() < 0.5
{MARK}"""
    assert sorted(bench.grade(source).problems) == [
        ("flaky", f"{FILE}::test_chance"),
        ("order_dependent", f"{FILE}::test_order"),
        ("rejects_reference", f"{FILE}::test_wrong"),
        ("too_strict", f"{FILE}::test_strict"),
    ]


def test_unseeded_randomness_is_named_and_makes_more_correct_runs(bench: Bench) -> None:
    noisy = bench.grade(GOOD + "import random\ndef test_noise(): assert shout(str(random.random()))\n")
    no_problems(noisy)
    assert "it ran 12 times on correct programs" in noisy.notices
    seeded = bench.grade(
        GOOD + "import random\ndef test_noise(): assert shout(str(random.Random(1).random()))\n"
    )
    assert seeded.notices == ""


def test_hypothesis_makes_the_same_draws_each_time_and_is_no_randomness(bench: Bench) -> None:
    source = f"""{IMPORT}
from hypothesis import given, settings, strategies as st
@given(st.text(alphabet="abc", min_size=2, max_size=9))
@settings(max_examples=20)
def test_loud(text): assert shout(text) == text.upper() + "!"
"""
    grade = bench.grade(source)
    no_problems(grade)
    assert grade.notices == ""
    assert set(grade.statuses.values()) == {"killed"}


# The same again -----------------------------------------------------------------------------------------------

MANY_KILLERS = GOOD + "".join(f"def test_{i}(): assert shout('a{i}b') == 'A{i}B!'\n" for i in range(20))
NOISY = GOOD + "import random\ndef test_noise(): assert shout('a')[-1] == '!' or random.random() < 0.5\n"
WRONG = IMPORT + "def test_a(): assert shout('a') == 'a'\ndef test_b(): assert letters('ab') == ['b', 'a']\n"
CRASHING = IMPORT + "import os\ndef test_a(): os.abort()\ndef test_b(): os._exit(3)\n"


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(MANY_KILLERS, id="many killers"),
        pytest.param(NOISY, id="noise"),
        pytest.param(WRONG, id="wrong"),
        pytest.param(CRASHING, id="crashes"),
    ],
)
def test_the_same_seed_gives_the_same_grade_again_and_with_two_jobs(bench: Bench, source: str) -> None:
    first, again, with_two_jobs = (
        without_times(bench.grade(source, seed=1, jobs=jobs)) for jobs in (1, 1, 2)
    )
    assert first == again
    assert first == with_two_jobs


def without_times(grade: Grade) -> object:
    found = grade.found
    faults = [(result.fault.id, result.verdict) for result in found.faults]
    return found.tests, found.problems, faults, found.notices
