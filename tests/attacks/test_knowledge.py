"""What attackers know of the published programs is true, so it would tell programs apart that are not rewritten."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.attacks.machine import COURSE

if TYPE_CHECKING:
    from pathlib import Path

INFORMED = sorted((COURSE / "fixtures" / "L7.1" / "submissions").glob("*/suite/teller.py"))
# A bytecode belongs to one version of Python; what is compared otherwise is the same in all.
VERSION = (3, 11)
OF_ONE_VERSION = {
    "bytecode",
    "line-table",
    "loader",
    "frames",
    "opcode-trace",
    "size",
    "traceback",
    "names-and-constants",
}

PROGRAM = """
import sys
from pathlib import Path
from grader.lesson import load_lesson
from grader.programs import library_of, programs_of
from grader.workers import library

course, *suites = sys.argv[1:]
lesson = load_lesson(Path(course), "L7.1")
programs = programs_of(lesson)
importer = library.install()
importer.add(library_of(lesson).modules)
importer.import_all()
package, _dot, name = lesson.module.rpartition(".")
parent = sys.modules[package]
for suite in suites:
    sys.path.append(suite)
    for program in (*programs.correct, *programs.faults):
        importer.add(program.modules)
        for loaded in (lesson.module, "teller", "known"):
            sys.modules.pop(loaded, None)
        vars(parent).pop(name, None)
        import teller
        from known import KNOWN
        print(Path(suite).parent.name, program.name, program.kind.correct, teller.fingerprint() in KNOWN)
    sys.path.remove(suite)
"""


@pytest.fixture(scope="module")
def told() -> list[list[str]]:
    """Of each attacker and each program: whether it is correct, and whether the attacker takes it for correct."""
    suites = [str(teller.parent) for teller in INFORMED]
    command = [sys.executable, "-B", "-P", "-c", PROGRAM, str(COURSE), *suites]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line.split() for line in done.stdout.splitlines()]


@pytest.mark.parametrize("teller", INFORMED, ids=lambda path: path.parents[1].name)
def test_the_attacker_knows_the_published_programs(teller: Path, told: list[list[str]]) -> None:
    attack = teller.parents[1].name
    if attack.removeprefix("attack-tells-by-") in OF_ONE_VERSION and sys.version_info[:2] != VERSION:
        pytest.skip(f"what it knows is of Python {VERSION[0]}.{VERSION[1]}")
    programs = {name: (correct, known) for case, name, correct, known in told if case == attack}
    assert [name for name, verdict in programs.items() if verdict == ("True", "False")] == []
    named = {name for name, verdict in programs.items() if verdict == ("False", "False")}
    assert named - {"s02", "s07"}, "it tells more faults than the honest test beside it shows"


def test_there_are_informed_attackers() -> None:
    assert len(INFORMED) >= 8
