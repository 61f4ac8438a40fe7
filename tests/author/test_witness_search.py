"""The search finds a small input that shows a fault, whatever the fault does, and says when there is probably none."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from tinyllm.autograd.tensor import Tensor
from tinyllm.nn.layers import Linear

from grader.author.witness import Found, Laboratory, Search, find, laboratory
from grader.author.witness.author_inputs import author_templates
from grader.author.witness.templates import Choice, Template, Whole
from grader.errors import HarnessError, MissingExtraError
from grader.lesson import Lesson, fault_source, load_lesson

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
NORM = "tinyllm/modern/norm.py"
DUE = "diary/due.py"
FAULTS = ("s01", "s02", "s03", "s04", "s05", "s06", "s07", "s08", "s09")
SEARCH = Search(inputs=200)

DAYS = Choice(("'2024-01-31'", "'2023-02-28'", "'2023-12-01'", "'no date'"))
DATES = [Template("return add_months($day, $months)", {"day": DAYS, "months": Whole(-3, 3)})]


@pytest.fixture(scope="module")
def norm() -> Iterator[Laboratory]:
    with Laboratory(load_lesson(ROOT, "L7.1")) as opened:
        yield opened


@pytest.fixture(scope="module")
def dates() -> Iterator[Laboratory]:
    with Laboratory(load_lesson(ROOT / "tests/cases/diary", "D1")) as opened:
        yield opened


def source_of(lesson: Lesson, file: str) -> str:
    return next(module.source for module in lesson.reference_modules.values() if module.file == file)


def changed(lesson: Lesson, file: str, old: str, new: str) -> dict[str, str]:
    """The reference with one text replaced, which stands there once."""
    source = source_of(lesson, file)
    assert source.count(old) == 1, old
    return {file: source.replace(old, new)}


def on_dates(opened: Laboratory, old: str, new: str, templates: list[Template] = DATES) -> Found:
    return find(opened, changed(opened.lesson, DUE, old, new), SEARCH, templates=templates)


# What is found, judged without the search's own code ----------------------------------------------------------


def value(call: str, source: str, dtype: object) -> object:
    """What a witness of the lesson about norms gives on a module with this source."""
    module = ModuleType("norm")
    exec(compile(source, "<program>", "exec"), vars(module))  # noqa: S102 - the course's own source
    space: dict[str, Any] = {**vars(module), "np": np, "Tensor": Tensor, "Linear": Linear, "dtype": dtype}
    exec(f"def witness():\n{textwrap.indent(call, '    ')}\n", space)  # noqa: S102 - as above
    found: object = space["witness"]()
    return found


def assert_holds(call: str, right: str, wrong: str) -> None:
    for dtype, least in ((np.float32, 100 * 1e-5), (np.float64, 100 * 1e-9)):
        one, other = value(call, right, dtype), value(call, wrong, dtype)
        assert type(one) is type(other)
        if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
            assert np.abs(one - other).max() >= least * np.abs(one).max()
        else:
            assert one != other


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_gets_a_small_witness_that_holds_in_both_dtypes(fault: str, norm: Laboratory) -> None:
    known = next(each for each in norm.lesson.faults if each.id == fault)
    faulty = fault_source(norm.lesson, known)
    found = find(norm, faulty, SEARCH, templates=author_templates(norm.lesson))

    assert found.call is not None
    assert_holds(found.call, source_of(norm.lesson, NORM), faulty[NORM])
    assert found.call.count("\n") < 4
    assert len(found.call) < 140
    assert found.right != found.wrong
    assert {"s01": "0.001", "s03": "offset", "s04": "pre_norm", "s08": "pre_norm", "s09": "backward"}.get(
        fault, "RMSNorm"
    ) in found.call


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("F.mean(x * x, axis", "F.mean(x ** 2, axis"),
        ("return x + sublayer(norm(x))", "return sublayer(norm(x)) + x"),
        ("(mean_square + self.eps) ** -0.5", "1 / F.sqrt(mean_square + self.eps)"),
        ("if d < 1:", "if not d >= 1:"),
    ],
)
def test_another_way_to_write_the_reference_is_probably_equivalent(
    old: str, new: str, norm: Laboratory
) -> None:
    tried: list[int] = []
    templates = author_templates(norm.lesson)
    sources = changed(norm.lesson, NORM, old, new)
    found = find(norm, sources, Search(inputs=200), templates=templates, on_input=tried.append)
    assert found.probably_equivalent
    assert (found.call, found.partial, found.first) == (None, None, 0)
    assert tried == list(range(1, found.inputs + 1))
    assert 150 <= found.inputs <= 250
    assert 75 <= found.known <= found.inputs


def test_without_a_file_of_inputs_witnesses_and_signatures_do(norm: Laboratory) -> None:
    """A fault that no witness of the lesson shows as it is: only with another eps."""
    sources = changed(norm.lesson, NORM, "self.eps = eps", "self.eps = min(eps, 1e-3)")
    bare = [each for each in norm.lesson.faults if each.id in {"s01", "s02"}]
    lesson = msgspec.structs.replace(norm.lesson, root=Path("/nowhere"), faults=tuple(bare))
    with Laboratory(lesson) as opened:
        found = find(opened, sources, SEARCH)
    assert found.call is not None
    assert "eps=" in found.call
    assert_holds(found.call, source_of(lesson, NORM), sources[NORM])


# Faults that do worse than to return another value --------------------------------------------------------------


def test_a_fault_that_loops_is_given_up_and_shown(dates: Laboratory) -> None:
    found = on_dates(dates, "    year, month, number = parts(day)\n", LOOPS_BACK)
    assert found.wrong == "does not end"
    assert found.right.startswith("gives '20")
    assert found.call is not None
    assert "-" in found.call.partition(",")[2]


LOOPS_BACK = """\
    year, month, number = parts(day)
    while months < 0:
        pass
