"""The files of a run: `grades.csv`, and a folder for each submission; each is whole at any moment, or not there."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from msgspec.structs import replace

from grader.classroom.tables import reports_of
from grader.errors import StoreError
from grader.feedback import restrict
from grader.writers import csv, json, markdown, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from grader.classroom.store import Attempt, Store
    from grader.feedback import Policy
    from grader.report import Report

TABLE = "grades.csv"
SUBMISSIONS = "submissions"
REPORT, TEXT, MARKDOWN = "report.json", "feedback.txt", "feedback.md"
NOT_GRADED = (
    "it could not be graded, through no fault of the suite's; whoever grades knows why"  # to learners
)
EVERY = 5.0  # seconds between two tables of one run
SHARE = 20  # the table takes at most one part in so many of a run's time


class Outputs:
    """Writes what the policy lets its readers see: `OUT/grades.csv`, `OUT/submissions/<place>/{report.json,feedback.txt,feedback.md}`.

    Call `mend` at the beginning, `graded` when an attempt was added, and `finish` at the end, however the run ended.

    Args:
        store: what is told of.
        policy: who reads the files, and how much they may see.
        one_each: the table has one line a learner, of what they handed in last.
    """

    def __init__(self, store: Store, policy: Policy, *, one_each: bool = False) -> None:
        self._store = store
        self._policy = policy
        self._one_each = one_each
        self._next_table = time.monotonic() + EVERY

    def mend(self) -> None:
        """Write the files that are not what the store and the policy say: of a run that was killed, or under another policy.

        Those that somebody has deleted, too.

        Raises:
            StoreError: the disk is full or OUT cannot be written.
        """
        for attempt in self._store.latest():
            level = self._level(attempt)
            told = self._store.written(attempt.place)
            if told != (attempt.id, self._told(level)) or not self._are_there(attempt):
                self._write(attempt, self._store.report(attempt), level)

    def graded(self, attempt: Attempt, report: Report) -> None:
        """Write one submission's files, and `grades.csv` if it has not been written for some seconds.

        Args:
            attempt: as `Store.add` returned it.
            report: the full report; what may not be shown is left out here.

        Raises:
            StoreError: as `mend`.
        """
        self._write(attempt, report, self._level(attempt))
        begun = time.monotonic()
        if begun >= self._next_table:
            self._write_table()
            now = time.monotonic()
            self._next_table = now + max(EVERY, SHARE * (now - begun))

    def finish(self) -> None:
        """Write whatever is not up to date, and `grades.csv`.

        Raises:
            StoreError: as `mend`.
        """
        self.mend()
        self._write_table()

    def _level(self, attempt: Attempt) -> str:
        policy = self._policy
        return policy.level_of(1 if policy.attempts is None else self._store.position(attempt, policy.window))

    def _told(self, level: str) -> str:
        return f"{level} for {self._policy.audience}"

    def _write(self, attempt: Attempt, report: Report, level: str) -> None:
        shown = self._shown(report, level)
        folder = self._folder(attempt)
        put_whole(folder / REPORT, [json.write(shown)])
        messages = level == "full"
        put_whole(folder / TEXT, [text.write(shown, messages=messages)])
        put_whole(folder / MARKDOWN, [markdown.write(shown, messages=messages)])
        self._store.mark_written(attempt, self._told(level))

    def _folder(self, attempt: Attempt) -> Path:
        return self._store.out / SUBMISSIONS / attempt.place

    def _are_there(self, attempt: Attempt) -> bool:
        folder = self._folder(attempt)
        return all((folder / name).is_file() for name in (REPORT, TEXT, MARKDOWN))

    def _shown(self, report: Report, level: str) -> Report:
        shown = restrict(report, level, self._policy.audience)
        if self._policy.audience != "learner" or shown.mutation is not None:
            return shown
        # Private faults ran before the suite was found invalid, and it decided how long: see `restrict`.
        # What a machine or a mistake of ours says may hold anything, a private fault's text too.
        return replace(shown, seconds=0.0, reason=NOT_GRADED if shown.status == "error" else shown.reason)

    def table(self) -> Iterator[tuple[str, Report]]:
        """A learner and a report for each line of the table, one in memory at a time."""
        attempts = self._store.latest(one_each=self._one_each)
        return reports_of(self._store.lesson, ((attempt, self._level(attempt)) for attempt in attempts))

    def _write_table(self) -> None:
        put_whole(self._store.out / TABLE, csv.lines(self.table()))


def put_whole(path: Path, parts: Iterable[str]) -> None:
    """Write a file such that whoever looks finds the old one or the new one, whenever this process ends.

    Raises:
        StoreError: it cannot be written.
    """
    # One process writes here, so the name is free; what one that was killed left there is overwritten.
    partial = path.with_name(f".{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("w", encoding="utf-8", newline="") as stream:
            stream.writelines(parts)
        partial.replace(path)
    except OSError as error:
        raise StoreError(path, error.strerror or str(error)) from error
