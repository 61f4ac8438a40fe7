"""What changed from one report to the next, as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.report import Report


def changes(before: Report, after: Report) -> list[str]:
    """Status, course tests and faults that are not what they were; empty: everything is."""
    found = []
    if before.status != after.status:
        found.append(f"{before.status} became {after.status}")
    was, now = _course(before), _course(after)
    found += [
        f"course test {name}: {was.get(name, 'new')} became {now[name]}" for name in _differing(was, now)
    ]
    if before.mutation is None and after.mutation is not None:
        found.append(f"your tests can be graded: {after.mutation.killed} of {after.mutation.total} killed")
    elif before.mutation is not None and after.mutation is None and after.validity is not None:
        found.append("your tests cannot be graded any more")
    was, now = _faults(before), _faults(after)
    if was:
        found += [f"{name}: {was.get(name, 'new')} became {now[name]}" for name in _differing(was, now)]
    return found


def _course(report: Report) -> dict[str, str]:
    tests = report.course.tests if report.course else ()
    return {test.test.rpartition("::")[2]: test.outcome.replace("_", " ") for test in tests}


def _faults(report: Report) -> dict[str, str]:
    faults = report.mutation.faults if report.mutation else ()
    return {f"{fault.id} ({fault.title})": fault.status.replace("_", " ") for fault in faults}


def _differing(was: dict[str, str], now: dict[str, str]) -> Iterator[str]:
    return (name for name, state in now.items() if was.get(name) != state)
