"""What `ol mutants suggest` shows, kept as files: at every width, plain and in colour."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.author.candidates.model import Candidate, Class, Judged
from grader.author.candidates.suggest import Suggested
from grader.writers.terminal import candidates

GOLDEN = Path(__file__).parent / "other"
WIDTHS = [(width, colour) for width in (40, 80, 120) for colour in (False, True)]
TESTS = tuple(f"test_norm.py::test_{name}" for name in ("values", "gradient", "shape"))
LINE = "    return x / sqrt(mean(x * x, axis=-1, keepdims=True) + self.eps) * (self.offset + self.weight)"


def judged(number: int, kind: Class, before: str, after: str, **more: Any) -> Judged:
    candidate = Candidate(
        id=f"{number:010x}",
        file="pkg/norm.py",
        function="Norm.forward",
        original=before,
        replacement=after,
        occurrence=0,
        start=LINE.index(before),
        line=7,
        lines_before=LINE,
        lines_after=LINE.replace(before, after, 1),
        operators=("mutmut:operator",),
        source="",
        lines=range(7, 8),
    )
    return Judged(candidate, kind, reached_by=3, **more)


FOUND = [
    judged(0xA1, Class.MISSED, "self.eps", "0", score=1.0, evidence="differs on input 3 of 40", witness="small = [1e-3]\nreturn Norm(1)(small)"),
    judged(0xB2, Class.KILLED, "self.weight)", "self.weight.data)", score=0.85, killed_by=TESTS[1:2], reasons=("few tests notice it",)),
    judged(0xC3, Class.KILLED, "axis=-1", "axis=0", score=0.4, killed_by=TESTS[:2], evidence="dies by the tests of s05"),
    judged(0xD4, Class.TWIN, "mean(", "sum(", killed_by=TESTS[:1], twin="s07", evidence="the same tests and the same values as s07"),
    judged(0xE5, Class.TOO_EASY, "sqrt(", "None(", killed_by=TESTS, evidence="raises in every test that executes it"),
]  # fmt: skip
SUGGESTED = Suggested("L1", "", TESTS, tuple(FOUND), ("s02: other tests kill it here than it says.",), 0.05)


@pytest.mark.parametrize(("width", "colour"), WIDTHS, ids=str)
@pytest.mark.parametrize("verbose", [False, True], ids=["table", "in-full"])
def test_candidates_look_as_they_did(
    width: int,
    colour: bool,
    verbose: bool,
    screen: Callable[..., str],
    golden: Callable[[str, Path], None],
) -> None:
    shown = FOUND if verbose else FOUND[:4]
    page = screen(
        lambda console: candidates.show(SUGGESTED, shown, console, verbose=verbose), width, colour=colour
    )
    name = "mutants-suggest-v" if verbose else "mutants-suggest"
    golden(page, GOLDEN / name / f"{width}.{'ansi' if colour else 'txt'}")
    assert not verbose or all(test in "".join(page.split()) for test in TESTS if not colour and width > 40)
