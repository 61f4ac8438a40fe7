"""Grades a class: what is not known yet goes to an executor, what comes of it into the store and its files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

from grader import interrupts
from grader.classroom import messages
from grader.classroom.learners_module import module_of
from grader.classroom.reading import read_entry
from grader.classroom.store import Key
from grader.classroom.tally import Nobody, Tally
from grader.classroom.task import Task
from grader.classroom.twins import Likeness, Twins, likeness_of
from grader.errors import HarnessError, mistake_of_ours
from grader.report_parts import error_report, versions
from grader.texts import encodable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.classroom.entries import Entry
    from grader.classroom.executor import Executor
    from grader.classroom.learners_module import HandedIn
    from grader.classroom.outputs import Outputs
    from grader.classroom.store import Attempt, Store
    from grader.classroom.tally import Follower
    from grader.classroom.task import Outcome
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
                self._failed(entry, error)
            else:
                if self.wanted.regrade or not self._is_known(entry, task):
                    yield from self._unless_alike(entry, task)

    def _failed(self, entry: Entry, error: HarnessError) -> None:
        """Keep that a submission could not be read, through no fault of its own."""
        report = error_report(self.lesson.id, self.store.seed, error)
        # The error may name a file, whose name need not be UTF-8.
        self._graded(entry, replace(report, reason=encodable(report.reason, "utf-8")))

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
        """Read a submission.

        Raises:
            HarnessError: it cannot be; whatever one of them brings about, the others are graded.
        """
        try:
            return self._read(entry)
        except HarnessError:
            raise
        except Exception as error:
            raise mistake_of_ours(error) from error

    def _read(self, entry: Entry) -> Task:
        submission, module = read_entry(entry, self.lesson), self._module(entry)
        task = Task(
            key=entry.place,
            submission=submission,
            seed=self.store.seed,
            lesson_sha256=self.lesson.sha256,
            program=module.program if module is not None else None,
            module_sha256=module.sha256 if module is not None else "",
        )
        messages.encoded(task)  # what cannot travel fails here, where that is one line of the table
        return task

    def _module(self, entry: Entry) -> HandedIn | None:
        if not self.wanted.with_course:
            return None
        return module_of(entry, self.lesson, ref_deps=self.wanted.ref_deps)

    def _is_known(self, entry: Entry, task: Task) -> bool:
        key = Key.of(entry.learner, task.sha256, self.lesson.sha256, self.store.seed, self._versions)
        last = self.store.last(entry.place)
        if last is not None and last.status == "error":
            return False
        if last is None or last.key != key:
            known = self.store.known(key)
            if known is None:
                return False
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
        with interrupts.held():  # what is kept is told
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
