"""One lesson, verified: every check, in the order in which an author reads what it found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.author.verify.contract import contract_check
from grader.author.verify.correct import check_correct
from grader.author.verify.evidence import BOUNDS, Bounds, gather
from grader.author.verify.faults import check_fault
from grader.author.verify.finding import LESSON, Finding, Level
from grader.author.verify.form import check_form
from grader.author.verify.golden import check_golden
from grader.author.verify.loading import read_lesson
from grader.author.verify.template import check_template
from grader.author.verify.twins import check_distinct
from grader.programs import library_of
from grader.progress import Silent
from grader.workers.pool import Server

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from grader.author.verify.evidence import Evidence
    from grader.lesson import Lesson
    from grader.progress import Progress
    from grader.workers.sandbox import Mode


@dataclass(frozen=True)
class Verification:
    """What was found about one lesson.

    Attributes:
        lesson: its name.
        title: its title; empty if it could not be read.
        findings: of every check, those about the lesson first, then by fault.
    """

    lesson: str
    title: str
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong."""
        return not self.of(Level.ERROR)

    def of(self, level: Level) -> list[Finding]:
        """The findings of one level."""
        return [finding for finding in self.findings if finding.level is level]


def verify_lesson(
    course: Path,
    name: str,
    *,
    only: Collection[str] | None = None,
    sandbox: Mode = "auto",
    bounds: Bounds = BOUNDS,
    progress: Progress | None = None,
) -> Verification:
    """Check everything about a lesson, or everything about some of its faults.

    Args:
        course: the course's folder.
        name: the lesson's.
        only: ids of faults; None: the lesson with all of them.
        sandbox: which layers hold the runs.
        bounds: how many runs at a time, and how long they may take.
        progress: follows it.

    Raises:
        UnknownLessonError: the course has none of this name.
        HarnessError: the machine does not allow it.
    """
    lesson, findings = read_lesson(course, name)
    if lesson is None:
        return Verification(name, "", tuple(findings))
    work = _Work(lesson, bounds, progress or Silent())
    with Server(sandbox) as server:
        server.load(library_of(lesson))
        if only is None:
            findings += work.on_everything(server)
        else:
            # What is wrong with the lesson keeps every fault of it from being graded with.
            asked = {*only, LESSON}
            findings = [each for each in findings if each.subject in asked] + work.on_faults(server, only)
    return Verification(name, lesson.title, tuple(sorted(findings, key=_subject)))


@dataclass(frozen=True)
class _Work:
    lesson: Lesson
    bounds: Bounds
    progress: Progress

    def on_everything(self, server: Server) -> list[Finding]:
        lesson = self.lesson
        with contract_check(lesson) as contract:
            self.progress.stage(f"{lesson.id}: what learners begin with")
            findings = [*check_template(lesson, server), *check_golden(lesson), *check_form(lesson)]
            evidence = self._evidence(server, None)
            if evidence.others is not None:
                findings += check_correct(lesson, evidence.reference, evidence.others)
            findings += self._faults(evidence, [fault.id for fault in lesson.faults])
            self.progress.stage(f"{lesson.id}: the contract")
            return [*findings, contract()]

    def on_faults(self, server: Server, only: Collection[str]) -> list[Finding]:
        return self._faults(self._evidence(server, only), only)

    def _evidence(self, server: Server, only: Collection[str] | None) -> Evidence:
        self.progress.stage(f"{self.lesson.id}: course tests and witnesses")
        return gather(self.lesson, server, only=only, bounds=self.bounds, progress=self.progress)

    def _faults(self, evidence: Evidence, only: Collection[str]) -> list[Finding]:
        lesson = self.lesson
        asked = [fault for fault in lesson.faults if fault.id in only]
        single = [finding for fault in asked for finding in check_fault(lesson, fault, evidence)]
        return single + check_distinct(lesson, evidence, only)


def _subject(finding: Finding) -> tuple[bool, str]:
    return finding.subject != LESSON, finding.subject
