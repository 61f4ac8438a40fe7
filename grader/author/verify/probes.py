"""All witnesses of a lesson on any program: in a run of its own, bounded, both dtypes, and the values brought back.

A run says no more than texts of a limited length, so a value leaves it in parts, each as what one test raises.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader import values
from grader.author.outcomes import Outcome
from grader.author.tolerance import TOLERANCES
from grader.author.trials import Trials
from grader.author.verify.values import Value, decoded
from grader.programs import Kind
from grader.workers.pool import Suite
from grader.workers.wire import SuiteFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from grader.author.outcomes import Tried
    from grader.lesson import Lesson
    from grader.programs import Program
    from grader.workers.pool import Server

FILE = "test_probes.py"
NAMES = f"{FILE}::test_public_names"
PART = 3_000  # characters of a value in one message
MOST_PARTS = 20
SECONDS = 10.0  # for all witnesses of a lesson on the reference
MARK = "Value: "
RAISES = values.raises("")

PREAMBLE = f"""
import ast, base64, importlib, json, textwrap, zlib
import numpy

class Value(Exception):
    pass

def encoded(value):
    kind = type(value).__name__
    if isinstance(value, (numpy.ndarray, numpy.generic)) and value.dtype.kind in "biufc":
        if isinstance(value, numpy.ndarray):
            data = base64.b64encode(value.tobytes()).decode()
            return {{"kind": "array", "dtype": value.dtype.str, "shape": value.shape, "bytes": data}}
        value = value.item()
    if isinstance(value, (bool, int, float, complex)):
        # Equal numbers are equal whatever their type.
        return {{"kind": "number", "text": repr(complex(value) if value == value else value)}}
    if isinstance(value, (list, tuple)):
        return {{"kind": kind, "items": [encoded(each) for each in value]}}
    if isinstance(value, dict):
        pairs = sorted(value.items(), key=lambda pair: repr(pair[0]))
        return {{"kind": kind, "items": [encoded(pair) for pair in pairs]}}
    if isinstance(value, (set, frozenset)):
        return {{"kind": kind, "text": repr(sorted(map(repr, value)))}}
    text = repr(value)
    if " at 0x" in text:
        raise TypeError(f"a {{kind}} cannot be compared: return an array, a number, a text or a tuple of these")
    return {{"kind": kind, "text": text}}

def called(witness, dtype):
    tree = ast.parse("def witness(): ...")
    tree.body[0].body = ast.parse(textwrap.dedent(CALLS[witness])).body
    space = {{name: value for name, value in vars(MODULE).items() if not name.startswith("__")}}
    for name, target in WITNESS_NAMES.items():
        module, _, attribute = target.partition(":")
        found = importlib.import_module(module)
        space[name] = getattr(found, attribute) if attribute else found
    space["dtype"] = getattr(numpy, dtype)
    exec(compile(tree, "<witness>", "exec", dont_inherit=True), space)
    return space["witness"]()

TEXTS = {{}}

def tell(witness, dtype, number):
    if (witness, dtype) not in TEXTS:
        data = zlib.compress(json.dumps(encoded(called(witness, dtype))).encode())
        TEXTS[witness, dtype] = base64.b32encode(data).decode().rstrip("=")
    text = TEXTS[witness, dtype]
    parts = [text[start : start + {PART}] for start in range(0, len(text), {PART})]
    if number < len(parts):
        raise Value(f"{{len(parts)}} {{parts[number]}}")

def test_public_names():
    assert [name for name in PUBLIC if not hasattr(MODULE, name)] == []
