"""Feedback for a learner as GitHub Flavored Markdown: what the screen says, for a comment, a summary, a mail.

A page is a list of parts, from the verdict to what counts least, and it is cut before it is too long for a comment on
GitHub.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from grader import texts
from grader.advice import next_step, pool_parts, private_part, survivors, tally
from grader.writers import inert
from grader.writers.said import message, parted, problem_words, shortened, taken_apart

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from grader.report import FaultLine, Mutation, ProblemLine, Report, TestLine, Tests, Validity

LIMIT = 60_000  # characters; GitHub refuses a comment of more than 65,536
MESSAGE = 3_000  # characters of one message
OURS = "policy"  # the kind of problem whose message is ours and no test's
KILLERS = 10  # named for one fault
KILLER = 200  # characters of one killer's name
LIST = 30_000  # characters of the table of faults, or of the notices

Fact = tuple[str, str]  # what it is, and the text; told where there is a text

_PLAIN_ENDS = frozenset({"passed", "skipped", "xfailed"})  # of a learner's test on their own module
_SILENT = frozenset({"passed", "not_run"})  # of a course test


def write(report: Report, *, messages: bool = False) -> str:
    """The page, at most `LIMIT` characters; with `messages`, what the killing tests said, too."""
    return page(report, LIMIT, messages=messages)


def page(report: Report, limit: int, *, messages: bool = False) -> str:
    """The page with as many of its parts, from the first, as `limit` characters hold; it never lacks its ending."""
    every = [f"{part}\n\n" for part in _parts(report, messages=messages)]
    ending = _ending(report)
    room = limit - len(ending) - len(_left_out(len(every)))
    if room < 0:
        return ""
    kept = _fitting(every, room)
    if len(kept) < len(every):
        kept.append(_left_out(len(every) - len(kept)))
    return "".join([*kept, ending])


def _fitting(blocks: list[str], limit: int) -> list[str]:
    length = 0
    for number, block in enumerate(blocks):
        length += len(block)
        if length > limit:
            return blocks[:number]
    return list(blocks)


def _left_out(number: int) -> str:
    are = "is" if number == 1 else "are"
    return (
        f"*{texts.count(number, 'part')} of this page {are} left out here: `ol check` shows everything.*\n\n"
    )


def _ending(report: Report) -> str:
    step = next_step(report)
    told = f"**Next:** {inert.inline(step)}\n\n" if step else ""
    took = f", {report.seconds:.1f} s" if report.seconds else ""
    return f"{told}Seed {report.seed}{took}.\n"


def _parts(report: Report, *, messages: bool) -> Iterator[str]:
    yield f"## {inert.inline(report.lesson)}: {report.status}"
    yield f"**{report.status.upper()}:** {inert.inline(report.reason)}"
    if report.course is not None:
        yield from _course(report.course)
    if report.validity is not None:
        yield from _validity(report.validity)
    if report.mutation is not None:
        yield from _mutation(report.mutation, messages=messages)
    if report.notices:
        yield _listed([f"- Note: {inert.inline(notice)}" for notice in report.notices], "- and {} more")
    if report.own is not None:
        yield from _own(report.own)


# How tests ended on the learner's module -----------------------------------------------------------------------


def _course(tests: Tests) -> Iterator[str]:
    yield f"### Course tests on your module: {_passing(tests)}"
    told: set[str] = set()
    for test in tests.tests:
        if test.outcome not in _SILENT:
            name = inert.code(test.test.rpartition("::")[2])
            why = (("What it checks", test.checks), ("Why it matters", test.downstream))
            yield from _failed(test, f"{inert.inline(test.kind)} {name}", why, told)


def _own(tests: Tests) -> Iterator[str]:
    yield f"### Your tests on your module: {_passing(tests)} (for your information)"
    told: set[str] = set()
    for test in tests.tests:
        if test.outcome not in _PLAIN_ENDS:
            yield from _failed(test, inert.code(test.test), (), told)


def _failed(test: TestLine, name: str, why: Sequence[Fact], told: set[str]) -> Iterator[str]:
    said, place = parted(test.message)
    yield f"- **{test.outcome.replace('_', ' ')}** {name}{_facts(*why, place=place, again=said in told)}"
    if said not in told:
        yield from _said(said)
    told.add(said)


def _passing(tests: Tests) -> str:
    return f"{tests.passed} of {len(tests.tests)} pass"


def _facts(*facts: Fact, place: str = "", again: bool = False) -> str:
    """Lines below a list's item, for the facts that there are."""
    told = [f"\n  - {label}: {inert.inline(text)}" for label, text in facts if text]
    if place:
        told.append(f"\n  - Where: {inert.code(place)}")
    if again:
        told.append("\n  - It said the same as above.")
    return "".join(told)


