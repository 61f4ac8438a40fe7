"""What has to hold for the programs that are correct: the reference, and the variants that keep suites fair."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from grader.author.outcomes import KILLS, Outcome
from grader.author.verify.finding import LESSON, Finding, error, ok
from grader.author.verify.values import differ
from grader.lesson.syntax import compiled, same_program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.author.outcomes import Tried
    from grader.author.verify.evidence import Others, Seen
    from grader.lesson import Lesson


def check_correct(lesson: Lesson, reference: Seen, others: Others) -> list[Finding]:
    """The course tests on the correct programs and on one that does nothing; how the variants differ from it."""
    files = {variant.name: variant.file for variant in lesson.variants}
    if not reference.first.outcomes:
        says = f"none runs on the reference ({reference.first.detail or 'none loads, or there is none'})"
        return [error(LESSON, "reference", f"reference/tests/{lesson.id}: tests", says)]
    return [
        _passes("reference", f"reference/{lesson.module_file}", reference),
        *(_passes(f"variant {name}", files[name], seen) for name, seen in others.variants.items()),
        _canary_noticed(lesson, others.canary),
        *(_agrees(name, files[name], seen, reference) for name, seen in others.variants.items()),
        *_other_programs(lesson),
        *others.bits,
    ]


# ------------------------------------------------------------------------- the course tests


def _passes(check: str, file: str, seen: Seen) -> Finding:
    problems = dict(_not_passed(seen.first)) or dict(_not_passed(seen.second))
    if problems:
        test, says = next(iter(problems.items()))
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        return error(LESSON, check, f"{file}: {test}", f"{says}{more}")
    return ok(LESSON, check, f"passes all {len(seen.first.outcomes)} course tests, in any order")


def _not_passed(tried: Tried) -> Iterator[tuple[str, str]]:
    for test, outcome in tried.outcomes.items():
        if outcome is not Outcome.PASSED:
            says = tried.messages.get(test, "").partition("\n")[0]
            yield test, f"this course test ends as {outcome.replace('_', ' ')}{says and f' ({says})'}"


def _canary_noticed(lesson: Lesson, canary: Tried) -> Finding:
    if any(outcome in KILLS for outcome in canary.outcomes.values()):
        return ok(LESSON, "canary", "the course tests notice a module in which everything raises")
    place = f"reference/tests/{lesson.id}: tests"
    return error(LESSON, "canary", place, "they pass on a module in which every function raises")


# ------------------------------------------------------------------------- the variants


def _other_programs(lesson: Lesson) -> list[Finding]:
    """No two correct programs are one program."""
    reference = lesson.reference_modules[lesson.module].source
    sources = {"the reference": reference} | {variant.name: variant.source for variant in lesson.variants}
    files = {variant.name: variant.file for variant in lesson.variants}
    codes = {name: compiled(source) for name, source in sources.items()}
    twins = [
        error(LESSON, "variants", f"{files[other]}: source", f"is the same program as {one}")
        for one, other in combinations(codes, 2)
        if same_program(codes[one], codes[other])
    ]
    return twins or [ok(LESSON, "variants", f"{len(codes)} correct programs, no two of them the same")]


def _agrees(name: str, file: str, seen: Seen, reference: Seen) -> Finding:
    check = f"variant {name} agrees"
    for probe, right in reference.answers.items():
        answer = seen.answers[probe]
        if right.value is None:
            continue
        if answer.value is None:
            place = f"{file}: witness of {probe.fault}"
            return error(LESSON, check, place, f"in {probe.dtype} it {answer.problem or 'was not reached'}")
        if differ(right.value.rounded, answer.value.rounded, probe.tolerance):
            says = f"in {probe.dtype} it gives another value than the reference"
            return error(LESSON, check, f"{file}: witness of {probe.fault}", says)
    return ok(LESSON, check, "gives what the reference gives on every witness, within rounding")
