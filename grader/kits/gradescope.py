"""The autograder for Gradescope: an archive that is uploaded as it is.

Gradescope unpacks it into `/autograder/source`, runs `setup.sh` when it builds an image, and `run_autograder` for each
submission. The archive holds this installation as a wheel, so that no index needs to have it.
"""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.kits.filling import filled
from grader.kits.requirements import EXTRA, pins
from grader.kits.wheel import course, wheel, zipped

if TYPE_CHECKING:
    from fractions import Fraction

    from grader.lesson import Lesson

SETUP, RUN = "setup.sh", "run_autograder"
COURSE = "course"


@dataclass(frozen=True)
class Settings:
    """How the autograder grades.

    Attributes:
        feedback: how much of the faults learners are told: score, names, hints or full.
        sandbox: which layers hold the runs: auto, require or off.
        points: what a full score is worth; None: the points of the assignment.
        own_course: put the lesson's course into the archive; else the wheel's is the one.
    """

    feedback: str = "hints"
    sandbox: str = "require"
    points: Fraction | None = None
    own_course: bool = False


def archive(lesson: Lesson, settings: Settings) -> bytes:
    """The archive's bytes.

    Raises:
        HarnessError: the program was not installed.
    """
    name, data = wheel()
    files = {
        name: data,
        "requirements.txt": "\n".join([*pins(), ""]).encode(),
        SETUP: filled(SETUP, {"PYTHON": _python(), "WHEEL": f"{name}[{EXTRA}]"}).encode(),
        RUN: filled(RUN, _values(lesson, settings)).encode(),
    }
    if settings.own_course:
        files |= dict(course(lesson.root, COURSE))
    return zipped(files, executable=(SETUP, RUN))


def _python() -> str:
    """The version of Python that the pinned versions were chosen for."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def _values(lesson: Lesson, settings: Settings) -> dict[str, str]:
    quoted = {
        "LESSON": lesson.id,
        "LESSON_SHA256": lesson.sha256,
        "FEEDBACK": settings.feedback,
        "SANDBOX": settings.sandbox,
        "TESTS": lesson.tests,
        "POINTS": "" if settings.points is None else str(settings.points),
    }
    own = f'--course "$ROOT/source/{COURSE}"' if settings.own_course else ""
    return {name: shlex.quote(value) for name, value in quoted.items()} | {"COURSE": own}
