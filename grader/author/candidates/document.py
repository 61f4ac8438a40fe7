"""Candidates as plain data, for JSON: nothing in it depends on the machine or the time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.author.candidates.model import Judged
    from grader.author.candidates.suggest import Suggested

FORMAT_VERSION = 1


def document(suggested: Suggested, shown: Sequence[Judged]) -> dict[str, Any]:
    """What was found, with those candidates in full that are shown."""
    return {
        "format_version": FORMAT_VERSION,
        "lesson": suggested.lesson,
        "lesson_sha256": suggested.lesson_sha256,
        "tests": suggested.tests,
        "counts": {str(kind): number for kind, number in suggested.counts().items()},
        "notices": suggested.notices,
        "candidates": [_candidate(each) for each in shown],
    }


def _candidate(judged: Judged) -> dict[str, Any]:
    candidate = judged.candidate
    return {
        "id": candidate.id,
        "class": str(judged.kind),
        "score": judged.score,
        "reasons": judged.reasons,
        "file": candidate.file,
        "line": candidate.line,
        "function": candidate.function,
        "operators": candidate.operators,
        "original": candidate.original,
        "replacement": candidate.replacement,
        "occurrence": candidate.occurrence,
        "killed_by": judged.killed_by,
        "executed_by": judged.reached_by,
        "evidence": judged.evidence,
        "twin": judged.twin or None,
        "witness": judged.witness or None,
        "same_code_as": candidate.also,
    }
