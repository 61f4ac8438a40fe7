"""Grades a class: what is not known yet goes to an executor, what comes of it into the store and its files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

from grader import interrupts
from grader.classroom.learners_module import program_of
from grader.classroom.reading import read_entry
from grader.classroom.store import Key
from grader.classroom.tally import Nobody, Tally
from grader.classroom.task import Task
from grader.classroom.twins import Likeness, Twins, likeness_of
from grader.errors import HarnessError
from grader.report_parts import error_report, versions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.classroom.entries import Entry
    from grader.classroom.executor import Executor
    from grader.classroom.outputs import Outputs
    from grader.classroom.store import Attempt, Store
    from grader.classroom.tally import Follower
    from grader.classroom.task import Outcome
    from grader.course_part import Program
    from grader.lesson import Lesson
    from grader.report import Report


@dataclass(frozen=True)
class Wanted:
    """What is to be graded.

    Attributes:
        regrade: what is known already, too.
        with_course: the course tests on the learner's module, too, where the submission is a workspace.
        ref_deps: for these, earlier lessons come from the reference.
    """

    regrade: bool = False
    with_course: bool = False
    ref_deps: bool = False


@dataclass(frozen=True)
class _Begun:
    """What an outcome is waited for."""

    entry: Entry
    sha256: str
    likeness: Likeness


@dataclass(frozen=True)
class Change:
    """A submission that was graded again."""

    before: Attempt
    after: Attempt


@dataclass
class Batch:
    """One run over a class.

    Attributes:
        entries: the submissions, no two with one place.
        tally: what was done.
        changes: what was graded again, in the order in which it came.
    """

    lesson: Lesson
    entries: Sequence[Entry]
    store: Store
    outputs: Outputs
    wanted: Wanted = field(default_factory=Wanted)

    def __post_init__(self) -> None:
        self.tally = Tally(len(self.entries))
        self.changes: list[Change] = []
        self._versions = versions()
        self._under_way: dict[str, _Begun] = {}
        self._twins = Twins()
        self._follower: Follower = Nobody()

    def run(self, executor: Executor, follower: Follower | None = None) -> None:
        """Grade what is to be graded. What is in the store stays there, however this ends.

        Args:
            executor: runs the tasks.
            follower: told of every submission that is done.

        Raises:
            GraderError: there can be no worker, or the store cannot be written.
        """
        self._follower = follower or self._follower
        self.outputs.mend()
        try:
            for outcome in executor.run(self._tasks()):
                self._keep(outcome)
        finally:
            with interrupts.held():
                self.outputs.finish()

    def _tasks(self) -> Iterator[Task]:
        """A task for each submission that is to be graded; it is read from disk when its turn comes."""
        for entry in self.entries:
            try:
                task = self._task(entry)
            except HarnessError as error:
                self._count(self._add(entry, error_report(self.lesson.id, self.store.seed, error)))
                continue
            if self.wanted.regrade or not self._is_known(entry, task):
                yield from self._unless_alike(entry, task)

    def _unless_alike(self, entry: Entry, task: Task) -> Iterator[Task]:
        """The task, unless such a submission is graded in this run already, or is being graded."""
        likeness = likeness_of(task)
        number = self._twins.number(likeness)
        if number is not None:
            self._graded(entry, self.store.report_numbered(number))
        elif not self._twins.waits(likeness, entry):
            self._under_way[task.key] = _Begun(entry, task.sha256, likeness)
            yield task

    def _task(self, entry: Entry) -> Task:
        return Task(
            key=entry.place,
            submission=read_entry(entry, self.lesson),
            seed=self.store.seed,
            lesson_sha256=self.lesson.sha256,
            program=self._program(entry),
        )

    def _program(self, entry: Entry) -> Program | None:
        if not self.wanted.with_course:
            return None
        return program_of(entry, self.lesson, ref_deps=self.wanted.ref_deps)

    def _is_known(self, entry: Entry, task: Task) -> bool:
        key = Key.of(entry.learner, task.sha256, self.lesson.sha256, self.store.seed, self._versions)
        known = self.store.known(key)
        if known is None:
            return False
        last = self.store.last(entry.place)
        if last is None or last.id != known.id:
            # Handed in twice, or taken back to an earlier state: it has that grade, which becomes the last one here.
            self._add(entry, self.store.report(known))
        self.tally.known += 1
        self._follower.update(self.tally)
        return True

    def _keep(self, outcome: Outcome) -> None:
        begun = self._under_way.pop(outcome.key)
        # Under the hash of everything that was handed in, the module too where it counts.
        report = replace(outcome.decoded, submission_sha256=begun.sha256)
        number = self._graded(begun.entry, report).id
        for twin in self._twins.came(begun.likeness, number, error=report.status == "error"):
            self._graded(twin, report)

    def _graded(self, entry: Entry, report: Report) -> Attempt:
        """Keep a grade that this run came to, and count it."""
        before = self.store.last(entry.place) if self.wanted.regrade else None
        after = self._add(entry, report)
        if before is not None:
            self.changes.append(Change(before, after))
        self._count(after)
        return after

    def _count(self, attempt: Attempt) -> None:
        self.tally.by_status[attempt.status] += 1
        self._follower.update(self.tally)

    def _add(self, entry: Entry, report: Report) -> Attempt:
        with interrupts.held():
            attempt = self.store.add(entry, report)
            self.outputs.graded(attempt, report)
        return attempt
