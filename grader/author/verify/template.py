"""Whether what a learner begins with is complete: a stub with every public name, and a first test that is right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.author.outcomes import Outcome
from grader.author.trials import Trials
from grader.author.verify.contract import contract_of
from grader.author.verify.finding import LESSON, Finding, error, ok
from grader.author.verify.names import public_names, public_names_of
from grader.lesson.syntax import compiled, described, same_program
from grader.programs import Kind, programs_of
from grader.workers.pool import Suite
from grader.workers.wire import Rules, SuiteFile

if TYPE_CHECKING:
    from pathlib import Path

    from grader.author.outcomes import Tried
    from grader.lesson import Lesson
    from grader.workers.pool import Server

STUB, STARTER = "stub", "starter test"


def check_template(lesson: Lesson, server: Server) -> list[Finding]:
    """The stub, and the first test on the stub and on every correct program.

    Args:
        lesson: whose template.
        server: warm, with the library of the lesson.

    Raises:
        HarnessError: the processes are gone.
    """
    template = lesson.root / "student_template" / lesson.id
    place = f"student_template/{lesson.id}"
    if not template.is_dir():
        return [error(LESSON, STUB, f"{place}: folder", "is missing: it holds what `ol start` lays down")]
    stub = _check_stub(lesson, template / lesson.source, f"{place}/{lesson.source}")
    return [stub, _check_starter(lesson, template, server)]


# ------------------------------------------------------------------------- the stub


def _check_stub(lesson: Lesson, path: Path, file: str) -> Finding:
    if not path.is_file():
        return error(LESSON, STUB, f"{file}: file", "is missing: the learner's module in the making")
    try:
        names, code = public_names_of(path), compiled(path.read_text(encoding="utf-8-sig"))
    except SyntaxError as problem:
        return error(LESSON, STUB, f"{file}: syntax", described(problem))
    if same_program(code, compiled(lesson.reference_modules[lesson.module].source)):
        return error(LESSON, STUB, f"{file}: source", "is the reference: nothing is left to build")
    for name, taken in _promised(lesson).items():
        if name not in names:
            return error(LESSON, STUB, f"{file}: {name}", "is missing, and the contract has it")
        if taken != names[name]:
            says = f"takes ({names[name]}), and by the contract ({taken})"
            return error(LESSON, STUB, f"{file}: {name}", says)
    return ok(LESSON, STUB, "has every public name of the contract, with its parameters")


def _promised(lesson: Lesson) -> dict[str, str | None]:
    """What the contract has; without a usable one, what the reference has."""
    try:
        return public_names_of(lesson.root / contract_of(lesson))
    except (OSError, SyntaxError):  # another check says so
        return public_names(lesson.reference_modules[lesson.module].source)


# ------------------------------------------------------------------------- the first test


def _check_starter(lesson: Lesson, template: Path, server: Server) -> Finding:
    folder = f"student_template/{lesson.id}/{lesson.tests}"
    files = _files(template / lesson.tests)
    if not files:
        return error(
            LESSON, STARTER, f"{folder}: file", "there is no test: a learner begins with one that is right"
        )
    rules = Rules(list(lesson.imports), hypothesis_installed=True)
    host = server.open(Suite("starter", files, rules), slots=1)
    findings = host.prepared.findings
    host.close()
    if findings:
        place = f"{folder}/{findings[0].file}: line {findings[0].line}"
        return error(LESSON, STARTER, place, findings[0].message)
    return _run_starter(lesson, Trials(lesson, server, Suite("starter", files)), template, folder)


def _files(folder: Path) -> list[SuiteFile]:
    return [
        SuiteFile(path.relative_to(folder).as_posix(), path.read_bytes())
        for path in sorted(folder.rglob("*.py"))
    ]


def _run_starter(lesson: Lesson, trials: Trials, template: Path, folder: str) -> Finding:
    programs = programs_of(lesson)
    try:
        for program in programs.correct:
            tried = trials.reference if program is programs.reference else trials.run(program)
            problem = _not_passed(tried)
            if problem:
                name = program.name if program.kind is Kind.REFERENCE else f"variant {program.name}"
                return error(LESSON, STARTER, f"{folder}{problem[0]}", f"on the {name}: {problem[1]}")
        stub = _text_of(template / lesson.source)
        if stub is not None and not _notices(trials, lesson, stub):
            return error(
                LESSON, STARTER, f"{folder}: tests", "pass on the stub, in which nothing is built yet"
            )
    finally:
        trials.close()
    return ok(LESSON, STARTER, "passes on every correct program, and fails on the stub")


def _not_passed(tried: Tried) -> tuple[str, str] | None:
    if not tried.outcomes:
        return ": tests", f"none runs ({tried.detail or 'none loads, or there is none'})"
    for test, outcome in tried.outcomes.items():
        if outcome is not Outcome.PASSED:
            return f"/{test}", f"it ends as {outcome.replace('_', ' ')} ({tried.messages.get(test, '')})"
    return None


def _text_of(path: Path) -> str | None:
    """The stub's text; None where there is none, as another check says."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None


def _notices(trials: Trials, lesson: Lesson, stub: str) -> bool:
    return bool(trials.run(trials.program(STUB, {lesson.module_file: stub})).killers)
