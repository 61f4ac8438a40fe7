"""Enough of GitHub Actions to run a workflow's own scripts here, a job in a folder of its own.

Steps with `uses` do what the action of that name does as far as the workflow needs it; a step with `run` runs as it
does there: `bash -e`, the environment that the workflow, the job and the step give it, and nothing else. Expressions
are looked up and not evaluated: one that is not known is an error.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SECONDS = 300
# `gh api`: what was asked for is written down; a list of comments is one of an earlier comment, if there is one.
GH = """#!/bin/sh
echo "$@" >> "$GH_LOG"
case "$*" in
    *--jq*) cat "$GH_OLD" 2>/dev/null || true ;;
    *body=@comment.md*) cp comment.md "$GH_COMMENT" ;;
esac
"""


def put_ol(temp: Path) -> None:
    """Make `ol/bin` in the runner's folder for temporary files: there this checkout is what was installed."""
    tools = temp / "ol" / "bin"
    tools.mkdir(parents=True)
    root = Path(__file__).resolve().parents[2]
    starts = {
        "ol": f'PYTHONPATH={root} exec {sys.executable} -m grader "$@"',
        "python": f'exec {sys.executable} "$@"',
    }
    for name, line in starts.items():
        (tools / name).write_text(f"#!/bin/sh\n{line}\n")
        (tools / name).chmod(0o755)


@dataclass
class Actions:
    """One run of a workflow.

    Args:
        workflow: the parsed file.
        expressions: by its text between the double braces, the value of each expression.
        repository: the folder of the repository.
        folder: where the jobs work.
    """

    workflow: dict[str, Any]
    expressions: dict[str, str]
    repository: Path
    folder: Path
    log: list[str] = field(default_factory=list)
    environments: dict[str, dict[str, str]] = field(default_factory=dict)  # by a step's name

    def __post_init__(self) -> None:
        tools = self.folder / "tools"
        put_ol(tools)
        (tools / "gh").write_text(GH)
        (tools / "gh").chmod(0o755)

    def job(self, name: str) -> bool:
        """Run a job; whether all of it went well. A step that failed ends it, but for those that come whatever happens."""
        place = self.folder / name
        place.mkdir()
        well = True
        for step in self.workflow["jobs"][name]["steps"]:
            condition = step.get("if", "")
            if not (well or "!cancelled()" in condition):
                continue
            if "github.event_name" in condition and self._value(condition) != "true":
                continue
            well = self._step(step, name, place) and well
        return well

    def artifact(self, name: str) -> Path:
        """The folder of an artifact."""
        return self.folder / "artifacts" / name

    @property
    def comment(self) -> str | None:
        """What stands on the pull request."""
        path = self.folder / "comment"
        return path.read_text(encoding="utf-8") if path.exists() else None

    def _step(self, step: dict[str, Any], job: str, place: Path) -> bool:
        if "run" in step:
            return self._run(step, job, place)
        action = step["uses"].partition("@")[0].partition("/")[2]
        told = {key: self._value(str(value)) for key, value in step.get("with", {}).items()}
        return bool(getattr(self, f"_{action.replace('-', '_')}")(told, place))

    def _run(self, step: dict[str, Any], job: str, place: Path) -> bool:
        if step["name"] == "Get ol":  # it is there
            return True
        scopes = (self.workflow, self.workflow["jobs"][job], step)
        given = {
            key: self._value(str(value)) for scope in scopes for key, value in scope.get("env", {}).items()
        }
        self.environments[f"{job}: {step['name']}"] = given
        own = {
            "PATH": f"{self.folder / 'tools'}:{os.environ['PATH']}",
            "HOME": str(place),
            "RUNNER_TEMP": str(self.folder / "tools"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
            "GH_LOG": str(self.folder / "gh.log"),
            "GH_OLD": str(self.folder / "gh.old"),
            "GH_COMMENT": str(self.folder / "comment"),
        }
        done = subprocess.run(
            ["bash", "-e", "-c", step["run"]],
            cwd=place,
            env=own | given,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            encoding="utf-8",
        )
        self.log.append(f"{job}: {step['name']}\n{done.stdout}{done.stderr}")
        return done.returncode == 0

    def _value(self, text: str) -> str:
        before, there, rest = text.partition("${{")
        if not there:
            return text
        expression, _, after = rest.partition("}}")
        return f"{before}{self.expressions[expression.strip()]}{self._value(after)}"

    # The actions ----------------------------------------------------------------------------------------------

    def _checkout(self, told: dict[str, str], place: Path) -> bool:
        assert told["persist-credentials"] == "False"
        target = place / told["path"]
        commands: list[list[str | Path]] = [
            ["git", "clone", "--quiet", self.repository, target],
            ["git", "-C", target, "checkout", "--quiet", told.get("ref", "base")],
        ]
        return all(subprocess.run(command, check=False).returncode == 0 for command in commands)

    def _setup_python(self, _told: dict[str, str], _place: Path) -> bool:
        return True

    def _upload_artifact(self, told: dict[str, str], place: Path) -> bool:
        source = place / told["path"]
        if not source.is_dir() or not any(source.iterdir()):
            assert told["if-no-files-found"] == "error"
            return False
        shutil.copytree(source, self.artifact(told["name"]), dirs_exist_ok=True)
        return True

    def _download_artifact(self, told: dict[str, str], place: Path) -> bool:
        source = self.artifact(told["name"])
        if source.is_dir():
            shutil.copytree(source, place / told["path"], dirs_exist_ok=True)
        return source.is_dir()
