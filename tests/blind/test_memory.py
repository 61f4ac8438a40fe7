"""A run's memory holds its own program and nothing of any other, nor a word about what is expected of it."""

from __future__ import annotations

import contextlib
import os
import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.lesson import lesson_ids, load_lesson
from grader.plan import Setting
from grader.programs import library_of
from grader.repertoire import Repertoire
from grader.runner import Runner
from grader.workers.conversation import Cancelled
from grader.workers.pool import Server, Suite
from grader.workers.wire import Order, SuiteFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from grader.lesson import Lesson
    from grader.programs import Program
    from grader.run import Transcript
    from grader.workers.wire import Module

COURSE = Path(__file__).resolve().parents[2]
SETTING = Setting(Order.COLLECTION, 0, "00")
WAITS = "import {module}\n\ndef test_that_waits():\n    while True:\n        pass\n"
PATIENCE = 60.0  # seconds; only a run that never begins takes them
PRIVATE_NAME = re.compile(r"\b_[a-z]{5,}\b")

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may read the memory of a run")


class Remembering(Repertoire):
    """Keeps what it hands out: program's name → the text that a run got."""

    def __init__(self, lesson: Lesson) -> None:
        super().__init__(lesson)
        self.handed_out: dict[str, str] = {}

    def fresh(self, program: Program) -> list[Module]:
        modules = super().fresh(program)
        self.handed_out[program.name] = "".join(module.source for module in modules)
        return modules


def leaf_below(pid: int) -> int:
    """The run: the process below the server that has none below it."""
    while children := Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split():
        pid = int(children[-1])
    return pid


def memory_of(pid: int) -> Iterator[bytes]:
    """Everything readable that is mapped into a process, but for what is mapped from files and was never written."""
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text(encoding="utf-8").splitlines():
            borders, rights, *_rest = line.split()
            begin, end = (int(border, 16) for border in borders.split("-"))
            if rights.startswith("rw"):
                with contextlib.suppress(OSError):
                    memory.seek(begin)
                    yield memory.read(end - begin)


def found_in(memory: Iterable[bytes], needles: Iterable[str]) -> set[str]:
    """Those of `needles` that stand in `memory` in any form in which Python keeps text."""
    forms = {
        needle: [needle.encode(form) for form in ("utf-8", "utf-16-le", "utf-32-le")] for needle in needles
    }
    return {
        needle
        for block in memory
        for needle, encoded in forms.items()
        if any(each in block for each in encoded)
    }


def names_in(memory: Iterable[bytes]) -> set[str]:
    """Everything in `memory` that looks like a private name of a rewritten program."""
    found: set[str] = set()
    for block in memory:
        for width in (1, 2, 4):
            gap = rb"\x00" * (width - 1)
            pattern = rb"_" + gap + rb"(?:[a-z]" + gap + rb"){5,}"
            found |= {match.replace(b"\0", b"").decode() for match in re.findall(pattern, block)}
    return found


def secrets_of(lesson: Lesson) -> set[str]:
    """What the course says of its faults and how its programs are written: never a run's business."""
    told = {
        text for fault in lesson.faults for text in (fault.title, fault.hint, fault.symptom, fault.path.name)
    }
    told |= {f"{lesson.id}/{fault.id}" for fault in lesson.faults}
    sources = [
        lesson.reference_modules[lesson.module].source,
        *(variant.source for variant in lesson.variants),
    ]
    remarks = {
        line.partition("#")[2].strip() for source in sources for line in source.splitlines() if "#" in line
    }
    return told | {remark for remark in remarks if len(remark) > 20}


@needs_root
@pytest.mark.parametrize("name", lesson_ids(COURSE))
def test_the_memory_of_a_run_holds_its_own_program_and_no_other(name: str) -> None:
    lesson = load_lesson(COURSE, name)
    suite = SuiteFile("test_a.py", WAITS.format(module=lesson.module).encode())
    repertoire = Remembering(lesson)
    programs = repertoire.programs
    begun = threading.Event()

    def has_begun(transcript: Transcript) -> bool:
        if transcript.collected:
            begun.set()
        return False

    with Server() as server:
        server.load(library_of(lesson))
        host = server.open(Suite("suite", [suite]), slots=1)
        runner = Runner(host, repertoire, PATIENCE)
        for before in (*programs.correct, programs.canary, *programs.faults[:2]):
            runner.run(before, SETTING, watch=lambda transcript: transcript.collected)
        waits = threading.Thread(target=wait_in, args=(runner, programs.faults[2], has_begun))
        waits.start()
        assert begun.wait(PATIENCE)
        memory = list(memory_of(leaf_below(server.pid)))
        host.cancel()
        waits.join()

    own = set(PRIVATE_NAME.findall(repertoire.handed_out.pop(programs.faults[2].name)))
    others = {name for text in repertoire.handed_out.values() for name in PRIVATE_NAME.findall(text)} - own
    # Names of parameters are kept, and the canary's are anybody's.
    others -= {name for module in programs.canary.modules for name in PRIVATE_NAME.findall(module.source)}
    common = {name for name in others if all(name in text for text in repertoire.handed_out.values())}
    there = names_in(memory)
    assert there & own  # so that finding nothing below means something
    assert len(others - common) > 100
    assert there & (others - common) == set()
    assert found_in(memory, secrets_of(lesson)) == set()


def wait_in(runner: Runner, program: Program, watch: object) -> None:
    with contextlib.suppress(Cancelled):
        runner.run(program, SETTING, watch=watch)  # type: ignore[arg-type]  # a callable


def test_the_search_finds_text_in_every_form_that_python_keeps_it_in() -> None:
    blocks = [
        b"..eps outside..",
        "..wid\u00e9 \u03b5..".encode("utf-16-le"),
        "..\U0001f600 deep..".encode("utf-32-le"),
    ]
    assert found_in(blocks, ["eps outside", "\u03b5", "deep", "absent"]) == {"eps outside", "\u03b5", "deep"}
