"""Whatever is killed, and whenever: the grades are those of an undisturbed run, and nothing is graded twice or lost."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.classroom.school import STATUSES, Ended, lay_class, lay_course
from tests.processes import PATIENCE, children_of, command_line, environment, processes_in, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ROUNDS = 2  # submissions of each kind
KILLS = 6  # of the soak test
# The policy lets no suite import `time`, so it is reached in a roundabout way.
SLEEPER = "zz-sleeps"
SLEEPING = "import warnings\ndef test_sleep(): warnings.sys.modules['time'].sleep(600)\n"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_course(tmp_path_factory.mktemp("course"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_class(tmp_path / "class", ROUNDS)


@pytest.fixture
def sleeper(folder: Path) -> Path:
    """One whose suite does not end, so that a run is not over before it is disturbed; a test removes it in time."""
    suite = folder / SLEEPER
    suite.mkdir()
    (suite / "test_it.py").write_text(SLEEPING, encoding="utf-8")
    return suite


class Run:
    """`ol grade` on a class, while it goes on."""

    def __init__(self, folder: Path, course: Path, *more: object, out: str = "out") -> None:
        self.temp = folder.parent / "temp"
        self.out = folder.parent / out
        self.temp.mkdir(exist_ok=True)
        arguments = ["W1", folder, "--out", self.out, "--course", course, "--jobs", 2, "--seed", 7]
        self.process = subprocess.Popen(
            command_line("grade", *arguments, *more),
            cwd=folder.parent,
            env=environment(self.temp),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def ended(self) -> Ended:
        out, err = self.process.communicate(timeout=PATIENCE)
        return Ended(self.process.returncode, out, err)

    @property
    def over(self) -> bool:
        return self.process.poll() is not None

    def reported(self) -> int:
        """Submissions whose report is written."""
        return len(list(self.out.glob("submissions/*/report.json")))

    def wait_until(self, holds: Callable[[], object], what: str) -> None:
        wait_until(lambda: self.over or holds(), what)

    def no_process_is_left(self) -> None:
        """Of a command that was killed, the processes notice it by themselves."""
        wait_until(lambda: not processes_in(self.temp), "a process is left")

    def nothing_is_left(self) -> None:
        self.no_process_is_left()
        wait_until(lambda: not list(self.temp.iterdir()), "a file is left")

    def workers(self) -> list[int]:
        return children_of(self.process.pid)

    def servers(self) -> list[int]:
        return [server for worker in self.workers() for server in children_of(worker)]


@pytest.fixture
def runs() -> Iterator[list[Run]]:
    """Those that a test starts; what is still there at its end is killed."""
    started: list[Run] = []
    yield started
    for run in started:
        run.process.kill()
        run.process.communicate()
        run.no_process_is_left()


def attempts(out: Path) -> list[tuple[str, str]]:
    """Place and status of each attempt."""
    with contextlib.closing(sqlite3.connect(out / "grades.sqlite")) as database:
        return list(database.execute("SELECT place, status FROM attempts ORDER BY id"))


def grades(out: Path) -> list[str]:
    """The lines of the table, without the sleeper's."""
    lines = (out / "grades.csv").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith(SLEEPER)]


def expected() -> dict[str, str]:
    return {f"{kind}-{number}": status for kind, status in STATUSES.items() for number in range(ROUNDS)}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_a_run_that_was_ended_goes_on_where_it_was(
    folder: Path, sleeper: Path, course: Path, runs: list[Run], number: signal.Signals
) -> None:
    first = Run(folder, course)
    runs.append(first)
    first.wait_until(lambda: first.reported() >= 2, "nothing was graded")
    first.process.send_signal(number)
    ended = first.ended()
    if number == signal.SIGINT:
        assert (ended.code, ended.out) == (130, "")
        assert ended.err.count("\n") == 1
        assert "submissions are graded and kept" in ended.err
        assert list(first.temp.iterdir()) == []
        assert len(grades(first.out)) == 1 + len(attempts(first.out))
    else:
        assert ended.code == -signal.SIGKILL
    first.nothing_is_left()
    before = attempts(first.out)
    assert len(before) >= 2
    shutil.rmtree(sleeper)
    second = Run(folder, course)
    runs.append(second)
    ended = second.ended()
    assert ended.code == 0, ended.err
    assert f"{len(before)} were already known" in ended.out
    after = attempts(second.out)
    assert after[: len(before)] == before
    assert dict(after) == expected()
    assert len(after) == len(expected())


