"""What a fault's witness shows: one input, the reference's result and the faulty version's, both from runs of ours."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from grader import values
from grader.plan import Setting
from grader.run import Ending
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
PREAMBLE = f'''
import numpy

class Shown(Exception):
    """Carries the value of a witness out of the run."""
{values.SOURCE}
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
    programs = repertoire.programs
    faulty = {program.name: program for program in programs.faults}
    with server.open(Suite("witness", [file]), 1) as host:
        runner = Runner(host, repertoire, SECONDS)
        right = runner.run(programs.reference, SETTING)
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
        f"def test_{fault.id}():\n    def witness():\n{textwrap.indent(_body(fault), ' ' * 8)}\n    raise Shown(text_of(witness()))\n"
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
    return f"{_body(fault)}\n\n{values.compared(_shown(right, _test(fault)), _shown(wrong, _test(fault)))}"


def _shown(run: RunResult, test: str) -> str:
    """What a witness does in a run, as a verb and its object."""
    result = run.results.get(test)
    if result is not None:
        _, mark, value = result.message.partition("Shown: ")
        return values.gives(value) if mark else values.raises(result.message.partition("\n")[0])
    return values.DOES_NOT_END if run.ending is Ending.TIMEOUT else values.GIVES_NOTHING