"""


@dataclass(frozen=True)
class Probe:
    """One witness, asked for one dtype."""

    fault: str
    dtype: str

    @property
    def tolerance(self) -> float:
        """Of the dtype; relative."""
        return TOLERANCES[self.dtype]


@dataclass(frozen=True)
class Answer:
    """What a program gives for a probe: a value, or why there is none (`raises …`, `does not end`, …)."""

    value: Value | None = None
    problem: str = ""
    endless: bool = False


Answers = dict[Probe, Answer]


class Probing:
    """Runs the witnesses of a lesson on its programs.

    Args:
        lesson: with the faults whose witnesses are asked.
        server: warm, with its library.
        public: names that the module has to have.
        jobs: runs at a time.
        seconds: for all witnesses on the reference.
    """

    def __init__(
        self,
        lesson: Lesson,
        server: Server,
        public: Sequence[str],
        *,
        jobs: int = 1,
        seconds: float = SECONDS,
    ) -> None:
        self._probes = [Probe(fault.id, dtype) for fault in lesson.faults for dtype in TOLERANCES]
        self._endless: frozenset[Probe] = frozenset()

        def trials(parts: Mapping[Probe, int]) -> Trials:
            file = SuiteFile(FILE, _suite(lesson, public, parts).encode())
            return Trials(lesson, server, Suite("probes", [file]), jobs=jobs, timeout=seconds)

        self._parts = dict.fromkeys(self._probes, 1)
        self._trials = trials(self._parts)
        needed = {probe: _parts(self._trials.reference, probe) for probe in self._probes}
        if max(needed.values(), default=1) > 1:
            self._trials.close()
            self._parts = {probe: min(parts, MOST_PARTS) for probe, parts in needed.items()}
            self._trials = trials(self._parts)
        self.reference = self._answers(self._trials.reference)
        self._endless = frozenset(probe for probe, answer in self.reference.items() if answer.endless)

    def answers(self, program: Program, first: str = "") -> tuple[Answers, Outcome]:
        """What a program gives for every probe, and whether it has its public names.

        Probes that do not end on the reference are not asked of any other program.

        Args:
            program: which.
            first: a fault whose own witness is asked even where another one does not end.
        """
        if program.kind is Kind.REFERENCE:
            return self.reference, self._trials.reference.outcomes.get(NAMES, Outcome.NOT_LOADED)
        asked = [test for probe in self._probes if probe not in self._endless for test in self._tests(probe)]
        tried = self._trials.run(program, only=[NAMES, *asked], complete=False)
        answers = self._answers(tried)
        own = [probe for probe in self._probes if probe.fault == first and probe not in self._endless]
        for probe in own:
            if answers[probe].value is None and not answers[probe].problem:
                again = self._trials.run(program, only=self._tests(probe), complete=False)
                answers[probe] = self._answer(again, probe)
        return answers, tried.outcomes.get(NAMES, Outcome.NOT_LOADED)

    def close(self) -> None:
        """End what runs."""
        self._trials.close()

    def _answers(self, tried: Tried) -> Answers:
        return {probe: self._answer(tried, probe) for probe in self._probes}

    def _tests(self, probe: Probe) -> list[str]:
        return [_test(probe, number) for number in range(self._parts[probe])]

    def _answer(self, tried: Tried, probe: Probe) -> Answer:
        tests = self._tests(probe)
        outcome = tried.outcomes.get(tests[0], Outcome.NOT_LOADED)
        messages = [tried.messages.get(test, "") for test in tests]
        if messages[0].startswith(MARK):
            return _joined(messages)
        return _without_value(outcome, messages[0])


def _joined(messages: Iterable[str]) -> Answer:
    told = [message.removeprefix(MARK).partition(" ") for message in messages if message.startswith(MARK)]
    if int(told[0][0]) > len(told):
        return Answer(problem="returns too much: a witness is there to be read, so let it return a part")
    text = "".join(part for _count, _space, part in told)
    return Answer(decoded(text + "=" * (-len(text) % 8)))


def _without_value(outcome: Outcome, message: str) -> Answer:
    match outcome:
        case Outcome.NOT_RUN:
            return Answer()
        case Outcome.TIMEOUT:
            return Answer(problem=values.DOES_NOT_END, endless=True)
        case Outcome.NOT_LOADED:
            return Answer(problem=f"cannot be called, since the module does not load ({message})")
        case Outcome.CRASHED:
            return Answer(problem=f"{values.ENDS_THE_PROCESS} ({message})")
        case _:
            return Answer(problem=values.raises(message))


def _parts(tried: Tried, probe: Probe) -> int:
    message = tried.messages.get(_test(probe, 0), "")
    return int(message.removeprefix(MARK).partition(" ")[0]) if message.startswith(MARK) else 1


def _test(probe: Probe, number: int) -> str:
    return f"{FILE}::{_function(probe, number)}"


def _function(probe: Probe, number: int) -> str:
    return f"test_{probe.fault}_{probe.dtype}_{number}"


def _suite(lesson: Lesson, public: Sequence[str], parts: Mapping[Probe, int]) -> str:
    data = [
        f"import {lesson.module} as MODULE",
        f"PUBLIC = {list(public)!r}",
        f"WITNESS_NAMES = {lesson.witness_names!r}",
        f"CALLS = { {fault.id: textwrap.dedent(fault.witness.call) for fault in lesson.faults}!r}",
    ]
    tests = [
        f"def {_function(probe, number)}():\n    tell({probe.fault!r}, {probe.dtype!r}, {number})\n"
        for probe, count in parts.items()
        for number in range(count)
    ]
    return "\n".join([PREAMBLE, *data, *tests])