"""


def test_a_fault_that_waits_is_given_up_too(dates: Laboratory) -> None:
    waits = "    if months == 3:\n        import time\n        time.sleep(3600)\n    year, month, number = parts(day)\n"
    one = [Template("return add_months('2024-01-31', $months)", {"months": Choice(("0", "3"))})]
    found = on_dates(dates, "    year, month, number = parts(day)\n", waits, one)
    assert (found.call, found.wrong) == ("return add_months('2024-01-31', 3)", "does not end")


def test_a_fault_that_cannot_be_stopped_from_inside_is_stopped_from_outside(
    dates: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(laboratory, "DEADLINE", 3.0)
    one = [Template("return add_months('2024-01-31', $months)", {"months": Choice(("0", "3"))})]
    found = on_dates(dates, "    year, month, number = parts(day)\n", UNSTOPPABLE, one)
    assert (found.call, found.wrong) == ("return add_months('2024-01-31', 3)", "does not end")
    assert found.right == "gives '2024-04-30'"


UNSTOPPABLE = """\
    while months == 3:
        try:
            while True:
                pass
        except BaseException:
            continue
    year, month, number = parts(day)
"""


def test_a_fault_that_ends_its_process_is_shown(dates: Laboratory) -> None:
    aborts = (
        "    if months > 1:\n        import os\n        os.abort()\n    year, month, number = parts(day)\n"
    )
    found = on_dates(dates, "    year, month, number = parts(day)\n", aborts)
    assert found.wrong == "ends the process"
    assert found.call == "return add_months('2024-01-31', 2)"
    assert found.right == "gives '2024-03-31'"


def test_an_input_that_ends_on_no_program_shows_nothing(dates: Laboratory) -> None:
    endless = [Template("while True:\n    pass\nreturn $x", {"x": Choice(("1",))})]
    found = on_dates(dates, "+ months", "+ 2 * months", endless)
    assert found.call is None
    assert not found.probably_equivalent  # nothing was learnt


def test_a_missing_exception_becomes_a_value_that_can_be_compared(dates: Laboratory) -> None:
    found = on_dates(
        dates, 'raise ValueError(f"{day!r} is no date: write it as 2024-02-29") from None', "return 1, 1, 1"
    )
    assert found.call is not None
    assert "except Exception as error" in found.call
    assert (found.right, found.wrong) == ("gives 'ValueError'", "gives 'no exception'")


def test_a_fault_that_does_not_load_raises_on_every_input(dates: Laboratory) -> None:
    found = on_dates(dates, "from diary.months import", "from diary.month import")
    assert found.wrong == "raises ModuleNotFoundError"


# What is no witness -------------------------------------------------------------------------------------------


def test_a_difference_in_one_dtype_alone_is_told_and_is_no_witness(norm: Laboratory) -> None:
    doubled = changed(norm.lesson, NORM, "return x * inverse_rms * gain", ONLY_DOUBLE)
    found = find(norm, doubled, SEARCH, templates=author_templates(norm.lesson)[1:2])
    assert found.call is None
    assert found.partial is not None
    assert not found.probably_equivalent


ONLY_DOUBLE = "return x * inverse_rms * gain * (2 if x.dtype == np.float64 else 1)"


def test_what_another_correct_program_does_too_is_no_witness(dates: Laboratory) -> None:
    """The input on which a variant differs from the reference is nothing that a suite may ask for."""
    old, new = (
        "count = year * MONTHS + month - 1 + months",
        "count = year * MONTHS + month - 1 + min(months, 2)",
    )
    wrong = changed(dates.lesson, DUE, old, new)
    assert on_dates(dates, old, new).call == "return add_months('2024-01-31', 3)"
    variant = msgspec.structs.replace(dates.lesson.variants[0], source=wrong[DUE])
    with Laboratory(msgspec.structs.replace(dates.lesson, variants=(variant,))) as opened:
        assert find(opened, wrong, SEARCH, templates=DATES).probably_equivalent


def test_what_changes_from_load_to_load_is_no_witness(dates: Laboratory) -> None:
    by_address = [Template("return id(add_months) + $x", {"x": Whole(0, 9)})]
    assert on_dates(dates, "+ months", "+ 2 * months", by_address).call is None


def test_no_input_leaves_anything_to_the_next(dates: Laboratory) -> None:
    """A fault that is wrong from its second call on shows where one input calls twice, and nowhere else."""
    old, new = "    year, month, number = parts(day)\n", REMEMBERS
    assert on_dates(dates, old, new).probably_equivalent
    twice = [Template("return [add_months('2024-01-31', n) for n in range($n)]", {"n": Whole(0, 4)})]
    assert on_dates(dates, old, new, twice).call == "return [add_months('2024-01-31', n) for n in range(2)]"


REMEMBERS = """\
    global calls
    calls = globals().get("calls", 0) + 1
    year, month, number = parts(day)
    year += calls > 1
