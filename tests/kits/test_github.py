"""The workflow for GitHub Actions: what it may do, and what its own scripts do with honest and with hostile work."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
import yaml
from packaging.requirements import Requirement

from grader.report_checks import LARGEST
from tests.kits.actions import Actions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

TESTS = "python/tests/l7-1-norm"
REPORT, SUITE = "ol-L7.1-report", "ol-L7.1-suite"
Done = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def path(ol: Callable[..., Done], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kit")
    made = ol("kit", "github", "--lesson", "L7.1", "--sandbox", "auto", folder=folder)
    assert made.returncode == 0, made.stderr
    return folder / ".github" / "workflows" / "ol-L7.1.yml"


def parsed(path: Path) -> dict[str, Any]:
    # YAML 1.1 takes the key `on` for a truth value.
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    document["on"] = document.pop(True)
    return cast("dict[str, Any]", document)


@pytest.fixture(scope="module")
def workflow(path: Path) -> dict[str, Any]:
    return parsed(path)


def steps(workflow: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for job, found in workflow["jobs"].items():
        for step in found["steps"]:
            yield job, step


# What it may do ------------------------------------------------------------------------------------------------


def test_the_job_that_runs_a_learners_tests_has_no_permission_and_no_secret(workflow: dict[str, Any]) -> None:
    assert workflow["permissions"] == {}
    assert {name: job["permissions"] for name, job in workflow["jobs"].items()} == {
        "collect": {"contents": "read"},
        "grade": {},
        "post": {"pull-requests": "write"},
    }
    text = json.dumps(workflow["jobs"]["grade"])
    assert not re.search(r"secrets|github\.token|GITHUB_TOKEN|actions/checkout", text)


def test_a_token_is_given_to_one_step_alone(path: Path, workflow: dict[str, Any]) -> None:
    with_token = [(job, step["name"]) for job, step in steps(workflow) if "token" in json.dumps(step).lower()]
    assert with_token == [("post", "Comment on the pull request")]
    assert "secrets." not in path.read_text(encoding="utf-8")


def test_no_job_but_the_one_without_permissions_runs_a_learners_tests(workflow: dict[str, Any]) -> None:
    runs = {job for job, step in steps(workflow) if " check " in step.get("run", "")}
    assert runs == {"grade"}
    checkouts = {job for job, step in steps(workflow) if "checkout@" in step.get("uses", "")}
    assert checkouts == {"collect"}


def test_nothing_from_outside_is_put_into_a_script(workflow: dict[str, Any]) -> None:
    assert [step["name"] for _job, step in steps(workflow) if "${{" in step.get("run", "")] == []


def test_every_action_is_pinned_to_a_commit_and_its_release_named(path: Path) -> None:
    used = re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))
    assert len(used) >= 6
    assert [
        line for line in used if not re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)
    ] == []


def test_every_job_ends_in_time_and_no_checkout_keeps_its_token(workflow: dict[str, Any]) -> None:
    assert all(job["timeout-minutes"] <= 15 for job in workflow["jobs"].values())
    kept = [
        step["with"]["persist-credentials"]
        for _, step in steps(workflow)
        if "checkout@" in step.get("uses", "")
    ]
    assert kept == [False]


def test_all_that_is_installed_has_its_exact_version(workflow: dict[str, Any]) -> None:
    lists = [step["env"]["REQUIREMENTS"] for _, step in steps(workflow) if step["name"] == "Get ol"]
    assert len(lists) == 2
    assert lists[0] == lists[1]
    needs = [Requirement(line) for line in lists[0].splitlines()]
    assert all(re.fullmatch(r"==[\w.]+", str(need.specifier)) for need in needs)
    assert {"ol-grader", "numpy", "pytest", "msgspec", "click", "rich", "pluggy"} <= {
        need.name for need in needs
    }


def check_workflow(path: Path) -> None:
    """Github's own schema, as it is published."""
    schema = ["--builtin-schema", "vendor.github-workflows"]
    command = [sys.executable, "-m", "check_jsonschema", *schema, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_github_would_take_it(path: Path) -> None:
    check_workflow(path)


def test_an_auditor_of_workflows_finds_nothing(path: Path) -> None:
    auditor = Path(sys.executable).with_name("zizmor")
    command = [str(auditor), "--offline", "--persona", "auditor", "--no-progress", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


# What it does --------------------------------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with nothing but a branch `base`."""
    folder = tmp_path / "repository"
    git(tmp_path, "init", "--quiet", "--initial-branch=base", str(folder))
    (folder / "README.md").write_text("a course\n")
    commit(folder)
    return folder


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    done = subprocess.run(
        ["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


def commit(folder: Path) -> str:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "work")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def run(workflow: dict[str, Any], repository: Path, tmp_path: Path) -> Callable[..., Any]:
    """`run(…)`: a run of the workflow for a pull request that brings what was put into the repository's folder."""

    def start(document: dict[str, Any] = workflow, event: str = "pull_request_target") -> Any:
        git(repository, "checkout", "--quiet", "-b", "learner")
        head = commit(repository)
        expressions = {
            "github.event.pull_request.head.sha || github.sha": head,
            "github.event_name == 'pull_request_target'": str(event == "pull_request_target").lower(),
            "github.token": "TOKEN",
            "github.repository": "course/norms",
            "github.event.pull_request.number": "7",
        }
        (tmp_path / "runner").mkdir()
        return Actions(document, expressions, repository, tmp_path / "runner")

    return start


def hand_in(suite: Path, repository: Path) -> None:
    shutil.copytree(suite, repository / TESTS)


def test_a_pass_is_posted_and_its_jobs_are_green(
    run: Callable[..., Any], repository: Path, submissions: Path, tmp_path: Path
) -> None:
    hand_in(submissions / "complete" / "suite", repository)
    actions = run()
    assert [actions.job(name) for name in ("collect", "grade", "post")] == [True] * 3, actions.log
    assert actions.comment.startswith("<!-- ol L7.1 -->\n## L7.1: passed\n")
    assert "::notice title=L7.1%3A passed::9 of 9 faults killed" in actions.log[-3]
    assert "L7.1: passed" in (tmp_path / "runner" / "summary.md").read_text(encoding="utf-8")
    assert "POST repos/course/norms/issues/7/comments" in (tmp_path / "runner" / "gh.log").read_text()
    assert "GH_TOKEN" not in actions.environments["grade: Grade"]


def test_a_second_run_replaces_its_comment(
    run: Callable[..., Any], repository: Path, submissions: Path, tmp_path: Path
) -> None:
    hand_in(submissions / "misses-eps" / "suite", repository)
    actions = run()
    (tmp_path / "runner" / "gh.old").write_text("4711\n")
    # Not passed: the last job is red, the one that graded is not.
    assert [actions.job(name) for name in ("collect", "grade", "post")] == [True, True, False], actions.log
    log = (tmp_path / "runner" / "gh.log").read_text()
    assert "PATCH repos/course/norms/issues/comments/4711" in log
    assert "POST" not in log
    assert "**s01 eps outside the root** (required): survived" in actions.comment


def test_a_push_is_told_in_the_run_alone(
    run: Callable[..., Any], repository: Path, submissions: Path, tmp_path: Path
) -> None:
    hand_in(submissions / "imports-os-subprocess-inspect" / "suite", repository)
    actions = run(event="push")
    assert [actions.job(name) for name in ("collect", "grade", "post")] == [True, True, False], actions.log
    assert f"::error file={TESTS}/test_norm.py,line=1,title=not allowed" in "".join(actions.log)
    assert actions.comment is None
    assert not (tmp_path / "runner" / "gh.log").exists()


def test_a_learner_without_tests_is_told_what_to_do(run: Callable[..., Any], repository: Path) -> None:
    (repository / "python").mkdir()
    actions = run()
    assert [actions.job(name) for name in ("collect", "grade", "post")] == [True, True, False], actions.log
    assert "write a first test" in actions.comment


@pytest.mark.parametrize("kind", ["a link", "a file"])
def test_what_is_no_folder_of_tests_is_graded_as_none(
    kind: str, run: Callable[..., Any], repository: Path
) -> None:
    place = repository / TESTS
    place.parent.mkdir(parents=True)
    if kind == "a link":
        place.symlink_to("elsewhere")
    else:
        place.write_text("def test_nothing(): pass\n")
    actions = run()
    assert [actions.job(name) for name in ("collect", "grade", "post")] == [True, True, False], actions.log
    assert "write a first test" in actions.comment


def test_a_link_in_the_repository_brings_no_file_of_the_runner_into_the_artifact(
    run: Callable[..., Any], repository: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("SECRET = 'of the runner'\n")
    (repository / TESTS).mkdir(parents=True)
    (repository / TESTS / "test_secret.py").symlink_to(secret)
    actions = run()
    assert actions.job("collect")
    packed = subprocess.run(
        ["tar", "-xzOf", actions.artifact(SUITE) / "suite.tar.gz"],
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert packed.stdout == b""
    assert [actions.job(name) for name in ("grade", "post")] == [True, False], actions.log
    assert "links" in actions.comment


@pytest.mark.parametrize("submission", ["attack-injects-by-names", "attack-injects-by-messages"])
def test_a_hostile_suite_gives_no_command_to_the_runner(
    submission: str, run: Callable[..., Any], repository: Path, submissions: Path
) -> None:
    hand_in(submissions / submission / "suite", repository)
    actions = run()
    assert [actions.job(name) for name in ("collect", "grade")] == [True, True], actions.log
    actions.job("post")
    graded = next(log for log in actions.log if log.startswith("grade: Grade"))
    assert not re.search(r"^\s*::|##\[", graded, re.MULTILINE)


def forged(report: dict[str, Any], **changes: Any) -> bytes:
    return json.dumps(report | changes).encode()


FORGERIES: dict[str, Callable[[dict[str, Any]], bytes]] = {
    "no report": lambda _: b"{}",
    "no JSON": lambda _: b"<html>",
    "too large": lambda report: forged(report, reason="x" * LARGEST),
    "a key of another type": lambda report: forged(report, notices=[{"a": 1}]),
    "a lesson that is easier": lambda report: forged(report, lesson="L0.1"),
    "data that are easier": lambda report: forged(report, lesson_sha256="0" * 64),
    "a pass that its numbers deny": lambda report: forged(report, status="passed", exit_code=0),
    "a code that its status denies": lambda report: forged(report, exit_code=0),
    "a score that its counts deny": lambda report: forged(
        report, mutation=report["mutation"] | {"score": 1.0}
    ),
    "more kills than its faults": lambda report: forged(
        report, mutation=report["mutation"] | {"killed": 9, "score": 1.0, "required_missing": []}
    ),
}


@pytest.fixture(scope="module")
def report(
    ol: Callable[..., Done], submissions: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """A report of tests that do not pass."""
    folder = tmp_path_factory.mktemp("report")
    options = ["--only", "mutation", "--tests", submissions / "misses-eps" / "suite", "--json", "r.json"]
    assert ol("check", "L7.1", *options, folder=folder).returncode == 1
    return cast("dict[str, Any]", json.loads((folder / "r.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", FORGERIES)
def test_a_report_that_cannot_be_ours_is_not_posted(
    name: str, run: Callable[..., Any], report: dict[str, Any], tmp_path: Path
) -> None:
    actions = run()
    actions.artifact(REPORT).mkdir(parents=True)
    (actions.artifact(REPORT) / "report.json").write_bytes(FORGERIES[name](report))
    assert not actions.job("post")
    assert "ol: " in actions.log[-1]
    assert actions.comment is None
    assert not (tmp_path / "runner" / "gh.log").exists()


def test_the_report_that_was_not_forged_is_posted(run: Callable[..., Any], report: dict[str, Any]) -> None:
    """The case that shows that the forgeries are refused for what was forged."""
    actions = run()
    actions.artifact(REPORT).mkdir(parents=True)
    (actions.artifact(REPORT) / "report.json").write_bytes(forged(report))
    actions.job("post")
    assert "L7.1: failed" in actions.comment


def test_without_a_report_nothing_is_posted(run: Callable[..., Any]) -> None:
    actions = run()
    assert not actions.job("post")
    assert actions.comment is None


# A course in the repository ------------------------------------------------------------------------------------


@pytest.fixture
def with_course(ol: Callable[..., Done], repository: Path, root: Path) -> dict[str, Any]:
    """The workflow of a repository that holds the course, committed to its branch `base`."""
    for name in ("mutants", "reference", "student_template"):
        shutil.copytree(
            root / name, repository / "course" / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copytree(
        root / "fixtures", repository / "course/fixtures", ignore=shutil.ignore_patterns("submissions")
    )
    options = ["--lesson", "L7.1", "--course", "course", "--sandbox", "auto"]
    made = ol("kit", "github", *options, folder=repository)
    assert made.returncode == 0, made.stderr
    commit(repository)
    return parsed(repository / ".github/workflows/ol-L7.1.yml")


def test_a_course_in_the_repository_grades(
    run: Callable[..., Any], with_course: dict[str, Any], repository: Path, submissions: Path
) -> None:
    hand_in(submissions / "complete" / "suite", repository)
    # A pull request cannot change the course: it is that of the branch which is merged into.
    shutil.rmtree(repository / "course" / "mutants")
    actions = run(with_course)
    assert [actions.job(name) for name in ("collect", "grade", "post")] == [True] * 3, actions.log


def test_a_learner_who_edits_the_course_is_refused(
    run: Callable[..., Any], with_course: dict[str, Any], repository: Path, submissions: Path
) -> None:
    """On a push, the course is the learner's own copy."""
    hand_in(submissions / "misses-eps" / "suite", repository)
    for file in (repository / "course/mutants/L7.1").glob("s01-*.toml"):
        file.unlink()
    commit(repository)
    actions = run(with_course, event="push")
    assert actions.job("collect")
    assert not actions.job("grade")
    assert "[pinned-lesson]" in actions.log[-1]
    assert not actions.job("post")
    assert "::error title=L7.1%3A error::The data of L7.1 are not those that were pinned" in "".join(
        actions.log
    )


def test_a_workflow_with_a_course_is_one_that_github_would_take(
    with_course: dict[str, Any], repository: Path
) -> None:
    assert "Pack the course" in [step["name"] for _, step in steps(with_course)]
    check_workflow(repository / ".github/workflows/ol-L7.1.yml")


def test_a_course_outside_of_the_repository_is_refused(
    ol: Callable[..., Done], root: Path, tmp_path: Path
) -> None:
    done = ol("kit", "github", "--lesson", "L7.1", "--course", root, folder=tmp_path)
    assert done.returncode == 2
    assert "does not lie in a folder of the repository" in done.stderr
    assert list(tmp_path.iterdir()) == []
