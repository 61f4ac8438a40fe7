"""The report as commands to a GitHub Actions runner: annotations, and the screen for whoever opens the log.

A step shows at most ten annotations of each level, so the most important come first and the last one says how many
were left out. Nothing that a learner wrote is a command: it stands in the data of one, escaped, or between
`::stop-commands::TOKEN` and `::TOKEN::`. The token is a hash over the whole report, so that no text in the report can
hold it.

`deliver` adds the page that a run shows as its summary.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from grader import texts
from grader.advice import survivors
from grader.errors import UnreadableError
from grader.writers import json, markdown, text
from grader.writers.said import fault_name, message, problem_name, shortened, taken_apart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from grader.report import FaultLine, ProblemLine, Report, TestLine

LEVELS = ("error", "warning", "notice")
MOST = 10  # annotations of one level that a step shows
TITLE = 200  # characters
MESSAGE = 2_000  # characters
SUMMARY = "GITHUB_STEP_SUMMARY"  # names the file of the page
SUMMARY_LIMIT = 1024 * 1024  # bytes of it; of a longer one nothing is shown
WIDEST = 4  # bytes of a character


@dataclass(frozen=True)
class Annotation:
    """One annotation; `place` is `file:line` within the suite, or empty."""

    level: str
    title: str
    said: str
    place: str = ""


def write(report: Report, root: str = "", *, messages: bool = False) -> str:
    """The commands, a line each, and the screen before them.

    Args:
        report: what was found.
        root: the suite's folder, relative to the repository's root; annotations name files in it.
        messages: tell what the killing tests said, too.
    """
    token = hashlib.sha256(json.write(report).encode()).hexdigest()
    lines = [f"::stop-commands::{token}", text.write(report, messages=messages).rstrip("\n"), f"::{token}::"]
    return "\n".join([*lines, *commands(annotations_of(report), root)]) + "\n"


def commands(annotations: Iterable[Annotation], root: str = "") -> list[str]:
    """A line each, at most ten of a level, errors first; within a level they come in the order of their importance."""
    ordered = sorted(annotations, key=lambda each: LEVELS.index(each.level))
    return [
        _command(kept, root)
        for level, group in groupby(ordered, key=lambda each: each.level)
        for kept in _shown(level, list(group))
    ]


def _shown(level: str, group: list[Annotation]) -> list[Annotation]:
    if len(group) <= MOST:
        return group
    left = len(group) - (MOST - 1)
    return [
        *group[: MOST - 1],
        Annotation(level, "more", f"{left} more are left out here; the log has them all"),
    ]


def annotations_of(report: Report) -> Iterator[Annotation]:
    """What a report has to say, within each level the most important first."""
    level = "notice" if report.status == "passed" else "error"
    yield Annotation(level, f"{report.lesson}: {report.status}", report.reason)
    if report.validity is not None:
        yield from map(_problem, report.validity.problems)
    if report.course is not None:
        yield from (
            _course(test) for test in report.course.tests if test.outcome not in {"passed", "not_run"}
        )
    if report.mutation is not None:
        yield from map(_fault, survivors(report.mutation))
    for notice in report.notices:
        yield Annotation("notice", "note", notice)


def _problem(problem: ProblemLine) -> Annotation:
    said, place, ours = taken_apart(problem.message)
    return Annotation("error", problem_name(problem), "\n".join([message(said), *ours]), place)


def _course(test: TestLine) -> Annotation:
    title = f"course test {test.test.rpartition('::')[2]}: {test.outcome.replace('_', ' ')}"
    told = [message(test.message, lines=5), test.checks, test.downstream]
    return Annotation("error", title, "\n".join(each for each in told if each))


def _fault(fault: FaultLine) -> Annotation:
    state = fault.status.replace("_", " ")
    told = [each for each in (fault.message, fault.symptom, fault.hint) if each] or [
        f"no test kills it: {state}"
    ]
    level = "error" if fault.required else "warning"
    return Annotation(level, f"{fault_name(fault)}: {state}", "\n".join(told))


# As commands ---------------------------------------------------------------------------------------------------


def _command(each: Annotation, root: str) -> str:
    file, _, line = each.place.rpartition(":")
    place = {"file": texts.one_line(str(PurePosixPath(root, file))), "line": line} if file else {}
    properties = place | {"title": shortened(texts.one_line(each.title), TITLE)}
    told = ",".join(f"{name}={escaped_property(value)}" for name, value in properties.items())
    return f"::{each.level} {told}::{escaped(shortened(texts.plain(each.said), MESSAGE))}"


def escaped(data: str) -> str:
    """`data` as the data of a command: one line, whatever it holds."""
    return data.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escaped_property(value: str) -> str:
    """`value` as a property of a command."""
    return escaped(value).replace(":", "%3A").replace(",", "%2C")


# The summary ---------------------------------------------------------------------------------------------------


def deliver(report: Report, environment: Mapping[str, str] = os.environ) -> None:
    """Append the page to the step's summary, if this is a step: as much of it as there is room for.

    Raises:
        UnreadableError: the file that the runner names cannot be written.
    """
    append_to_summary(lambda room: markdown.page(report, min(room // WIDEST, markdown.LIMIT)), environment)


def append_to_summary(page: Callable[[int], str], environment: Mapping[str, str] = os.environ) -> None:
    """Append a page to the step's summary, if this is a step.

    Args:
        page: makes it, no longer than so many bytes.
        environment: the runner's.

    Raises:
        UnreadableError: the file that the runner names cannot be written.
    """
    path = environment.get(SUMMARY)
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8") as summary:
            before = summary.tell()
            # What stands there may end in the middle of a line.
            apart = "\n\n" if before else ""
            text = page(max(0, SUMMARY_LIMIT - before - len(apart)))
            summary.write(f"{apart}{text}" if text else "")
    except OSError as error:
        raise UnreadableError(path, error.strerror or str(error)) from error
