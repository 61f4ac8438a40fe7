"""The orders in which one run can go through a suite, in a real process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from grader.run import Ending
from grader.workers.wire import Order, Outcome

if TYPE_CHECKING:
    from grader.workers.pool import Host
    from tests.engine.conftest import Bench


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
