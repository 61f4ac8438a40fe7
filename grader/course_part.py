"""The part of a check that runs on the learner's own module: the course tests, and the learner's suite.

Both go through the engine that grades suites. The program is all of the learner's package, or with `ref_deps` the
reference with the learner's module in its place.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.errors import HarnessError, NoSuchTestError
from grader.plan import Setting
from grader.report import BAD_ENDS, TestLine, Tests
from grader.run import CUT_SHORT, Ending
from grader.validity import unloaded
from grader.workers import wire
from grader.workers.conversation import Job
from grader.workers.pool import Suite
from grader.workers.wire import LoadEnding, Module, Order, Outcome, SuiteFile
from grader.workspace import UnreadableModule, modules_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.lesson import Lesson
    from grader.run import LoadFailure, RunResult, Transcript
    from grader.workers.pool import Host, Server
    from grader.workspace import Workspace

OUTCOMES = {
    Outcome.XPASSED_STRICT: ("failed", "it passed where it says that it must fail (a strict xfail)"),
    Outcome.OUT_OF_MEMORY: ("crashed", "memory limit"),
}
ENDING_OUTCOMES = {Ending.TIMEOUT: "timeout"}
KIND = re.compile(r"\A\s*\[(?P<kind>[^\]]+)\]")
DOWNSTREAM = re.compile(r"Downstream:\s*(?P<text>.+)", re.DOTALL)


@dataclass(frozen=True)
class Program:
    """The learner's package as it goes to a run; `problem` says why there is none, in a sentence on what to do."""

    modules: tuple[Module, ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class Part:
    """One suite on the learner's module; `problem`: why it did not get to its end, in one sentence."""

    tests: Tests
    problem: str = ""


@dataclass(frozen=True)
class About:
    """What a course test's docstring says of it."""

    kind: str = ""
    checks: str = ""
    downstream: str = ""


# ------------------------------------------------------------------------- the program


def learners_program(workspace: Workspace, lesson: Lesson, *, ref_deps: bool) -> Program:
    """The learner's package, or what is missing of it."""
    try:
        own = modules_of(workspace, lesson.package)
    except UnreadableModule as error:
        return Program(problem=f"your module cannot be read: {error}")
    if lesson.module not in own or not workspace.source(lesson).is_file():
        return Program(
            problem=f"{lesson.source} does not exist yet: `ol start {lesson.id}` lays it down for you to fill in"
        )
    if ref_deps:
        return Program(tuple(_in_the_reference(lesson, own[lesson.module])))
    missing = [name for name in lesson.imports if name not in own]
    if missing:
        return Program(
            problem=f"earlier lessons are missing from this workspace ({', '.join(missing)}): "
            "finish them first, or add --ref-deps to use the course's"
        )
    return Program(tuple(own.values()))


def _in_the_reference(lesson: Lesson, module: Module) -> list[Module]:
    others = lesson.reference_modules.items()
    return [
        module if name == lesson.module else Module(name, other.source, other.is_package)
        for name, other in others
    ]


# ------------------------------------------------------------------------- the course tests


def course_part(
    server: Server, lesson: Lesson, program: Program, *, seed: str, timeout: float, chosen: str = ""
) -> Part:
    """The course tests on the learner's module.

    Args:
        server: the warm server of this check.
        lesson: the lesson.
        program: the learner's package.
        seed: hex digest from which all randomness follows.
        timeout: seconds for the run.
        chosen: pytest's `-k` expression; empty: all tests.

    Raises:
        NoSuchTestError: `chosen` fits no test.
        HarnessError: the course tests themselves cannot be run.
    """
    files = _course_files(lesson)
    about = {name: each for file in files for name, each in _described(file).items()}
    if program.problem:
        lines = [_line(test, "not_run", "", about) for test in _fitting(list(about), chosen)]
        return Part(_counted(lines), program.problem)
    with server.open(course_suite(lesson), slots=1) as host:
        if host.prepared.findings:
            raise HarnessError(f"the course tests do not compile: {host.prepared.findings[0].message}")
        setting = Setting(Order.COLLECTION, 0, seed)
        only = _fitting(_collected(host, program, setting, timeout), chosen) if chosen else None
        result = host.run(Job(_run(program, setting, only), timeout))
    lines = [_line(test, *_ended(result, test), about) for test in only or result.tests or list(about)]
    return Part(_counted(lines), _problem(result, lesson.module))


def course_suite(lesson: Lesson) -> Suite:
    """The course tests of a lesson; they may read its golden values."""
    golden = lesson.root / "fixtures" / lesson.id
    return Suite(lesson.course_tests.name, _course_files(lesson), root=lesson.course_tests, readable=[golden])


def _course_files(lesson: Lesson) -> list[SuiteFile]:
    root = lesson.course_tests
    return [
        SuiteFile(file.relative_to(root).as_posix(), file.read_bytes()) for file in sorted(root.rglob("*.py"))
    ]


def _described(file: SuiteFile) -> dict[str, About]:
    """Node id without parameters → what the docstring says, for the test functions of a file."""
    tree = ast.parse(file.data)
    return {
        f"{file.path}::{node.name}": _about(ast.get_docstring(node) or "")
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
    }


def _about(docstring: str) -> About:
    """The parts of a docstring `[kind] What it checks.` with a paragraph `Downstream: what relies on it.` below."""
    kind = KIND.match(docstring)
    checks, _, rest = docstring[kind.end() if kind else 0 :].partition("\n\n")
    downstream = DOWNSTREAM.search(rest)
    return About(
        kind=kind["kind"] if kind else "",
        checks=" ".join(checks.split()),
        downstream=" ".join(downstream["text"].split()) if downstream else "",
    )


def _collected(host: Host, program: Program, setting: Setting, timeout: float) -> list[str]:
    """The node ids of the tests, from a run that is ended before it starts any."""
    result = host.run(Job(_run(program, setting, []), timeout, watch=_is_collected))
    return list(result.tests)


def _is_collected(transcript: Transcript) -> bool:
    return transcript.collected


def _fitting(tests: Sequence[str], expression: str) -> list[str]:
    if not expression:
        return list(tests)
    from _pytest.mark.expression import Expression  # noqa: PLC0415 - only `-k` needs pytest in this process

    try:
        compiled = Expression.compile(expression)
        fitting = [test for test in tests if compiled.evaluate(_Names(test))]
    except SyntaxError as error:
        raise NoSuchTestError(expression, f"it is no expression: {error}") from error
    if tests and not fitting:
        raise NoSuchTestError(expression, "no course test fits")
    return fitting


class _Names:
    """Matches a name of the expression as pytest does: somewhere in the test's names, in any case of letters."""

    def __init__(self, test: str) -> None:
        self._test = test.lower()

    def __call__(self, name: str, /, **_arguments: object) -> bool:
        return name.lower() in self._test


# ------------------------------------------------------------------------- the learner's suite


def own_part(host: Host, program: Program, lesson: Lesson, *, seed: str, timeout: float) -> Part:
    """The learner's suite, which `host` has prepared, on the learner's module."""
    result = host.run(Job(_run(program, Setting(Order.COLLECTION, 0, seed), None), timeout))
    lines = [_line(test, *_ended(result, test), {}) for test in result.tests]
    lines += [
        TestLine(test=file, outcome="error", message=result.load_failures[file].message)
        for file in unloaded(result)
    ]
    return Part(_counted(lines), _problem(result, lesson.module) if result.ending in CUT_SHORT else "")


# ------------------------------------------------------------------------- one run


def _run(program: Program, setting: Setting, only: Sequence[str] | None) -> wire.Run:
    chosen = list(only) if only is not None else None
    return wire.Run(
        list(program.modules), setting.order, setting.order_seed, setting.seed, chosen, whole=True
    )


def _ended(result: RunResult, test: str) -> tuple[str, str]:
    """The outcome of a test and its message."""
    shown = result.results.get(test)
    if shown is not None:
        outcome, text = OUTCOMES.get(shown.outcome, (shown.outcome.value, shown.message))
        return outcome, f"{text} [{shown.where}]" if shown.where and text else text
    if test == result.current and result.ending in CUT_SHORT:
        return ENDING_OUTCOMES.get(result.ending, "crashed"), result.detail.partition(", in ")[0]
    return "not_run", ""


def _line(test: str, outcome: str, message: str, about: dict[str, About]) -> TestLine:
    known = about.get(test.partition("[")[0], About())
    return TestLine(
        test=test,
        outcome=outcome,
        message=message,
        kind=known.kind,
        checks=known.checks,
        downstream=known.downstream,
    )


def _counted(lines: Sequence[TestLine]) -> Tests:
    return Tests(
        passed=sum(line.outcome == "passed" for line in lines),
        failed=sum(line.outcome in BAD_ENDS for line in lines),
        tests=tuple(lines),
    )


def _problem(result: RunResult, module: str) -> str:
    """Why a run on the learner's module did not get to its end, in one sentence; empty: it did."""
    if result.ending in CUT_SHORT:
        return _cut_short(result, _place(result, module))
    failures = [result.load_failures[file] for file in unloaded(result)]
    return _unimportable(failures[0], module) if failures else ""


def _place(result: RunResult, module: str) -> str:
    if result.tests and result.current:
        return f"{result.current.rpartition('::')[2]} on your module"
    return f"importing {module}"


def _cut_short(result: RunResult, place: str) -> str:
    if result.ending is Ending.TIMEOUT:
        return f"{place} had not ended after {result.seconds:.0f} s: look for a loop without an end"
    if result.ending is Ending.MEMORY:
        return f"{place} asked for more memory than a run may have: look for an array that is too large"
    return f"{place} ended the process: {result.detail.partition(',')[0]}"


def _unimportable(failure: LoadFailure, module: str) -> str:
    if failure.ending is LoadEnding.EXITED:
        return f"{module} ends the program while it is imported ({failure.message})"
    if "cannot import name" in failure.message and f"from '{module}'" in failure.message:
        return f"{module} lacks what the course tests import: {failure.message}"
    place = f" [{failure.where}]" if failure.where else ""
    return f"{module} does not import: {failure.message}{place}"
