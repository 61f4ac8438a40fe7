"""The workflow for GitHub Actions, as one file.

What comes from the instructor is written as JSON strings, which are YAML strings too, and reaches a script as an
environment variable and never as a part of its text.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.kits.filling import filled
from grader.kits.requirements import itself, pins

if TYPE_CHECKING:
    from grader.lesson import Lesson

# By the hash of a commit, which nobody can move; the comment names the release.
ACTIONS = {
    "CHECKOUT": "de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2",
    "SETUP_PYTHON": "a309ff8b426b58ec0e2a45f0f869d46889d02405 # v6.2.0",
    "UPLOAD": "b7c566a772e6b6bfb58ed0dc250532a479d7789f # v6.0.0",
    "DOWNLOAD": "37930b1c2abaa49bbe596cd826c3c89aef350131 # v7.0.0",
}
FOLDER = ".github/workflows"


@dataclass(frozen=True)
class Settings:
    """How the workflow grades.

    Attributes:
        feedback: how much of the faults learners are told: score, names, hints or full.
        sandbox: which layers hold the runs: auto, require or off.
        install: the requirement for pip that installs the program; empty: this version, by its name.
        course: the course's folder in the repository; empty: the course that the program ships with.
    """

    feedback: str = "hints"
    sandbox: str = "require"
    install: str = ""
    course: str = ""


def file_name(lesson: Lesson) -> str:
    """Where the workflow stands in a repository."""
    return f"{FOLDER}/ol-{lesson.id}.yml"


def workflow(lesson: Lesson, settings: Settings) -> str:
    """The workflow's text.

    Raises:
        HarnessError: the program was not installed.
    """
    quoted = {
        "LESSON": lesson.id,
        "TESTS": lesson.tests,
        "FEEDBACK": settings.feedback,
        "SANDBOX": settings.sandbox,
    }
    return filled(
        "workflow.yml",
        {name: json.dumps(value) for name, value in quoted.items()}
        | ACTIONS
        | _course(settings.course)
        | {
            "LESSON_ID": lesson.id,
            "LESSON_SHA256": lesson.sha256,
            "PYTHON": f"{sys.version_info.major}.{sys.version_info.minor}",
            "INSTALL": _install(settings.install),
        },
    )


def _install(install: str) -> str:
    lines = [install or itself(), *pins()]
    return filled(
        "workflow-install.yml", {"REQUIREMENTS": "\n".join(f"            {line}" for line in lines)}
    )


def _course(folder: str) -> dict[str, str]:
    names = ("COURSE_CHECKOUT", "COURSE_PACK", "COURSE_UNPACK", "COURSE")
    if not folder:
        return dict.fromkeys(names, "")
    values = ACTIONS | {"FOLDER": json.dumps(folder)}
    return {
        "COURSE_CHECKOUT": filled("workflow-course-checkout.yml", values),
        "COURSE_PACK": filled("workflow-course-pack.yml", values),
        "COURSE_UNPACK": "          mkdir course && tar -xzf packed/course.tar.gz -C course\n",
        "COURSE": "--course course ",
    }
