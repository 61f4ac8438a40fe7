"""The one document that every output is made from.

FORMAT_VERSION history: 1 — the first.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

FORMAT_VERSION = 1


def _one_of(*words: str) -> msgspec.Meta:
    return msgspec.Meta(pattern=f"^({'|'.join(words)})$")


BAD_ENDS = frozenset({"failed", "error", "timeout", "crashed", "not_run"})  # what `Tests.failed` counts

Status = Annotated[str, _one_of("passed", "failed", "invalid", "error")]
FaultStatus = Annotated[str, _one_of("killed", "survived", "timeout", "crashed", "not_run")]
Outcome = Annotated[
    str,
    _one_of("passed", "failed", "error", "skipped", "xfailed", "xpassed", "timeout", "crashed", "not_run"),
]
ProgramKind = Annotated[str, _one_of("reference", "variant", "canary")]
Sha256 = Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{64})?$")]  # empty: there was nothing to hash
ExitCode = Annotated[int, msgspec.Meta(ge=0, le=255)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Seconds = Annotated[float, msgspec.Meta(ge=0)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class _Part(msgspec.Struct, frozen=True):
    """A part of the report."""


class PolicyLine(_Part, frozen=True, kw_only=True):
    """One finding of the static policy."""

    file: str
    line: Count
    rule: str
    message: str


class TestLine(_Part, frozen=True, kw_only=True):
    """How one test ended on one program.

    Attributes:
        outcome: passed, failed, error, skipped, xfailed, xpassed, timeout, crashed or not_run.
        kind: what kind of course test it is (unit, golden, property, …); empty for a learner's test.
        checks: what a course test checks; empty for a learner's test.
        downstream: what relies on what a course test checks; empty for a learner's test.
    """

    __test__ = False  # no test, whatever pytest thinks of the name

    test: str
    outcome: Outcome
    message: str
    kind: str = ""
    checks: str = ""
    downstream: str = ""


class Tests(_Part, frozen=True, kw_only=True):
    """A suite on one program; `failed` counts the tests that did not get to a good end, those not run included."""

    passed: Count
    failed: Count
    tests: tuple[TestLine, ...]


class ProblemLine(_Part, frozen=True, kw_only=True):
    """One reason why a suite cannot be graded."""

    kind: str
    test: str
    program: ProgramKind
    message: str


class Validity(_Part, frozen=True, kw_only=True):
    """Whether the suite can be graded; `tests` is the number of test ids."""

    valid: bool
    tests: Count
    problems: tuple[ProblemLine, ...]


class FaultLine(_Part, frozen=True, kw_only=True):
    """What became of one fault.

    Attributes:
        symptom: how the fault shows in use; only of one that is alive, and as far as feedback was asked for.
        hint: which blind spot of the suite lets it live; as `symptom`.
        witness: an input on which it differs from the reference, and both results; only with full feedback.
        private: it counts and learners are not told of it: a report that they see has no such line. Left out where
            it is not.
    """

    id: str
    title: str
    required: bool
    status: FaultStatus
    killed_by: tuple[str, ...]
    message: str
    hint: str
    seconds: Seconds
    symptom: str = ""
    witness: str = ""
    private: bool | msgspec.UnsetType = msgspec.UNSET


class Tally(_Part, frozen=True, kw_only=True):
    """Faults that were killed, of how many."""

    killed: Count
    total: Count


class PoolLine(_Part, frozen=True, kw_only=True):
    """The grade for one pool of programs beside the faults; `threshold` and `score` as in `Mutation`."""

    name: str
    killed: Count
    total: Count
    needed: Count
    threshold: str
    score: Share


class Mutation(_Part, frozen=True, kw_only=True):
    """The grade of a valid suite.

    Attributes:
        private: the faults that count in `killed` and `total` and are kept from who reads this; left out
            where there are none.
        pools: beside the faults, each of which has to reach its own threshold; left out where there are none.
    """

    killed: Count
    total: Count
    needed: Count
    threshold: str
    score: Share
    required_missing: tuple[str, ...]
    faults: tuple[FaultLine, ...]
    private: Tally | msgspec.UnsetType = msgspec.UNSET
    pools: tuple[PoolLine, ...] | msgspec.UnsetType = msgspec.UNSET


class Report(_Part, frozen=True, kw_only=True):
    """One grading, from its verdict down to each fault."""

    format_version: int = FORMAT_VERSION
    lesson: str
    status: Status
    reason: str
    exit_code: ExitCode
    seed: Count
    sandbox: tuple[str, ...]
    versions: dict[str, str]
    submission_sha256: Sha256
    lesson_sha256: Sha256
    seconds: Seconds
    policy: tuple[PolicyLine, ...] = ()
    course: Tests | None = None
    own: Tests | None = None
    validity: Validity | None = None
    mutation: Mutation | None = None
    notices: tuple[str, ...] = ()
