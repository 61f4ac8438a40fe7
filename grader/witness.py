"""What a fault's witness shows: one input, the reference's result and the faulty version's, both from runs of ours."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from grader.plan import Setting
from grader.runner import Runner
from grader.workers.pool import Suite
from grader.workers.wire import Order, SuiteFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.lesson import Fault, Lesson
    from grader.repertoire import Repertoire
    from grader.run import RunResult
    from grader.workers.pool import Server

FILE = "test_witness.py"
SETTING = Setting(Order.COLLECTION, 0, "00")
SECONDS = 10.0
PREAMBLE = '''
import numpy

class Shown(Exception):
    """Carries the value of a witness out of the run."""

def text(value):
    with numpy.printoptions(precision=6, threshold=12, floatmode="maxprec"):
        return " ".join(repr(value).split())

dtype = numpy.float32
'''


def witnesses(
    server: Server, lesson: Lesson, repertoire: Repertoire, faults: Sequence[Fault]
) -> dict[str, str]:
    """Fault's id → a text that shows its witness, for each of these faults.

    Raises:
        HarnessError: the machine does not allow a run.
    """
    file = SuiteFile(FILE, _suite(lesson, faults).encode())
    runner = Runner(server.open(Suite("witness", [file]), 1), repertoire, SECONDS)
    programs = repertoire.programs
    right = runner.run(programs.reference, SETTING)
    faulty = {program.name: program for program in programs.faults}
    return {
        fault.id: _told(fault, right, runner.run(faulty[fault.id], SETTING, only=[_test(fault)]))
        for fault in faults
    }


def _suite(lesson: Lesson, faults: Sequence[Fault]) -> str:
    names = [_import(name, target) for name, target in lesson.witness_names.items()]
    module = [
        f"import {lesson.module} as _module",
        "globals().update((k, v) for k, v in vars(_module).items() if not k.startswith('__'))",
    ]
    functions = [
        f"def test_{fault.id}():\n    def witness():\n{textwrap.indent(_body(fault), ' ' * 8)}\n    raise Shown(text(witness()))\n"
        for fault in faults
    ]
    return "\n".join([PREAMBLE, *module, *names, *functions])


def _import(name: str, target: str) -> str:
    module, _, attribute = target.partition(":")
    return f"from {module} import {attribute} as {name}" if attribute else f"import {module} as {name}"


def _body(fault: Fault) -> str:
    return textwrap.dedent(fault.witness.call).strip("\n")


def _test(fault: Fault) -> str:
    return f"{FILE}::test_{fault.id}"


def _told(fault: Fault, right: RunResult, wrong: RunResult) -> str:
    values = [_value(run, _test(fault)) for run in (right, wrong)]
    return f"{_body(fault)}\nthe reference gives {values[0]}\nthis faulty version gives {values[1]}"


def _value(run: RunResult, test: str) -> str:
    shown = run.results.get(test)
    if shown is None:
        return f"no result ({run.detail})" if run.detail else "no result"
    _, mark, value = shown.message.partition("Shown: ")
    return value if mark else shown.message
