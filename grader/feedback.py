"""What of a finished report may be shown to whom: one level, one audience, pure functions on the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from grader.report import Tally

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import timedelta

    from grader.report import FaultLine, Mutation, Report

LEVELS = ("score", "names", "hints", "full")  # each tells what the one before it tells, and more
AUDIENCES = ("learner", "staff")


@dataclass(frozen=True)
class Policy:
    """What the files of a class tell.

    Attributes:
        audience: who reads them: learner or staff.
        level: how much of the faults they tell: score, names, hints or full.
        attempts: different submissions of a learner within `window` that are answered at `level`; None: all.
            Those after them get `score`. Staff always get `level`.
        window: how far back a submission is counted; None: for ever.
    """

    audience: str = "learner"
    level: str = "hints"
    attempts: int | None = None
    window: timedelta | None = None

    def level_of(self, position: int) -> str:
        """The level for a learner's `position`th submission (from 1) within the window."""
        spent = self.attempts is not None and position > self.attempts
        return LEVELS[0] if spent and self.audience == "learner" else self.level


def restrict(report: Report, level: str, audience: str = "learner") -> Report:
    """The part of a full report that `audience` may see at this level. Pure; restricting twice changes nothing.

    Args:
        report: with everything in it, private faults and witnesses too.
        level: one of `LEVELS`.
        audience: `learner` never sees a private fault, at no level, nor how long it ran: `seconds` are then those of
            the faults that are told. `staff` sees all faults, as far as the level goes.
    """
    if report.mutation is None:
        return report
    if audience == "learner":
        report = _without_private(report, report.mutation)
    return _at_level(report, level)


def told_missing(required: Sequence[str]) -> str:
    """How a report's reason ends when these required faults are alive; empty when none is."""
    return f"{_MISSING}{', '.join(required)}" if required else ""


_MISSING = "; required and not killed: "


def _without_private(report: Report, mutation: Mutation) -> Report:
    private = [fault for fault in mutation.faults if fault.private]
    if not private:
        return report
    tally = Tally(killed=sum(fault.status == "killed" for fault in private), total=len(private))
    told = tuple(fault for fault in mutation.faults if not fault.private)
    return replace(
        report,
        # A suite can make its runs long where it sees something: how long all of it took would tell of private faults.
        seconds=round(sum(fault.seconds for fault in told), 3),
        mutation=replace(mutation, faults=told, private=tally),
        notices=_without_notices_of(report, [fault.id for fault in private]),
    )


def _at_level(report: Report, level: str) -> Report:
    mutation = report.mutation
    if mutation is None:
        return report
    if level == "score":
        return replace(
            report,
            reason=_counted_only(report.reason, mutation.required_missing),
            mutation=replace(mutation, faults=()),
            notices=_without_notices_of(report, [fault.id for fault in mutation.faults]),
        )
    told = tuple(_fault_at_level(fault, level) for fault in mutation.faults)
    return replace(report, mutation=replace(mutation, faults=told))


def _fault_at_level(fault: FaultLine, level: str) -> FaultLine:
    match level:
        case "names":
            return replace(fault, hint="", symptom="", witness="")
        case "hints":
            return replace(fault, witness="")
        case _:
            return fault


def _without_notices_of(report: Report, faults: Collection[str]) -> tuple[str, ...]:
    # A notice about a fault begins with its id.
    prefixes = tuple(f"{fault}: " for fault in faults)
    return tuple(notice for notice in report.notices if not notice.startswith(prefixes))


def _counted_only(reason: str, required_missing: Sequence[str]) -> str:
    names = told_missing(required_missing)
    if not names or not reason.endswith(names):
        return reason
    return f"{reason.removesuffix(names)}{_MISSING}{len(required_missing)}"
