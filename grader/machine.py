"""What this machine has and how fast it is, found by trying."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.errors import GraderError
from grader.texts import count

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from grader.lesson import Lesson

OLDEST = (3, 11)
PACKAGES = ("numpy", "pytest")
SLOW = 15.0  # seconds, for what takes about one where nothing is wrong
TIMEOUT = 60.0  # seconds


@dataclass(frozen=True)
class Check:
    """One thing that was looked at.

    Attributes:
        sentence: what was found.
        fix: what to do about it; empty when it is as it should be.
    """

    name: str
    ok: bool
    sentence: str
    fix: str = ""


def basics(course: Path) -> list[Check]:
    """Python, packages, cores, and one run of the engine."""
    return [_python(), *_packages(), _hypothesis(), _cores(), *_course(course)]


def _python() -> Check:
    good = sys.version_info >= OLDEST
    fix = "" if good else f"install Python {'.'.join(map(str, OLDEST))} or later"
    return Check("python", good, f"{platform.python_implementation()} {platform.python_version()}", fix)


def _packages() -> Iterator[Check]:
    for name in PACKAGES:
        version = _version(name)
        yield Check(name, bool(version), version or "is missing", "" if version else "install ol again")


def _hypothesis() -> Check:
    version = _version("hypothesis")
    missing = "is not installed; only suites that import it need it: pip install 'ol-grader[hypothesis]'"
    return Check("hypothesis", ok=True, sentence=version or missing)


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _cores() -> Check:
    cores = len(os.sched_getaffinity(0))
    return Check("cores", ok=True, sentence=f"{count(cores, 'core')}, so {count(cores, 'run')} at a time")


def _course(course: Path) -> Iterator[Check]:
    from grader.lesson import lesson_ids, load_lesson  # noqa: PLC0415 - only to try the engine

    try:
        lessons = [load_lesson(course, name) for name in lesson_ids(course)]
        yield Check("course", ok=bool(lessons), sentence=f"{count(len(lessons), 'lesson')} in {course}")
        if lessons:
            yield from _engine(lessons[0])
    except GraderError as error:
        fix = error.hint.rstrip(".") or "run again with --debug and report what it prints"
        yield Check("engine", ok=False, sentence=str(error), fix=fix)


def _engine(lesson: Lesson) -> Iterator[Check]:
    """The course tests on the reference, through the engine that grades."""
    from grader.course_part import Program, course_part  # noqa: PLC0415 - only to try the engine
    from grader.programs import library_of  # noqa: PLC0415 - as above
    from grader.workers.pool import Server  # noqa: PLC0415 - as above
    from grader.workers.wire import Module  # noqa: PLC0415 - as above

    modules = lesson.reference_modules.items()
    program = Program(tuple(Module(name, each.source, each.is_package) for name, each in modules))
    begun = time.monotonic()
    with Server() as server:
        server.load(library_of(lesson))
        part = course_part(server, lesson, program, seed="00", timeout=TIMEOUT)
    seconds = time.monotonic() - begun
    good = not part.tests.failed and not part.problem
    told = f"the course tests of {lesson.id} on the reference: {part.tests.passed} of {len(part.tests.tests)} pass"
    yield Check(
        "engine", good, told, "" if good else "report this: the course or the sandbox is not as it should be"
    )
    fix = "" if seconds < SLOW else "close what else is running, or give --timeout more seconds"
    yield Check(
        "speed", seconds < SLOW, f"{seconds:.2f} s for these, from the start of the engine to its end", fix
    )
