"""Worker processes: one outcome for each task, whatever becomes of a worker; nothing is left of any at the end."""

from __future__ import annotations

import os
import signal
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from grader.classroom import local, process
from grader.classroom.executor import MOST_ATTEMPTS, Work, graded
from grader.classroom.local import LocalExecutor
from grader.classroom.process import WorkerProcess
from grader.errors import HarnessError
from grader.lesson import load_lesson
from grader.suite_grader import Settings, SuiteGrader
from grader.workers import limits
from grader.workers.sandbox import kernel
from tests.classroom.school import STATUSES, SUITES, lay_course, task
from tests.processes import children_of, processes_in, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from grader.classroom.task import Outcome, Task
    from grader.lesson import Lesson

JOBS = 2


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> Lesson:
    return load_lesson(lay_course(tmp_path_factory.mktemp("course")), "W1")


@pytest.fixture
def work(lesson: Lesson) -> Work:
    return Work(lesson, Settings())


@pytest.fixture(autouse=True)
def temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where workers make their temporary files; after each test nothing is there, and no process that knows it."""
    folder = tmp_path / "temp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    monkeypatch.undo()
    assert list(folder.iterdir()) == []
    wait_until(lambda: not processes_in(folder), "a process is left")


def tasks(lesson: Lesson, kinds: Sequence[str] = tuple(SUITES)) -> list[Task]:
    return [task(lesson, f"{kind}-{number}", kind) for number, kind in enumerate(kinds)]


def grade(outcome: Outcome) -> tuple[object, ...]:
    """What does not differ from one grading to the next."""
    report = outcome.decoded
    faults = report.mutation.faults if report.mutation else ()
    return report.status, report.reason, report.submission_sha256, [(each.id, each.status) for each in faults]


def run(work: Work, todo: Sequence[Task], jobs: int = JOBS) -> dict[str, Outcome]:
    with LocalExecutor(work, jobs) as executor:
        outcomes = list(executor.run(todo))
    assert sorted(outcome.key for outcome in outcomes) == sorted(each.key for each in todo)
    return {outcome.key: outcome for outcome in outcomes}


def after_each_begin(monkeypatch: pytest.MonkeyPatch, act: Callable[[WorkerProcess, Task], None]) -> None:
    """Do something when a worker has been given a task; it cannot have graded it yet."""
    begin = WorkerProcess.begin

    def begin_and_act(worker: WorkerProcess, task: Task) -> None:
        begin(worker, task)
        act(worker, task)

    monkeypatch.setattr(WorkerProcess, "begin", begin_and_act)


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def test_every_task_has_one_outcome_and_it_is_that_of_one_grader(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    todo = tasks(work.lesson)
    with SuiteGrader(work.lesson, work.settings) as grader:
        alone = {each.key: grader.grade(each.submission, each.seed) for each in todo}
    workers: set[int] = set()
    after_each_begin(monkeypatch, lambda worker, _task: workers.add(worker.pid))
    outcomes = run(work, todo)
    assert len(workers) == JOBS
    for key, outcome in outcomes.items():
        assert outcome.decoded.status == alone[key].status == STATUSES[key.partition("-")[0]]
        assert msgspec.structs.replace(
            outcome.decoded, seconds=0.0, mutation=None
        ) == msgspec.structs.replace(alone[key], seconds=0.0, mutation=None)


@pytest.fixture
def adopting() -> Iterator[None]:
    """Meanwhile orphans of the processes below this one come to it."""
    limits.adopt_orphans()
    yield
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 0)


@pytest.mark.usefixtures("adopting")
def test_a_worker_that_is_done_ends_its_server_itself(work: Work) -> None:
    before = set(children_of(os.getpid()))
    for _ in range(3):
        run(work, tasks(work.lesson))
        assert set(children_of(os.getpid())) <= before


def test_tasks_are_read_only_when_there_is_a_worker_for_them_soon(work: Work) -> None:
    todo = tasks(work.lesson, ["broken"] * 20)
    taken = 0

    def source() -> Iterator[Task]:
        nonlocal taken
        for each in todo:
            taken += 1
            yield each

    with LocalExecutor(work, JOBS) as executor:
        for done, _outcome in enumerate(executor.run(source())):
            assert taken <= done + 1 + 3 * JOBS
    assert taken == len(todo)


def test_no_more_workers_are_started_than_there_are_tasks(work: Work) -> None:
    with LocalExecutor(work, 8) as executor:
        outcomes = list(executor.run(tasks(work.lesson, ["complete"])))
        assert len(executor._workers) == 1
    assert [outcome.decoded.status for outcome in outcomes] == ["passed"]


def test_nothing_to_do_starts_nothing(work: Work) -> None:
    with LocalExecutor(work, 8) as executor:
        assert list(executor.run([])) == []
        assert executor._workers == []


def test_a_task_whose_worker_is_killed_is_begun_anew(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    todo = tasks(work.lesson, ["complete", "partial", "broken"])
    undisturbed = {key: grade(outcome) for key, outcome in run(work, todo).items()}
    begun: list[str] = []

    def kill_once(worker: WorkerProcess, task: Task) -> None:
        begun.append(task.key)
        if begun.count(task.key) == 1:
            kill(worker.pid)

    after_each_begin(monkeypatch, kill_once)
    outcomes = run(work, todo)
    assert {key: grade(outcome) for key, outcome in outcomes.items()} == undisturbed
    assert Counter(begun) == {each.key: 2 for each in todo}


def test_a_task_whose_server_is_killed_is_begun_anew(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    killed: list[int] = []
    begun: list[str] = []

    def kill_the_server(worker: WorkerProcess, task: Task) -> None:
        begun.append(task.key)
        if not killed:
            killed.extend(children_of(worker.pid))
            for pid in killed:
                kill(pid)

    after_each_begin(monkeypatch, kill_the_server)
    outcomes = run(work, tasks(work.lesson))
    assert killed
    assert {key: outcome.decoded.status for key, outcome in outcomes.items()} == {
        each.key: STATUSES[each.key.partition("-")[0]] for each in tasks(work.lesson)
    }
    assert sorted(Counter(begun).values())[-2:] == [1, 2]


def test_a_task_whose_workers_are_killed_every_time_is_in_error_and_no_other_is(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    todo = tasks(work.lesson)
    doomed = todo[1].key
    begun: list[str] = []

    def kill_always(worker: WorkerProcess, task: Task) -> None:
        begun.append(task.key)
        if task.key == doomed:
            kill(worker.pid)

    after_each_begin(monkeypatch, kill_always)
    outcomes = run(work, todo)
    report = outcomes[doomed].decoded
    assert (report.status, report.exit_code) == ("error", 70)
    assert "signal 9" in report.reason
    assert report.submission_sha256 == todo[1].submission.sha256
    assert begun.count(doomed) == MOST_ATTEMPTS
    assert {outcome.decoded.status for key, outcome in outcomes.items() if key != doomed} <= {
        "passed",
        "failed",
        "invalid",
    }


def test_a_worker_refuses_another_version_of_the_lesson_and_a_submission_that_was_changed(work: Work) -> None:
    one, two = task(work.lesson, "a"), task(work.lesson, "b")
    older = msgspec.structs.replace(one, lesson_sha256="0" * 64)
    mixed = replace(one.submission, sha256=two.submission.sha256)
    with SuiteGrader(work.lesson, work.settings) as grader:
        assert graded(grader, one).decoded.status == "passed"
        with pytest.raises(HarnessError, match="another version of the lesson"):
            graded(grader, older)
        with pytest.raises(HarnessError, match="not the one that was sent"):
            graded(grader, msgspec.structs.replace(one, submission=mixed))


def test_a_worker_that_says_nothing_for_too_long_is_replaced(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped: list[int] = []
    begun: list[str] = []

    def stop_once(worker: WorkerProcess, task: Task) -> None:
        begun.append(task.key)
        if not stopped:
            stopped.append(worker.pid)
            os.kill(worker.pid, signal.SIGSTOP)

    monkeypatch.setattr(process, "GRACE", 0.5)
    monkeypatch.setattr(local, "PATIENCE", 0.5)
    monkeypatch.setattr(local, "PATIENCE_IN_TIMEOUTS", 0)
    # However slow this machine is, only the one that is stopped hangs.
    monkeypatch.setattr(WorkerProcess, "hangs", lambda worker, _patience: worker.pid in stopped)
    after_each_begin(monkeypatch, stop_once)
    outcome = run(work, [task(work.lesson, "a")], jobs=1)["a"]
    assert (outcome.decoded.status, begun) == ("passed", ["a", "a"])


def test_where_no_worker_can_be_started_the_batch_ends_with_one_sentence(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    with (
        pytest.raises(HarnessError, match="No worker can be started"),
        LocalExecutor(work, JOBS) as executor,
    ):
        list(executor.run(tasks(work.lesson)))


def test_a_batch_that_is_given_up_leaves_nothing(work: Work, temp: Path) -> None:
    """What is left is looked for by the fixture."""
    with LocalExecutor(work, JOBS) as executor:
        outcomes = executor.run(tasks(work.lesson, ["complete"] * 6))
        next(outcomes)
        assert len(list(temp.iterdir())) == JOBS
        assert len(processes_in(temp)) >= 2 * JOBS