"""


# The search itself --------------------------------------------------------------------------------------------


def test_a_fault_in_another_module_is_found(dates: Laboratory) -> None:
    fault = next(each for each in dates.lesson.faults if each.edits[0].file == "diary/months.py")
    found = find(dates, fault_source(dates.lesson, fault), SEARCH)
    assert found.call == fault.witness.call


def test_the_same_seed_finds_the_same_by_the_same_way(dates: Laboratory) -> None:
    def way(seed: int) -> tuple[Found, list[int]]:
        tried: list[int] = []
        sources = changed(dates.lesson, DUE, "count = year", "count = (months == 3) + year")
        return find(dates, sources, Search(40, seed), templates=DATES, on_input=tried.append), tried

    assert way(1) == way(1)
    assert len({tuple(way(seed)[1][-1:]) for seed in range(4)}) > 1


def test_without_shrinking_the_first_difference_ends_the_search(dates: Laboratory) -> None:
    sources = changed(dates.lesson, DUE, "count = year", "count = 1 + year")
    found = find(dates, sources, Search(shrink=False), templates=[*DATES, *DATES])
    assert found.call is not None
    assert found.first == found.inputs


def test_without_hypothesis_the_extra_to_install_is_named(
    dates: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "hypothesis", None)
    with pytest.raises(MissingExtraError, match="hypothesis"):
        on_dates(dates, "+ months", "+ 2 * months")


def test_nothing_is_left_of_a_laboratory_that_was_closed(dates: Laboratory) -> None:
    with Laboratory(dates.lesson) as opened, opened.bench({}) as bench:
        process, pid = opened._process, bench.pid
        assert bench.judge("return 1").known
    assert process.poll() is not None
    assert not alive(pid)


def test_a_laboratory_that_is_gone_is_an_error_of_the_machine(dates: Laboratory) -> None:
    with Laboratory(dates.lesson) as opened:
        opened._process.kill()
        opened._process.wait()
        with pytest.raises(HarnessError):
            on_dates(opened, "+ months", "+ 2 * months")


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
