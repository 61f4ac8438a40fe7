"""What the searching process and the process that tries inputs say to one another."""

from __future__ import annotations

import enum

import msgspec

from grader.author.witness.templates import Template  # noqa: TC001 - msgspec reads the annotations
from grader.workers.wire import Module, Record

MAX_TEXT = 600  # characters of a value


class Kind(enum.IntEnum):
    """How a program's result differs from the reference's, the best witness first."""

    PLAIN = 0  # both are values of one type, shape and finite
    ODD = 1  # another type or shape, or not finite
    RAISED = 2  # one of them raises, or both do and not the same exception
    ENDLESS = 3  # the faulty one does not end, or its process does
    NONE = 9  # there is no difference


class Setup(Record, frozen=True):
    """To the process: the lesson.

    Attributes:
        package: the course's package, with the reference's module in it.
        module: the dotted name of the lesson's module.
        names: a name in witnesses, to a module or `module:attribute`.
        correct: the modules of each variant in which it differs from the reference.
    """

    package: list[Module]
    module: str
    names: dict[str, str]
    correct: list[list[Module]]


class NewBench(Record, frozen=True):
    """To the process, with one descriptor: fork a bench that tries inputs on this faulty program."""

    faulty: list[Module]


class Ready(Record, frozen=True):
    """From a bench: it is there."""

    pid: int


class Ask(Record, frozen=True):
    """To a bench: try this input. `call` is the body of a witness."""

    call: str


class Judged(Record, frozen=True):
    """From a bench: what the input shows.

    Attributes:
        kind: how the results differ, in the dtypes that `dtypes` names.
        dtypes: of float32 and float64, those in which they differ.
        known: the reference gives a value.
        right: what the reference does, as a verb and its object; empty where there is no difference, or no answer.
        wrong: the same of the faulty program.
    """

    kind: Kind
    dtypes: tuple[str, ...] = ()
    known: bool = True
    right: str = ""
    wrong: str = ""

    @property
    def differs(self) -> bool:
        """Whether the input shows the fault in one dtype at least."""
        return self.kind is not Kind.NONE

    @property
    def holds(self) -> bool:
        """Whether the input is a witness: it shows the fault in both dtypes."""
        return self.differs and len(self.dtypes) == len(DTYPES)


class Search(msgspec.Struct, frozen=True, array_like=True):
    """How to search.

    Attributes:
        inputs: how many to try before the fault counts as probably equivalent.
        seed: the same seed tries the same inputs.
        shrink: go on to the smallest input; else end at the first that differs.
    """

    inputs: int = 1000
    seed: int = 0
    shrink: bool = True


class Tried(Record, frozen=True):
    """From a bench, in a hunt: what an input showed. `picked`: the sum of its choices, 0 for the simplest."""

    call: str
    picked: int
    judged: Judged


class Hunt(Record, frozen=True):
    """To a bench: search these templates. `known`: what is known already, from a bench that did not come to an end."""

    templates: list[Template]
    search: Search
    known: list[Tried]


class Trying(Record, frozen=True):
    """From a bench, in a hunt: this input comes next."""

    call: str
    picked: int


class Done(Record, frozen=True):
    """From a bench: the hunt is over."""


DTYPES = ("float32", "float64")
Message = Setup | NewBench | Ready | Ask | Judged | Hunt | Trying | Tried | Done
decoder: msgspec.msgpack.Decoder[Message] = msgspec.msgpack.Decoder(Message)