def _said(text: str) -> Iterator[str]:
    shown = shortened(message(text), MESSAGE)
    if shown:
        yield inert.block(shown)


# The suite on correct programs ---------------------------------------------------------------------------------


def _validity(found: Validity) -> Iterator[str]:
    if found.valid:
        yield f"### Your tests on correct programs: sound, {texts.count(found.tests, 'test')}"
        return
    problems = texts.count(len(found.problems), "problem")
    yield f"### Your tests on correct programs: {problems}, so no faults are scored"
    told: set[str] = set()
    for problem in found.problems:
        yield from _problem(problem, told)


def _problem(problem: ProblemLine, told: set[str]) -> Iterator[str]:
    said, place, ours = taken_apart(problem.message)
    again = problem.message in told
    told.add(problem.message)
    # A message of ours is prose; what a test said is not.
    why = () if again or problem.kind != OURS else (("Why", said),)
    test = f" {inert.code(problem.test)}" if problem.test else ""
    yield f"- **{inert.inline(problem_words(problem.kind))}**{test}{_facts(*why, place=place, again=again)}"
    if not again:
        yield from () if why else _said(said)
        yield from map(inert.inline, ours)


# The suite on the faults ---------------------------------------------------------------------------------------


def _mutation(grade: Mutation, *, messages: bool) -> Iterator[str]:
    yield f"### Your tests on the faults: {tally(grade)}{private_part(grade)}"
    for pool in pool_parts(grade):
        yield f"Your tests on the {inert.inline(str(pool))}"
    if grade.faults:
        yield _listed(list(_table(grade.faults, messages=messages)), "| and {} more | | | | |")
    for fault in survivors(grade):
        yield from _alive(fault)


def _table(faults: Iterable[FaultLine], *, messages: bool) -> Iterator[str]:
    yield "| fault | verdict | required | what is wrong | killed by |"
    yield "|---|---|---|---|---|"
    for fault in sorted(faults, key=lambda each: (each.status != "killed", each.id)):
        state = fault.status.replace("_", " ")
        required = "required" if fault.required else ""
        title = f"{fault.title} (private)" if fault.private else fault.title
        cells = (
            inert.inline(fault.id),
            state,
            required,
            inert.inline(title),
            _killers(fault, messages=messages),
        )
        yield f"| {' | '.join(cells)} |"


def _killers(fault: FaultLine, *, messages: bool) -> str:
    named = [inert.cell(shortened(killer, KILLER)) for killer in fault.killed_by[:KILLERS]]
    left = len(fault.killed_by) - len(named)
    if left:
        named.append(f"and {left} more")
    if fault.message and (messages or not fault.killed_by):
        named.append(inert.cell(message(fault.message, lines=3)))
    return "<br>".join(named)


def _listed(lines: Sequence[str], more: str) -> str:
    """The lines as one part: as many of them as it may be long, then how many more there are."""
    lengths = accumulate(len(line) + 1 for line in lines)
    kept = lines[: sum(length <= LIST for length in lengths)]
    left = [more.format(len(lines) - len(kept))] if len(kept) < len(lines) else []
    return "\n".join([*kept, *left])


def _alive(fault: FaultLine) -> Iterator[str]:
    required = " (required)" if fault.required else ""
    facts = _facts(("How it shows", fault.symptom), ("Blind spot", fault.hint))
    if facts or fault.witness:
        state = fault.status.replace("_", " ")
        yield f"- **{inert.inline(f'{fault.id} {fault.title}')}**{required}: {state}{facts}"
    if fault.witness:
        yield "For example:"
        yield inert.block(shortened(texts.plain(fault.witness), MESSAGE))
