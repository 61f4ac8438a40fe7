"""What one run says of each test: every kind of test, every outcome, in a real process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from grader.run import Ending
from grader.workers.wire import Outcome
from tests.engine.conftest import outcomes

if TYPE_CHECKING:
    from grader.run import RunResult
    from tests.engine.conftest import Bench


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
        (
            "from numpy.testing import TestCase\n\nclass TestIt(TestCase):\n"
            "    def setUp(self): self.x = 1\n    def test_it(self): self.assertEqual(self.x, 1)\n"
        ),
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
