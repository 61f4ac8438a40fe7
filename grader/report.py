"""The one document that every output is made from.

FORMAT_VERSION history: 1 — the first.
"""

from __future__ import annotations

import msgspec

FORMAT_VERSION = 1


class _Part(msgspec.Struct, frozen=True):
    """A part of the report."""


class PolicyLine(_Part, frozen=True, kw_only=True):
    """One finding of the static policy."""

    file: str
    line: int
    rule: str
    message: str


class TestLine(_Part, frozen=True, kw_only=True):
    """How one test ended on one program."""

    __test__ = False  # no test, whatever pytest thinks of the name

    test: str
    outcome: str
    message: str


class Tests(_Part, frozen=True, kw_only=True):
    """A suite on one program."""

    passed: int
    failed: int
    tests: tuple[TestLine, ...]


class ProblemLine(_Part, frozen=True, kw_only=True):
    """One reason why a suite cannot be graded."""

    kind: str
    test: str
    program: str
    message: str


class Validity(_Part, frozen=True, kw_only=True):
    """Whether the suite can be graded; `tests` is the number of test ids."""

    valid: bool
    tests: int
    problems: tuple[ProblemLine, ...]


class FaultLine(_Part, frozen=True, kw_only=True):
    """What became of one fault."""

    id: str
    title: str
    required: bool
    status: str
    killed_by: tuple[str, ...]
    message: str
    hint: str
    seconds: float


class Mutation(_Part, frozen=True, kw_only=True):
    """The grade of a valid suite."""

    killed: int
    total: int
    needed: int
    threshold: str
    score: float
    required_missing: tuple[str, ...]
    faults: tuple[FaultLine, ...]


class Report(_Part, frozen=True, kw_only=True):
    """One grading, from its verdict down to each fault."""

    format_version: int = FORMAT_VERSION
    lesson: str
    status: str
    reason: str
    exit_code: int
    seed: int
    sandbox: tuple[str, ...]
    versions: dict[str, str]
    submission_sha256: str
    lesson_sha256: str
    seconds: float
    policy: tuple[PolicyLine, ...] = ()
    course: Tests | None = None
    own: Tests | None = None
    validity: Validity | None = None
    mutation: Mutation | None = None
    notices: tuple[str, ...] = ()
