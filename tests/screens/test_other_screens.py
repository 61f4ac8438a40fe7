"""Every other screen: help, lessons, the two modules beside each other, what the doctor found, and errors."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import click
import pytest
from click.testing import CliRunner
from rich.console import Console

from grader.author.catalogue import FaultPlace
from grader.author.draft import Draft
from grader.author.listing import Listed
from grader.author.reanchor import Place, Stale
from grader.author.story import Story
from grader.cli import main
from grader.console import print_error
from grader.errors import PathNotFoundError, WorkspaceNotFoundError
from grader.lesson.model import Edit, Witness
from grader.machine import Check
from grader.standing import Standing
from grader.writers.terminal import beside, checks, fault_anchor, fault_list, fault_story, lessons

GOLDEN = Path(__file__).parent / "other"
WIDTHS = [(40, False), (80, False), (120, False), (80, True), (120, True)]
YOURS = '''"""My norm."""

import numpy as np


class RMSNorm:
    def forward(self, x):
        eps = self.eps\t# \x1b[31minside
        return x / np.sqrt(np.mean(x * x, -1) + eps) * self.weight
'''
REFERENCE = '''"""My norm."""

from tinyllm.autograd import functional as F


class RMSNorm:
    def forward(self, x):
        mean_square = F.mean(x * x, axis=-1, keepdims=True)  # [..., 1]
        inverse_rms = (mean_square + self.eps) ** -0.5  # [..., 1]
        return x * inverse_rms * self.weight
'''
STANDINGS = [
    Standing("L7.1", "Pre-LN, RMSNorm", "R5", 8, 9, "passed", 3, 9, "2026-01-02T03:04:05+00:00"),
    Standing("L7.2", "Rotary position embedding", "R4", 6, 7, "tried", 1, None, "2026-01-02T03:04:05+00:00"),
    Standing("L7.10", "Grouped-query attention", "R5", 8, 9, "not started"),
]
CHECKS = [
    Check("python", ok=True, sentence="CPython 3.11.7"),
    Check("speed", ok=False, sentence="7.31 s for one run", fix="close what else is running"),
]

FAULT = Draft(
    title="eps outside the root",
    symptom="small activations come out several percent off",
    hint="every input is so large that eps leaves no trace",
    caught_by=("test_eps_inside_the_root", "test_golden_values"),
    witness=Witness(call="\nx = Tensor(np.array([1e-3, -1e-3], dtype))\nreturn RMSNorm(2)(x).data\n"),
    pitfall=1,
    required=True,
)
EDIT = Edit(file="pkg/norm.py", find="root = (m + eps) ** -0.5", replace="root = 1 / (sqrt(m) + eps)")
STALE = Stale(0, EDIT, (Place(0, 0, 7, "r = (m + eps) ** -0.5", "r = 1 / (sqrt(m) + eps)"),))
AMBIGUOUS = Stale(1, EDIT, (Place(0, 0, 2, EDIT.find, EDIT.replace), Place(0, 0, 6, EDIT.find, EDIT.replace)))


def place_of(fault: str) -> FaultPlace:
    return FaultPlace("L7.1", fault, Path(f"mutants/L7.1/{fault}-a-title.toml"))


FAULTS = [
    Listed(place_of("s01"), FAULT),
    Listed(
        place_of("s02"),
        Draft(title="a title with \x1b[31mescapes"),
        "s02: hint, witness: still to be written",
    ),
    Listed(
        place_of("s03"), Draft(), "mutants/L7.1/s03-a-title.toml: toml: Invalid value (at line 1, column 9)"
    ),
]
DIFF = (
    "--- reference/pkg/norm.py",
    "+++ L7.1/s01",
    "@@ -7 +7 @@",
    f"-    {EDIT.find}",
    f"+    {EDIT.replace}",
)

Draw = Callable[[Console], None]
Golden = Callable[[str, Path], None]


class Screen(Protocol):
    def __call__(self, draw: Draw, width: int, *, colour: bool = False) -> str: ...


DRAWN: dict[str, Draw] = {
    "diff": lambda console: beside.show(YOURS, REFERENCE, console),
    "diff-of-equals": lambda console: beside.show(REFERENCE, REFERENCE, console),
    "list": lambda console: lessons.table(STANDINGS, console),
    "doctor": lambda console: checks.table(CHECKS, console),
    "mutants-list": lambda console: fault_list.table(FAULTS, console),
    "mutants-show": lambda console: fault_story.show(Story(place_of("s01"), FAULT, DIFF), console),
    "mutants-show-stale": lambda console: fault_story.show(
        Story(place_of("s01"), FAULT, problem="edit[0].find: matches nothing in pkg/norm.py", unfit=(EDIT,)),
        console,
    ),
    "mutants-show-run": lambda console: fault_story.show(
        Story(place_of("s01"), FAULT, DIFF, killers=("test_golden_values",)), console
    ),
    "mutants-edit": lambda console: fault_anchor.show(STALE, REFERENCE, console),
    "mutants-edit-ambiguous": lambda console: fault_anchor.show(AMBIGUOUS, REFERENCE, console),
}


@pytest.mark.parametrize(("width", "colour"), WIDTHS, ids=str)
@pytest.mark.parametrize("name", DRAWN)
def test_a_screen_looks_as_it_did(
    name: str, width: int, colour: bool, screen: Screen, golden: Golden
) -> None:
    page = screen(DRAWN[name], width, colour=colour)
    golden(page, GOLDEN / name / f"{width}.{'ansi' if colour else 'txt'}")


@pytest.mark.parametrize("width", [40, 80, 120])
def test_escapes_in_a_learners_module_are_shown_and_not_obeyed(width: int, screen: Screen) -> None:
    page = screen(DRAWN["diff"], width)
    assert "\x1b" not in page
    assert "\\x1b[31m" in page.replace("\n", "")


def every_command(group: click.Group, before: str = "") -> Iterator[str]:
    """All words after `ol` that are a command, or a group of them; none for `ol` itself."""
    yield before
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        words = f"{before} {name}".strip()
        yield from every_command(command, words) if isinstance(command, click.Group) else [words]


@pytest.mark.parametrize("command", list(every_command(main)), ids=str)
def test_help_reads_as_it_did_and_has_an_example(command: str, golden: Golden) -> None:
    words = [*command.split(), "-h"]
    shown = CliRunner().invoke(main, words, prog_name="ol", terminal_width=80, max_content_width=80)
    assert shown.exit_code == 0
    assert shown.output.isascii()
    assert "  ol " in shown.output.partition("Options:")[0].partition("Usage:")[2].partition("\n")[2]
    golden(shown.output, GOLDEN / "help" / f"{command.replace(' ', '-') or 'ol'}.txt")


def test_an_error_is_a_sentence_a_hint_and_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    print_error(PathNotFoundError("no/such\x1b[31m/folder"))
    assert capsys.readouterr().err.splitlines() == [
        "ol: no/such\\x1b[31m/folder does not exist.",
        "    Check the spelling and the folder that you are in.",
        "    [path-not-found]",
    ]


def test_an_error_says_nothing_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    print_error(WorkspaceNotFoundError("/home/ada"))
    assert capsys.readouterr().out == ""
