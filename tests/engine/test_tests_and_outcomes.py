"""What one run says of each test: every kind of test, every outcome, in a real process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from grader.run import Ending
from grader.workers.wire import LoadEnding, Order, Outcome

if TYPE_CHECKING:
    from grader.run import RunResult
    from grader.workers.pool import Host
    from tests.engine.conftest import Bench


def outcomes(bench: Bench, source: str | dict[str, str], order: Order = Order.COLLECTION) -> dict[str, str]:
    """Test name → outcome, of a run that must get to its end."""
    run = bench.run(source, order=order)
    assert run.ending is Ending.COMPLETED, run.detail
    return {test.partition("::")[2]: result.outcome.value for test, result in run.results.items()}


# What a test is called: a file that holds it alone, and the outcome of its one test.
ONE_TEST = {
    "passes": ("def test(): assert 1", Outcome.PASSED),
    "fails": ("def test(): assert 0", Outcome.FAILED),
    "raises": ("def test(): raise ValueError", Outcome.FAILED),
    "raises a BaseException": ("class Odd(BaseException): pass\ndef test(): raise Odd", Outcome.FAILED),
    "pytest.fail": ("import pytest\ndef test(): pytest.fail('no')", Outcome.FAILED),
    "skips": ("import pytest\ndef test(): pytest.skip('later')", Outcome.SKIPPED),
    "unittest skip": ("import unittest\ndef test(): raise unittest.SkipTest('x')", Outcome.SKIPPED),
    "pytest.xfail": ("import pytest\ndef test(): pytest.xfail('known')", Outcome.XFAILED),
    "xfail that fails": ("import pytest\n@pytest.mark.xfail\ndef test(): assert 0", Outcome.XFAILED),
    "xfail that passes": ("import pytest\n@pytest.mark.xfail\ndef test(): pass", Outcome.XPASSED),
    "strict xfail that passes": (
        "import pytest\n@pytest.mark.xfail(strict=True)\ndef test(): pass",
        Outcome.XPASSED_STRICT,
    ),
    "xfail that raises something else": (
        "import pytest\n@pytest.mark.xfail(raises=KeyError, strict=True)\ndef test(): assert 0",
        Outcome.FAILED,
    ),
    "xfail that does not run": (
        "import pytest\n@pytest.mark.xfail(run=False)\ndef test(): assert 0",
        Outcome.XFAILED,
    ),
    "set-up raises": (
        "import pytest\n@pytest.fixture\ndef f(): raise ValueError\ndef test(f): pass",
        Outcome.ERROR,
    ),
    "tear-down raises": (
        "import pytest\n@pytest.fixture\ndef f():\n    yield\n    raise ValueError\ndef test(f): pass",
        Outcome.ERROR,
    ),
    "call and tear-down raise": (
        "import pytest\n@pytest.fixture\ndef f():\n    yield\n    raise ValueError\ndef test(f): assert 0",
        Outcome.FAILED,
    ),
    "unknown fixture": ("def test(no_such_fixture): pass", Outcome.ERROR),
    "async": ("async def test(): assert 0", Outcome.FAILED),
    "async that would pass": ("async def test(): pass", Outcome.FAILED),
    "reads stdin": ("def test(): assert input() == ''", Outcome.FAILED),
    "endless recursion": ("def test():\n    def f(): f()\n    f()", Outcome.FAILED),
    "an exception group": ("def test(): raise ExceptionGroup('g', [ValueError()])", Outcome.FAILED),
}
UNITTEST = {
    "capsys": (
        "def test(capsys):\n    print('said')\n    assert capsys.readouterr().out == 'said\\n'\n",
        Outcome.PASSED,
    ),
    "capfd": (
        "def test(capfd):\n    print('said', flush=True)\n    assert capfd.readouterr().out == 'said\\n'\n",
        Outcome.PASSED,
    ),
    "caplog": (
        "def test(caplog):\n    caplog.handler\n    assert caplog.records == []\n",
        Outcome.PASSED,
    ),
    "subtests": (
        "def test(subtests):\n    with subtests.test(): pass\n",
        Outcome.PASSED,
    ),
    "a TestCase of numpy's": (
        "from numpy.testing import TestCase\n\nclass TestIt(TestCase):\n"
        "    def setUp(self): self.x = 1\n    def test_it(self): self.assertEqual(self.x, 1)\n",
        Outcome.PASSED,
    ),
    "unittest: passes": (
        "import unittest\n\nclass TestIt(unittest.TestCase):\n    def test_it(self): self.assertEqual(1, 1)\n",
        Outcome.PASSED,
    ),
    "unittest: fails": (
        "import unittest\n\nclass TestIt(unittest.TestCase):\n    def test_it(self): self.assertEqual(1, 2)\n",
        Outcome.FAILED,
    ),
    "unittest: expected failure": (
        "import unittest\n\nclass TestIt(unittest.TestCase):\n    @unittest.expectedFailure\n    def test_it(self): self.fail()\n",
        Outcome.XFAILED,
    ),
    "unittest: unexpected success": (
        "import unittest\n\nclass TestIt(unittest.TestCase):\n    @unittest.expectedFailure\n    def test_it(self): pass\n",
        Outcome.XPASSED_STRICT,
    ),
    "unittest: is skipped": (
        "import unittest\n\nclass TestIt(unittest.TestCase):\n    @unittest.skip('x')\n    def test_it(self): self.fail()\n",
        Outcome.SKIPPED,
    ),
    "unittest: set-up raises": (
        "import unittest\n\nclass TestIt(unittest.TestCase):\n    def setUp(self): raise ValueError\n    def test_it(self): pass\n",
        Outcome.FAILED,
    ),
    "unittest: tear-down raises": (
        "import unittest\n\nclass TestIt(unittest.TestCase):\n    def tearDown(self): raise ValueError\n    def test_it(self): pass\n",
        Outcome.FAILED,
    ),
    "unittest: a subtest fails": (
        "import unittest\n\nclass TestIt(unittest.TestCase):\n    def test_it(self):\n        with self.subTest(1): self.fail()\n",
        Outcome.FAILED,
    ),
    "unittest: a subtest passes": (
        "import unittest\n\nclass TestIt(unittest.TestCase):\n    def test_it(self):\n        with self.subTest(1): pass\n",
        Outcome.PASSED,
    ),
    "unittest: a subtest is skipped": (
        "import unittest\n\nclass TestIt(unittest.TestCase):\n    def test_it(self):\n        with self.subTest(1): self.skipTest('x')\n",
        Outcome.PASSED,
    ),
}
KINDS = ONE_TEST | UNITTEST


@pytest.fixture(scope="module")
def found(shared_bench: Bench) -> RunResult:
    """One run of a suite that holds every kind of test, each in a file of its own."""
    return shared_bench.run(
        {f"test_{i:02}.py": source for i, (source, _outcome) in enumerate(KINDS.values())}
    )


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_test_has_its_outcome(found: RunResult, kind: str) -> None:
    assert found.ending is Ending.COMPLETED
    file = f"test_{list(KINDS).index(kind):02}.py"
    (result,) = [result for test, result in found.results.items() if test.startswith(file)]
    assert result.outcome is KINDS[kind][1], result


def test_a_test_that_meets_the_memory_limit_neither_fails_nor_passes(bench: Bench) -> None:
    run = bench.run("def test_a(): raise MemoryError\ndef test_b(): pass\n")
    assert run.ending is Ending.MEMORY
    assert run.results["test_it.py::test_a"].outcome is Outcome.OUT_OF_MEMORY
    assert run.failed() == []


def test_a_failed_subtest_fails_its_test_and_a_passed_one_passes_nothing(bench: Bench) -> None:
    source = """
        def test_one_of_two(subtests):
            for n in (1, 2):
                with subtests.test(n=n):
                    assert n == 1

        def test_none(subtests):
            with subtests.test():
                assert 1

        def test_after_its_subtests(subtests):
            with subtests.test():
                assert 1
            assert 0
        """
    assert outcomes(bench, source) == {
        "test_one_of_two": "failed",
        "test_none": "passed",
        "test_after_its_subtests": "failed",
    }


def test_every_body_runs_parametrised_in_classes_and_in_fixtures(bench: Bench) -> None:
    source = """
        import pytest

        @pytest.mark.parametrize("n", [1, 2])
        def test_numbers(n): assert n == 1

        class TestInner:
            @pytest.fixture(params=["a", "b"])
            def letter(self, request): return request.param

            def test_letter(self, letter): assert letter == "a"
        """
    assert outcomes(bench, source) == {
        "test_numbers[1]": "passed",
        "test_numbers[2]": "failed",
        "TestInner::test_letter[a]": "passed",
        "TestInner::test_letter[b]": "failed",
    }


def test_of_two_functions_of_one_name_the_last_is_the_test(bench: Bench) -> None:
    assert outcomes(bench, "def test(): assert 0\ndef test(): assert 1\n") == {"test": "passed"}


@pytest.mark.parametrize(
    "value", ["a::b", "a\\nb", "[x]", "é漢", "\\ud800", "a/b.py", " ", "\\x1b[31m", "x" * 3000], ids=str
)
def test_an_odd_id_is_one_id_and_one_test(bench: Bench, value: str) -> None:
    source = f"import pytest\n@pytest.mark.parametrize('x', ['{value}', 'plain'])\ndef test(x): assert x == 'plain'\n"
    host = bench.host(source)
    run = bench.run(host)
    assert [result.outcome for result in run.results.values()] == [Outcome.FAILED, Outcome.PASSED]
    assert len(run.tests) == 2
    for test in run.tests:
        assert bench.run(host, only=[test]).results.keys() == {test}


@pytest.mark.parametrize("name", ["test_a b.py", "test_é.py", "test_v1.2.py", "a-b/test_x.py", "test_'q'.py"])
def test_an_odd_file_name_works(bench: Bench, name: str) -> None:
    run = bench.run({name: "def test(): assert 1\n"})
    assert run.tests == (f"{name}::test",)
    assert run.passed() == set(run.tests)


def test_a_message_holds_the_assertion_and_the_line_of_the_learners_own_frame(bench: Bench) -> None:
    run = bench.run(
        {
            "test_it.py": "import oracle\n\ndef test():\n    oracle.check(1)\n",
            "oracle.py": "def check(x):\n    assert x == 2, 'two'\n",
        }
    )
    (result,) = run.results.values()
    assert "two" in result.message
    assert "1 == 2" in result.message
    assert result.where == "oracle.py:2"


@pytest.mark.parametrize("text", ["'x' * 10_000_000", "'é' * 3999 + 'z'", "'\\ud800'", "'\\x00'"])
def test_a_message_of_any_size_and_content_arrives_cut_to_its_cap(bench: Bench, text: str) -> None:
    (result,) = bench.run(f"def test(): raise ValueError({text})\n").results.values()
    assert result.outcome is Outcome.FAILED
    assert 0 < len(result.message) <= 4000


def test_an_exception_whose_text_cannot_be_made_is_still_a_failure(bench: Bench) -> None:
    source = "class Odd(Exception):\n    def __str__(self): raise SystemExit\ndef test(): raise Odd\n"
    (result,) = bench.run(source).results.values()
    assert result.outcome is Outcome.FAILED
    assert "Odd" in result.message


def test_addresses_and_temporary_paths_are_masked(bench: Bench) -> None:
    source = "def test(tmp_path): raise ValueError(f'{object()} {list(tmp_path.parents)} {__file__}')\n"
    first, second = (bench.run(source).results for _ in range(2))
    (one,), (two,) = first.values(), second.values()
    assert one.message == two.message
    assert "0x…" in one.message
    assert "/ol-" not in one.message


# Loading ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "ending"),
    [
        ("raise ValueError('no')", LoadEnding.RAISED),
        ("assert 0", LoadEnding.RAISED),
        ("import nowhere", LoadEnding.RAISED),
        ("from words.shout import nothing", LoadEnding.RAISED),
        ("class Odd(BaseException): pass\nraise Odd", LoadEnding.RAISED),
        ("import sys\nsys.exit(0)", LoadEnding.EXITED),
        ("raise SystemExit(1)", LoadEnding.EXITED),
        ("raise KeyboardInterrupt", LoadEnding.EXITED),
        ("import pytest\npytest.exit('enough', returncode=0)", LoadEnding.EXITED),
        ("import pytest\npytest.skip('later', allow_module_level=True)", LoadEnding.SKIPPED),
        ("import pytest\npytest.importorskip('nowhere')", LoadEnding.SKIPPED),
        ("import unittest\nraise unittest.SkipTest('later')", LoadEnding.SKIPPED),
        ("raise MemoryError", LoadEnding.OUT_OF_MEMORY),
    ],
)
def test_a_file_that_gives_no_tests_says_why_and_the_others_run(
    bench: Bench, source: str, ending: LoadEnding
) -> None:
    run = bench.run({"test_a.py": f"x = 1\n{source}\n", "test_b.py": "def test(): pass\n"})
    assert {file: failure.ending for file, failure in run.load_failures.items()} == {"test_a.py": ending}
    assert run.passed() == {"test_b.py::test"}
    if ending is not LoadEnding.SKIPPED:
        assert run.load_failures["test_a.py"].where.startswith("test_a.py:")


@pytest.mark.parametrize(
    ("conftest", "failing"),
    [
        ("conftest.py", {"test_a.py", "b/test_b.py", "c/test_c.py"}),
        ("b/conftest.py", {"b/test_b.py"}),
    ],
)
def test_a_conftest_that_does_not_load_counts_as_its_test_files(
    bench: Bench, conftest: str, failing: set[str]
) -> None:
    files = dict.fromkeys(("test_a.py", "b/test_b.py", "c/test_c.py"), "def test(): pass\n")
    run = bench.run(files | {conftest: "x = 1\nraise ValueError('no')\n"})
    assert set(run.load_failures) == failing
    assert {failure.ending for failure in run.load_failures.values()} == {LoadEnding.RAISED}
    assert {failure.where for failure in run.load_failures.values()} == {f"{conftest}:2"}
    assert {test.partition("::")[0] for test in run.passed()} == set(files) - failing


def test_a_helper_that_does_not_load_counts_as_the_file_that_imports_it(bench: Bench) -> None:
    run = bench.run(
        {
            "test_a.py": "import oracle\ndef test(): pass\n",
            "test_b.py": "def test(): pass\n",
            "oracle.py": "raise ValueError('no')\n",
        }
    )
    assert set(run.load_failures) == {"test_a.py"}
    assert run.load_failures["test_a.py"].where == "oracle.py:1"


# Files, helpers, packages -------------------------------------------------------------------------------------


def test_two_files_of_one_name_in_two_folders_both_run_with_their_own_helpers(bench: Bench) -> None:
    run = bench.run(
        {
            "a/test_x.py": "from inputs import X\ndef test(): assert X == 'a'\n",
            "a/inputs.py": "X = 'a'\n",
            "b/test_x.py": "from inputs import X\nimport shared\ndef test(): assert (X, shared.X) == ('b', 'root')\n",
            "b/inputs.py": "X = 'b'\n",
            "shared.py": "X = 'root'\n",
        }
    )
    assert run.passed() == {"a/test_x.py::test", "b/test_x.py::test"}


def test_relative_imports_work_in_tests_and_conftests_with_and_without_init_files(bench: Bench) -> None:
    files = {
        "a/test_x.py": "from . import inputs\nfrom ..shared import X\ndef test(f): assert (inputs.X, X, f) == (1, 2, 3)\n",
        "a/inputs.py": "X = 1\n",
        "a/conftest.py": "import pytest\nfrom ..shared import Y\n@pytest.fixture\ndef f(): return Y\n",
        "shared.py": "X = 2\nY = 3\n",
    }
    inits = {"__init__.py": "", "a/__init__.py": ""}
    for layout in (files, files | inits):
        run = bench.run(layout)
        assert run.passed() == {"a/test_x.py::test"}, run


def test_fixtures_of_a_conftest_reach_the_folders_below_and_the_nearest_wins(bench: Bench) -> None:
    fixture = "import pytest\n@pytest.fixture\ndef where(): return '{}'\n"
    run = bench.run(
        {
            "conftest.py": fixture.format("root"),
            "test_a.py": "def test(where): assert where == 'root'\n",
            "a/conftest.py": fixture.format("a"),
            "a/test_a.py": "def test(where): assert where == 'a'\n",
            "b/test_a.py": "def test(where): assert where == 'root'\n",
        }
    )
    assert len(run.passed()) == 3


@pytest.mark.parametrize(
    "patch",
    [
        "monkeypatch.setattr('words.shout.MARK', '?')",
        "monkeypatch.setattr(words.shout, 'MARK', '?')",
        "__import__('unittest.mock').mock.patch('words.shout.MARK', '?').start()",
    ],
)
def test_a_suite_may_patch_the_module_by_name(bench: Bench, patch: str) -> None:
    source = f"import words.shout\ndef test(monkeypatch):\n    {patch}\n    assert words.shout.shout('a') == 'A?'\n"
    assert outcomes(bench, source) == {"test": "passed"}


def test_a_helper_may_be_patched_by_its_bare_name(bench: Bench) -> None:
    files = {
        "oracle.py": "def f(): return 1\n",
        "test_a.py": "import oracle\ndef test(monkeypatch):\n    monkeypatch.setattr('oracle.f', lambda: 2)\n    assert oracle.f() == 2\n",
    }
    assert outcomes(bench, files) == {"test": "passed"}


# Order --------------------------------------------------------------------------------------------------------

SCOPED = """
    import pytest

    LOG = []

    @pytest.fixture(scope="module")
    def per_module():
        LOG.append("module up")
        yield LOG
        LOG.append("module down")

    @pytest.fixture(scope="class")
    def per_class(request):
        LOG.append(f"{request.cls.__name__} up")
        yield
        LOG.append(f"{request.cls.__name__} down")

    class TestA:
        def test_1(self, per_class, per_module): open_now("TestA")
        def test_2(self, per_class, per_module): open_now("TestA")
        def test_3(self, per_class, per_module): open_now("TestA")

    class TestB:
        def test_1(self, per_class, per_module): open_now("TestB")
        def test_2(self, per_class, per_module): open_now("TestB")

    def test_function(per_module): open_now()

    def open_now(*expected):
        assert LOG.count("module up") == 1
        assert "module down" not in LOG
        for name in ("TestA", "TestB"):
            ups, downs = LOG.count(f"{name} up"), LOG.count(f"{name} down")
            assert ups - downs == (name in expected), LOG
            assert ups <= 1, LOG
    """


def test_scoped_fixtures_are_set_up_once_and_torn_down_in_time_in_every_order(bench: Bench) -> None:
    host = bench.host(SCOPED)
    for order, seed in [(Order.COLLECTION, 0), (Order.REVERSED, 0), *((Order.SHUFFLED, s) for s in range(6))]:
        run = bench.run(host, order=order, order_seed=seed)
        assert [result.outcome for result in run.results.values()] == [Outcome.PASSED] * 6, (
            order,
            seed,
            run.results,
        )


IN_ORDER = """
    class TestA:
        def test_1(self): pass
        def test_2(self): pass

    def test_3(): pass

    class TestB:
        def test_4(self): pass
    """
ORDER = {"test_x.py": IN_ORDER, "test_y.py": IN_ORDER}


@pytest.fixture(scope="module")
def ordered(shared_bench: Bench) -> Host:
    return shared_bench.host(ORDER)


def steps(bench: Bench, ordered: Host, order: Order, order_seed: int = 0) -> list[str]:
    """Node ids in the order in which the tests ended."""
    return list(bench.run(ordered, order=order, order_seed=order_seed).results)


def test_collection_order_and_its_exact_reverse(bench: Bench, ordered: Host) -> None:
    forward = steps(bench, ordered, Order.COLLECTION)
    assert forward == sorted(forward, key=lambda test: (test.partition("::")[0], test[-1]))
    assert steps(bench, ordered, Order.REVERSED) == forward[::-1]


def test_a_shuffled_order_keeps_files_and_classes_together_and_follows_its_seed(
    bench: Bench, ordered: Host
) -> None:
    forward = steps(bench, ordered, Order.COLLECTION)
    orders = [steps(bench, ordered, Order.SHUFFLED, seed) for seed in (1, 1, 2, 3, 4)]
    assert orders[0] == orders[1]
    assert len({tuple(order) for order in orders}) > 2
    for order in orders:
        assert sorted(order) == sorted(forward)
        files = [test.partition("::")[0] for test in order]
        assert files in (sorted(files), sorted(files, reverse=True))
        for name in ("test_x.py", "test_y.py"):
            inside = [test for test in order if test.startswith(f"{name}::TestA")]
            first = order.index(inside[0])
            assert order[first : first + 2] == inside


def test_a_test_that_is_run_alone_runs_alone(bench: Bench) -> None:
    source = "RAN = []\ndef test_a(): RAN.append(1)\ndef test_b(): assert not RAN\n"
    both, alone = bench.run(source), bench.run(source, only=["test_it.py::test_b"])
    assert both.failed() == ["test_it.py::test_b"]
    assert list(alone.results) == ["test_it.py::test_b"]
    assert alone.passed() == {"test_it.py::test_b"}
    assert alone.tests == both.tests


def test_a_file_without_tests_and_an_empty_selection_complete(bench: Bench) -> None:
    assert bench.run("x = 1\n").tests == ()
    assert bench.run("def test(): pass\n", only=["nowhere"]).ending is Ending.COMPLETED