def test_a_regrade_that_is_interrupted_shows_what_it_came_to(
    folder: Path, course: Path, runs: list[Run]
) -> None:
    first = Run(folder, course)
    runs.append(first)
    assert first.ended().code == 0
    before = attempts(first.out)
    (folder / SLEEPER).mkdir()
    (folder / SLEEPER / "test_it.py").write_text(SLEEPING, encoding="utf-8")
    second = Run(folder, course, "--regrade")
    runs.append(second)
    second.wait_until(lambda: len(attempts(second.out)) >= len(before) + 2, "nothing was graded again")
    second.process.send_signal(signal.SIGINT)
    ended = second.ended()
    assert ended.code == 130
    again = attempts(second.out)[len(before) :]
    assert sorted(ended.out.splitlines()) == sorted(
        f"{place}: {shown(status)}, as before" for place, status in again
    )
    assert f"{len(again)} of {len(before) + 1} submissions are graded again and kept" in ended.err
    assert "--regrade begins anew" in ended.err


def shown(status: str) -> str:
    return {"passed": "passed 2/2", "failed": "failed 1/2 without s01"}.get(status, status)


def test_a_second_run_on_the_same_folder_is_refused(
    folder: Path, sleeper: Path, course: Path, runs: list[Run]
) -> None:
    first = Run(folder, course)
    runs.append(first)
    first.wait_until(lambda: first.reported() >= 1, "nothing was graded")
    second = Run(folder, course)
    ended = second.ended()
    assert (ended.code, ended.out) == (2, "")
    assert "[store-busy]" in ended.err
    assert not first.over
    first.process.send_signal(signal.SIGINT)
    assert first.ended().code == 130
    first.nothing_is_left()


def test_random_kills_of_everything_change_no_grade(
    folder: Path, sleeper: Path, course: Path, runs: list[Run]
) -> None:
    draw = random.Random(11)  # noqa: S311 - the same kills for the same seed, as far as processes are the same
    killed: list[str] = []
    while len(killed) < KILLS:
        if not runs or runs[-1].over:
            runs.append(Run(folder, course))
        run = runs[-1]
        aim = min(run.reported() + draw.randrange(3), len(expected()))
        run.wait_until(lambda: run.reported() >= aim and run.servers(), "it does not go on")  # noqa: B023 - called here
        killed.append(kill_one(run, draw))
        if killed[-1] == "client":
            run.process.wait(PATIENCE)
    runs[-1].process.kill()
    runs[-1].process.wait(PATIENCE)
    shutil.rmtree(sleeper)

    undisturbed, last = Run(folder, course, out="undisturbed"), Run(folder, course)
    runs += [undisturbed, last]
    for run in (undisturbed, last):
        ended = run.ended()
        assert ended.code == 0, (killed, ended)
    assert grades(last.out) == grades(undisturbed.out)
    sound = [place for place, status in attempts(last.out) if status != "error" and place != SLEEPER]
    assert sorted(sound) == sorted(expected()), killed


def kill_one(run: Run, draw: random.Random) -> str:
    """Kill the client, a worker or a server; which it was."""
    kind = draw.choices(["client", "worker", "server"], [1, 2, 2])[0]
    victims = {"client": [run.process.pid], "worker": run.workers(), "server": run.servers()}[kind]
    if victims:
        with contextlib.suppress(ProcessLookupError):
            os.kill(draw.choice(victims), signal.SIGKILL)
    return kind
