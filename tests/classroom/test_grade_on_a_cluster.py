"""Workers on other machines, all of them this one here: grades are those of a local run, whoever is killed meanwhile."""

from __future__ import annotations

import contextlib
import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.classroom.school import STATUSES, Ended, lay_class, lay_course, ol
from tests.processes import PATIENCE, command_line, environment, processes_in, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROUNDS = 3  # submissions of each kind
GONE = "tcp://127.0.0.1:9"  # the port of a service that no machine has any more
OTHER_VERSION = "import grader\ngrader.__version__ = '0.0.0'\n"
# The policy lets no suite import `time`, so it is reached in a roundabout way.
SLEEPING = "import warnings\ndef test_sleep(): warnings.sys.modules['time'].sleep(600)\n"
NOT_INSTALLED = "raise ModuleNotFoundError('no such package', name=__name__)\n"


class Cluster:
    """A scheduler on the loopback interface, and workers that come and go."""

    def __init__(self, folder: Path) -> None:
        self.temp = folder / "cluster"
        self.temp.mkdir()
        self.workers: list[subprocess.Popen[bytes]] = []
        file = self.temp / "scheduler.json"
        self.scheduler = self._start("dask_scheduler", "--port", "0", "--scheduler-file", str(file))
        wait_until(lambda: file.exists() and file.read_text(encoding="utf-8"), "there is no scheduler")
        self.address: str = json.loads(file.read_text(encoding="utf-8"))["address"]

    def _start(self, module: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{module}", "--host", "127.0.0.1", "--no-dashboard"]
        return subprocess.Popen(
            [*command, *arguments],
            cwd=self.temp,
            env=environment(self.temp),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def add_worker(self, *more: str) -> None:
        self.workers.append(
            self._start(
                "dask_worker",
                self.address,
                "--nthreads",
                "1",
                "--no-nanny",
                "--local-directory",
                str(self.temp),
                *more,
            )
        )

    def kill_worker(self) -> None:
        worker = self.workers.pop(0)
        worker.kill()
        worker.wait()

    @property
    def grades(self) -> bool:
        """Whether a worker has a submission, or had one a moment ago."""
        return any("grader.classroom.worker" in command for command in processes_in(self.temp))

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()
        wait_until(lambda: not processes_in(self.temp), "a process of the cluster is left")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path)
    yield cluster
    cluster.close()


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_course(tmp_path_factory.mktemp("course"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_class(tmp_path / "class", ROUNDS)


def graded(course: Path, folder: Path, *more: object, out: str = "out") -> Ended:
    arguments = ["W1", folder, "--out", folder.parent / out, "--course", course, "--seed", 7]
    return ol(folder.parent / "temp", "grade", *arguments, *more)


@pytest.fixture
def sleeper(folder: Path) -> Path:
    """The only submission of the class; its suite does not end."""
    for suite in folder.iterdir():
        shutil.rmtree(suite)
    suite = folder / "sleeps"
    suite.mkdir()
    (suite / "test_it.py").write_text(SLEEPING, encoding="utf-8")
    return suite


class Going:
    """`ol grade` on a cluster, while it goes on."""

    def __init__(self, course: Path, folder: Path, cluster: Cluster) -> None:
        self.out = folder.parent / "out"
        temp = folder.parent / "temp"
        temp.mkdir()
        arguments = ["W1", folder, "--out", self.out, "--course", course, "--seed", 7]
        self.process = subprocess.Popen(
            command_line("grade", *arguments, "--cluster", cluster.address),
            cwd=folder.parent,
            env=environment(temp),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for(self, reports: int) -> None:
        wait_until(
            lambda: (
                self.process.poll() is not None
                or len(list(self.out.glob("submissions/*/report.json"))) >= reports
            ),
            "nothing is graded",
        )

    def ended(self) -> Ended:
        out, err = self.process.communicate(timeout=PATIENCE)
        return Ended(self.process.returncode, out, err)


@pytest.fixture
def going(course: Path, folder: Path, cluster: Cluster) -> Iterator[Going]:
    going = Going(course, folder, cluster)
    yield going
    going.process.kill()
    going.process.communicate()


def grades(folder: Path, out: str = "out") -> list[str]:
    return (folder.parent / out / "grades.csv").read_text(encoding="utf-8").splitlines()


def attempts(folder: Path) -> list[tuple[str, str]]:
    with contextlib.closing(sqlite3.connect(folder.parent / "out" / "grades.sqlite")) as database:
        return list(database.execute("SELECT place, status FROM attempts ORDER BY place"))


def expected() -> list[tuple[str, str]]:
    return sorted(
        (f"{kind}-{number}", status) for kind, status in STATUSES.items() for number in range(ROUNDS)
    )


def test_a_worker_is_killed_and_another_comes_and_the_grades_are_those_of_a_local_run(
    course: Path, folder: Path, cluster: Cluster, going: Going
) -> None:
    cluster.add_worker()
    cluster.add_worker()
    for reports in (2, 6):
        going.wait_for(reports)
        cluster.kill_worker()
        cluster.add_worker()
    ended = going.ended()
    assert ended.code == 0, ended.err
    assert attempts(folder) == expected()
    assert graded(course, folder, out="local").code == 0
    assert grades(folder) == grades(folder, "local")


def test_a_submission_that_takes_four_workers_with_it_is_in_error(
    folder: Path, sleeper: Path, cluster: Cluster, going: Going
) -> None:
    for _ in range(4):
        cluster.add_worker()
        wait_until(lambda: going.process.poll() is not None or cluster.grades, "no worker takes it")
        assert going.process.poll() is None
        cluster.kill_worker()
        wait_until(lambda: not cluster.grades, "a process is left")
    ended = going.ended()
    assert ended.code == 70, ended.err
    assert attempts(folder) == [(sleeper.name, "error")]
    assert "was lost 4 times" in grades(folder)[1]


def test_the_scheduler_dies_and_what_was_graded_is_kept_and_the_next_run_goes_on(
    course: Path, folder: Path, cluster: Cluster, going: Going
) -> None:
    cluster.add_worker()
    going.wait_for(2)
    cluster.scheduler.send_signal(signal.SIGKILL)
    ended = going.ended()
    assert (ended.code, ended.out) == (70, "")
    assert f"The scheduler at {cluster.address} is gone." in ended.err
    assert "[cluster]" in ended.err
    assert "Traceback" not in ended.err
    before = attempts(folder)
    assert before
    ended = graded(course, folder)
    assert f"{len(before)} were already known" in ended.out
    assert attempts(folder) == expected()


def test_a_cluster_on_this_machine_is_started_and_ended(course: Path, folder: Path) -> None:
    for suite in sorted(folder.iterdir())[2:]:
        shutil.rmtree(suite)
    ended = graded(course, folder, "--cluster", "local", "--jobs", 1)
    assert ended.code == 0, ended.err
    assert "2 submissions graded" in ended.out
    assert not processes_in(folder.parent / "temp")


def test_an_address_where_there_is_no_scheduler_is_said_in_one_sentence(course: Path, folder: Path) -> None:
    ended = graded(course, folder, "--cluster", GONE)
    assert (ended.code, ended.out) == (70, "")
    assert f"There is no scheduler at {GONE}." in ended.err
    assert "Traceback" not in ended.err


def test_a_worker_with_another_version_grades_nothing(
    course: Path, folder: Path, cluster: Cluster, going: Going
) -> None:
    preload = cluster.temp / "older.py"
    preload.write_text(OTHER_VERSION, encoding="utf-8")
    cluster.add_worker("--preload", str(preload))
    ended = going.ended()
    assert (ended.code, ended.out) == (70, "")
    assert "has other versions: ol 0.0.0" in ended.err
    assert attempts(folder) == []


def test_without_dask_the_command_names_what_to_install(course: Path, folder: Path) -> None:
    missing = folder.parent / "missing"
    missing.mkdir()
    (missing / "distributed.py").write_text(NOT_INSTALLED, encoding="utf-8")
    temp = folder.parent / "temp"
    temp.mkdir()
    arguments = ["W1", folder, "--out", folder.parent / "out", "--course", course, "--cluster", "local"]
    path = environment(temp)["PYTHONPATH"]
    done = subprocess.run(
        command_line("grade", *arguments),
        env=environment(temp, PYTHONPATH=f"{missing}:{path}"),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 70
    assert "pip install 'ol-grader[cluster]'" in done.stderr


def test_the_course_tests_do_not_go_to_a_cluster(course: Path, folder: Path) -> None:
    ended = graded(course, folder, "--cluster", "local", "--with-course")
    assert ended.code == 2
    assert "--with-course" in ended.err
