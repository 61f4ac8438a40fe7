"""No suite of the corpus gains a kill, harms the machine or learns a secret: with the static policy and without it.

A case is a folder `attack-NAME` of `fixtures/L7.1/submissions`. Its `expect.toml` is like every other; its
`unchecked.toml`, of the same form, is the verdict without the policy. Most suites hold one weak and honest test beside
the attack, so the verdict of that test alone is what they get, or none: an attack that works changes it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from tests.attacks.machine import COURSE, Machine, code_in, dangers, secrets_in
from tests.e2e.test_submissions import Expectation, differences

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES = sorted((COURSE / "fixtures" / "L7.1" / "submissions").glob("attack-*"))
SECONDS = 90  # far above what any case needs, so that a hanging grader is a failed test
COMMAND = (sys.executable, "-P", "-m", "grader")
WITHOUT_POLICY = (sys.executable, "-P", str(Path(__file__).with_name("without_policy.py")))
# Attacks by the clock: how they are refused depends on it, that they are refused does not.
CLOCKED = {"attack-takes-a-failure-back", "attack-takes-a-failure-back-by-exit"}
# What a grader may find in its surroundings, and must neither follow nor hand on.
SURROUNDINGS = {
    "PYTEST_ADDOPTS": "--collect-only",
    "PYTEST_PLUGINS": "none",
    "PYTHONOPTIMIZE": "",
    "CI": "true",
}
SECRETS = {
    "the environment": "planted-in-the-environment-5c1f",
    "a file in HOME": "planted-in-the-home-folder-93ab",
    "another submission": "planted-in-a-sibling-suite-d27e",
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A machine in small: a home, a working folder, temporary files, and another learner's suite beside."""
    for name in ("home", "cwd", "temp", "sibling"):
        (tmp_path / name).mkdir()
    (tmp_path / "home" / ".token").write_text(SECRETS["a file in HOME"])
    (tmp_path / "sibling" / "test_norm.py").write_text(f"SECRET = {SECRETS['another submission']!r}\n")
    return tmp_path


def environment(place: Path) -> dict[str, str]:
    own = {
        "HOME": str(place / "home"),
        "TMPDIR": str(place / "temp"),
        "SECRET_TOKEN": SECRETS["the environment"],
    }
    return {name: value for name, value in os.environ.items() if name != "OL_DEBUG"} | SURROUNDINGS | own


def graded(command: tuple[str, ...], folder: Path, expected: Expectation, place: Path) -> Iterator[str]:
    """Grade a case and name everything that is wrong about what came of it."""
    suite = folder / "suite"
    machine = Machine(place / "temp", (place / "home", place / "cwd", place / "sibling", suite))
    report = place / "report.json"
    arguments = ["check", "L7.1", "--only", "mutation", "--tests", str(suite), "--json", str(report)]
    done = subprocess.run(
        [*command, *arguments, *expected.options],
        cwd=place / "cwd",
        env=environment(place),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    screen = (done.stdout + done.stderr).decode("utf-8", "surrogateescape")
    yield from machine.changes()
    yield from dangers(screen)
    written = report.read_text(encoding="utf-8") if report.exists() else ""
    outputs = {"the screen": screen, "the report": written}
    yield from secrets_in(outputs, SECRETS)
    yield from code_in(outputs, suite)
    if not written:
        yield f"there is no report: exit {done.returncode}: {screen[-3000:]}"
    else:
        found = differences(expected, msgspec.json.decode(written), done.returncode)
        yield from (what for what in found if folder.name not in CLOCKED or "problem" not in what)


def expectation(folder: Path, name: str) -> Expectation:
    return msgspec.toml.decode((folder / name).read_bytes(), type=Expectation)


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_an_attack_gains_nothing(folder: Path, place: Path) -> None:
    expected = expectation(folder, "expect.toml")
    assert list(graded((*COMMAND,), folder, with_seed(expected, 7), place)) == []


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_an_attack_gains_nothing_without_the_static_policy(folder: Path, place: Path) -> None:
    expected = expectation(folder, "unchecked.toml")
    assert not expected.policy
    assert list(graded(WITHOUT_POLICY, folder, with_seed(expected, 11), place)) == []


def with_seed(expected: Expectation, seed: int) -> Expectation:
    return msgspec.structs.replace(expected, options=(*expected.options, "--seed", str(seed)))


# Attacks that leave nothing behind where nothing holds them.
ESCAPING = (
    "attack-signals-everybody",
    "attack-reads-files-with-numpy",
    "attack-starts-programs",
    "attack-reads-environments",
)


@pytest.mark.parametrize("name", ESCAPING)
def test_an_attack_is_noticed_where_nothing_holds_it(name: str, place: Path) -> None:
    folder = CASES[0].with_name(name)
    expected = with_seed(expectation(folder, "unchecked.toml"), 11)
    free = msgspec.structs.replace(expected, options=(*expected.options, "--sandbox", "off"))
    assert [what for what in graded(WITHOUT_POLICY, folder, free, place) if "status is invalid" in what]


HONEST = "test_honest.py"


def test_there_are_enough_attacks_and_each_says_what_it_does() -> None:
    assert len(CASES) >= 60
    reasons = [expectation(folder, "expect.toml").why for folder in CASES]
    assert len(set(reasons)) == len(CASES)
    honest = {
        (folder / "suite" / HONEST).read_text() for folder in CASES if (folder / "suite" / HONEST).exists()
    }
    assert len(honest) == 1, "what the honest test earns is the same everywhere"


@pytest.mark.parametrize("name", ["expect.toml", "unchecked.toml"])
@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_no_expectation_lets_an_attack_pass(folder: Path, name: str) -> None:
    expected = expectation(folder, name)
    assert expected.status in {"failed", "invalid"}
    assert set(expected.killed or ()) <= {"s02", "s07"}, "no more than the honest test earns"
