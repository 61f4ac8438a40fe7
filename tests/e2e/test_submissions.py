"""Every folder of `fixtures/<lesson>/submissions` gets the verdict that its `expect.toml` names.

A case is a folder: the suite as a learner hands it in, and beside it what `ol check` must say about it.
Keys that an `expect.toml` leaves out are left open, but for the invariants that hold of every report.
"""

import hashlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
SECONDS = 300  # far above what any case needs, so that a hanging grader is a failed test

Kind = Literal[
    "rejects_reference",
    "too_strict",
    "flaky",
    "order_dependent",
    "blind",
    "nothing_ran",
    "does_not_load",
    "timeout",
    "crashed",
    "memory",
    "policy",
]
Report = dict[str, Any]


class ExpectedProblem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A problem that must be among the report's, as far as it is described here.

    What its message contains is compared without regard to case.
    """

    kind: Kind
    test: str | None = None
    program: Literal["reference", "variant", "canary"] | None = None
    message_contains: tuple[str, ...] = ()

    def describes(self, problem: Report) -> bool:
        """Whether a problem of the report fits."""
        return (
            self.kind == problem["kind"]
            and self.test in (None, problem["test"])
            and self.program in (None, problem["program"])
            and all(part.lower() in problem["message"].lower() for part in self.message_contains)
        )


class ExpectedFinding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where in the suite a policy finding must point."""

    file: str
    line: int
    rule: str | None = None

    def describes(self, finding: Report) -> bool:
        """Whether a finding of the report fits."""
        place = (self.file, self.line) == (finding["file"], finding["line"])
        return place and self.rule in (None, finding["rule"])


class ExpectedNotice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fragments, each of which some notice must contain."""

    contains: tuple[str, ...]


class Expectation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An `expect.toml`; a key that is None is left open."""

    why: str
    status: Literal["passed", "failed", "invalid"]
    exit_code: Literal[0, 1, 3]
    killed: tuple[str, ...] | None = None
    survived: tuple[str, ...] | None = None
    timeout: tuple[str, ...] | None = None
    crashed: tuple[str, ...] | None = None
    not_run: tuple[str, ...] | None = None
    tests: int | None = None
    required_missing: tuple[str, ...] | None = None
    reason_contains: tuple[str, ...] = ()
    killed_by: dict[str, str] = {}
    options: tuple[str, ...] = ()
    problem: tuple[ExpectedProblem, ...] = ()
    policy: tuple[ExpectedFinding, ...] = ()
    notice: ExpectedNotice | None = None


FAULT_STATUSES: tuple[str, ...] = ("killed", "survived", "timeout", "crashed", "not_run")


def status_differences(expected: Expectation, report: Report, exit_code: int) -> Iterator[str]:
    """Status, reason and the two exit codes."""
    if report["status"] != expected.status:
        yield f"status is {report['status']} and not {expected.status}: {report['reason']}"
    if {exit_code, report["exit_code"]} != {expected.exit_code}:
        yield f"exited with {exit_code}, reported {report['exit_code']}, expected {expected.exit_code}"
    for part in expected.reason_contains:
        if part not in report["reason"].lower():
            yield f"the reason does not say {part!r}: {report['reason']}"


def problem_differences(expected: Expectation, report: Report) -> Iterator[str]:
    """Each expected problem is there, and no kind that was not expected."""
    problems = report["validity"]["problems"] if report["validity"] else []
    for wanted in expected.problem:
        if not any(map(wanted.describes, problems)):
            yield f"no problem fits {wanted}, only {problems}"
    for kind in sorted({p["kind"] for p in problems} - {wanted.kind for wanted in expected.problem}):
        yield f"problem of an unexpected kind: {[p for p in problems if p['kind'] == kind]}"


def policy_differences(expected: Expectation, report: Report) -> Iterator[str]:
    """The policy findings are the expected ones, by file and line."""
    for wanted in expected.policy:
        if not any(map(wanted.describes, report["policy"])):
            yield f"no policy finding fits {wanted}, only {report['policy']}"
    for finding in report["policy"]:
        if not any(wanted.describes(finding) for wanted in expected.policy):
            yield f"unexpected policy finding: {finding}"


def validity_differences(expected: Expectation, report: Report) -> Iterator[str]:
    """A score is withheld exactly when the suite is invalid; the number of test ids is right."""
    validity = report["validity"]
    if (expected.status == "invalid") != (report["mutation"] is None):
        yield f"mutation is {report['mutation']} where the status should be {expected.status}"
    if validity is not None and validity["valid"] != (expected.status != "invalid"):
        yield f"validity.valid is {validity['valid']} where the status should be {expected.status}"
    if expected.tests is not None and (validity is None or validity["tests"] != expected.tests):
        yield f"tests are not {expected.tests}: {validity}"


def count_differences(mutation: Report) -> Iterator[str]:
    """The faults' statuses are known ones, and add up to the totals that the report states."""
    statuses = [fault["status"] for fault in mutation["faults"]]
    counted = sum(statuses.count(status) for status in FAULT_STATUSES)
    if not counted == len(statuses) == mutation["total"]:
        yield f"{mutation['total']} faults in total, but their statuses are {statuses}"
    if mutation["killed"] != statuses.count("killed"):
        yield f"{mutation['killed']} faults killed, but their statuses are {statuses}"


def fault_differences(expected: Expectation, mutation: Report) -> Iterator[str]:
    """Each fault has the status that it should have."""
    for status in FAULT_STATUSES:
        wanted = getattr(expected, status)
        got = sorted(fault["id"] for fault in mutation["faults"] if fault["status"] == status)
        if wanted is not None and got != sorted(wanted):
            yield f"{status} are {got} and not {sorted(wanted)}"
    if expected.required_missing not in (None, tuple(mutation["required_missing"])):
        yield f"required_missing is {mutation['required_missing']} and not {expected.required_missing}"


def killer_differences(expected: Expectation, mutation: Report) -> Iterator[str]:
    """Each fault was killed by the one test that can kill it."""
    killers = {fault["id"]: fault["killed_by"] for fault in mutation["faults"]}
    for fault, test in expected.killed_by.items():
        if killers.get(fault) != [test]:
            yield f"{fault} was killed by {killers.get(fault)} and not by {test}"


def notice_differences(expected: Expectation, report: Report) -> Iterator[str]:
    """Each expected fragment occurs in a notice."""
    for part in expected.notice.contains if expected.notice else ():
        if not any(part in notice for notice in report["notices"]):
            yield f"no notice says {part!r}: {report['notices']}"


def differences(expected: Expectation, report: Report, exit_code: int) -> list[str]:
    """All that a report says otherwise than expected; empty where it is right."""
    found = [
        *status_differences(expected, report, exit_code),
        *problem_differences(expected, report),
        *policy_differences(expected, report),
        *validity_differences(expected, report),
        *notice_differences(expected, report),
    ]
    if (mutation := report["mutation"]) is not None:
        found += count_differences(mutation)
        found += fault_differences(expected, mutation)
        found += killer_differences(expected, mutation)
    return found


def read_expectation(folder: Path) -> Expectation:
    """The `expect.toml` of a case; an unknown or missing key is an error."""
    return msgspec.toml.decode((folder / "expect.toml").read_bytes(), type=Expectation)


def tree(folder: Path) -> dict[str, str]:
    """Every name below a folder, with the hash of what a file holds."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file()
        else "/"
        for path in sorted(folder.rglob("*"))
    }


def lesson_of(case: Path) -> str:
    """The lesson whose suite a case is."""
    return case.relative_to(FIXTURES).parts[0]


def check(case: Path, options: tuple[str, ...], cwd: Path) -> tuple[Report, int]:
    """The report and the exit code of the real command."""
    command = [sys.executable, "-m", "grader", "check", lesson_of(case), "--only", "mutation"]
    command += ["--tests", str(case / "suite")]
    command += ["--seed", "7", "--json", "-", *options]
    done = subprocess.run(
        command, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False
    )
    try:
        report: Report = msgspec.json.decode(done.stdout)
    except msgspec.DecodeError as error:
        message = f"no report ({error}), exit {done.returncode}: {done.stdout[:500]!r} {done.stderr[-3000:].decode()}"
        raise AssertionError(message) from error
    return report, done.returncode


# Hostile suites have a test of their own, which looks at the machine, too: tests/attacks.
CASES = sorted(
    path.parent
    for path in FIXTURES.glob("*/submissions/*/expect.toml")
    if not path.parent.name.startswith("attack-")
)

each_case = pytest.mark.parametrize("folder", CASES, ids=lambda folder: f"{lesson_of(folder)}-{folder.name}")


@each_case
def test_a_submission_gets_the_verdict_beside_it(folder: Path, tmp_path: Path) -> None:
    expected = read_expectation(folder)
    before = tree(folder / "suite")
    report, exit_code = check(folder, expected.options, tmp_path)
    found = differences(expected, report, exit_code)
    assert not found, "\n".join(found)
    assert tree(folder / "suite") == before
    assert list(tmp_path.iterdir()) == []


def test_every_submission_has_a_suite_and_an_expectation() -> None:
    folders = [path for path in FIXTURES.glob("*/submissions/*") if path.is_dir()]
    assert [f.name for f in folders if not (f / "suite").is_dir() or not (f / "expect.toml").is_file()] == []


@each_case
def test_an_expectation_says_enough(folder: Path) -> None:
    expected = read_expectation(folder)
    codes = {"passed": 0, "failed": 1, "invalid": 3}
    assert expected.exit_code == codes[expected.status]
    if expected.status == "invalid":
        assert expected.problem, "an invalid suite has a problem"
        assert expected.killed is expected.survived is expected.required_missing is None, (
            "its score is withheld"
        )
    else:
        assert not expected.problem, "a valid suite has none"
        assert expected.killed is not None, "a valid suite's kills are known"


# That the comparison can fail ---------------------------------------------------------------------------------


def fault(name: str, status: str, *killed_by: str) -> Report:
    return {"id": name, "status": status, "killed_by": list(killed_by)}


def graded() -> Report:
    """As much of a report on a valid suite as the comparison reads."""
    return {
        "status": "failed",
        "reason": "2 of 3 faults killed",
        "exit_code": 1,
        "policy": [],
        "notices": ["pytest.ini is ignored"],
        "validity": {"valid": True, "tests": 2, "problems": []},
        "mutation": {
            "killed": 2,
            "total": 3,
            "required_missing": ["s03"],
            "faults": [
                fault("s01", "killed", "test_a.py::test_x"),
                fault("s02", "killed", "test_a.py::test_x"),
                fault("s03", "survived"),
            ],
        },
    }


def refused() -> Report:
    """As much of a report on an invalid suite as the comparison reads."""
    problem = {"kind": "policy", "test": None, "program": None, "message": "test_a.py:1: import os"}
    return {
        "status": "invalid",
        "reason": "The suite cannot be graded.",
        "exit_code": 3,
        "policy": [{"file": "test_a.py", "line": 1, "rule": "import", "message": "import os"}],
        "notices": [],
        "validity": {"valid": False, "tests": 0, "problems": [problem]},
        "mutation": None,
    }


GRADED = Expectation(
    why="kills two of three",
    status="failed",
    exit_code=1,
    killed=("s02", "s01"),
    survived=("s03",),
    timeout=(),
    crashed=(),
    not_run=(),
    tests=2,
    required_missing=("s03",),
    reason_contains=("faults killed",),
    killed_by={"s01": "test_a.py::test_x"},
    notice=ExpectedNotice(contains=("pytest.ini",)),
)
REFUSED = Expectation(
    why="imports os",
    status="invalid",
    exit_code=3,
    problem=(ExpectedProblem(kind="policy", message_contains=("import os",)),),
    policy=(ExpectedFinding(file="test_a.py", line=1, rule="import"),),
)


def test_a_report_as_expected_has_no_differences() -> None:
    assert differences(GRADED, graded(), 1) == []
    assert differences(REFUSED, refused(), 3) == []


def test_an_exit_code_that_is_not_the_reported_one_is_a_difference() -> None:
    assert differences(GRADED, graded(), 0) == ["exited with 0, reported 1, expected 1"]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda r: r.update(status="passed"), "status is passed"),
        (lambda r: r.update(exit_code=0), "reported 0"),
        (lambda r: r.update(reason="nothing"), "the reason does not say"),
        (lambda r: r.update(notices=[]), "no notice says 'pytest.ini'"),
        (lambda r: r.update(mutation=None), "mutation is None"),
        (lambda r: r["validity"].update(valid=False), "validity.valid is False"),
        (lambda r: r["validity"].update(tests=3), "tests are not 2"),
        (lambda r: r["validity"]["problems"].append({"kind": "flaky"}), "an unexpected kind"),
        (lambda r: r["policy"].append({"file": "a.py", "line": 3}), "unexpected policy finding"),
        (lambda r: r["mutation"].update(total=4), "4 faults in total"),
        (lambda r: r["mutation"].update(killed=3), "3 faults killed"),
        (lambda r: r["mutation"].update(required_missing=[]), "required_missing is []"),
        (lambda r: r["mutation"]["faults"][0].update(status="survived"), "killed are ['s02']"),
        (lambda r: r["mutation"]["faults"][2].update(status="timeout"), "timeout are ['s03']"),
        (lambda r: r["mutation"]["faults"][2].update(status="lost"), "3 faults in total"),
        (
            lambda r: r["mutation"]["faults"][0].update(killed_by=["test_a.py"]),
            "s01 was killed by ['test_a.py']",
        ),
    ],
)
def test_a_change_of_a_graded_report_is_a_difference(change: Callable[[Report], None], named: str) -> None:
    report = graded()
    change(report)
    found = differences(GRADED, report, 1)
    assert any(named in difference for difference in found), found


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda r: r.update(mutation=graded()["mutation"]), "where the status should be invalid"),
        (lambda r: r.update(validity=None), "no problem fits"),
        (lambda r: r["validity"]["problems"][0].update(message="no"), "no problem fits"),
        (lambda r: r["validity"]["problems"].append({"kind": "blind"}), "an unexpected kind"),
        (lambda r: r["policy"][0].update(line=2), "no policy finding fits"),
        (lambda r: r["policy"][0].update(rule="other"), "no policy finding fits"),
    ],
)
def test_a_change_of_a_refusal_is_a_difference(change: Callable[[Report], None], named: str) -> None:
    report = refused()
    change(report)
    found = differences(REFUSED, report, 3)
    assert any(named in difference for difference in found), found


@pytest.mark.parametrize("field", ["kind", "test", "program", "message"])
def test_a_problem_must_fit_in_every_field_that_is_named(field: str) -> None:
    problem = {
        "kind": "flaky",
        "test": "test_a.py::test_x",
        "program": "variant",
        "message": "sometimes fails",
    }
    wanted = ExpectedProblem(
        kind="flaky", test="test_a.py::test_x", program="variant", message_contains=("sometimes",)
    )
    assert wanted.describes(problem)
    assert not wanted.describes(problem | {field: "another"})


def test_a_tree_notices_a_new_name_a_changed_byte_and_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"1")
    trees = [tree(tmp_path)]
    (tmp_path / "a.py").write_bytes(b"2")
    trees.append(tree(tmp_path))
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    trees.append(tree(tmp_path))
    (tmp_path / "empty").mkdir()
    trees.append(tree(tmp_path))
    assert len({str(t) for t in trees}) == len(trees)


def test_a_misspelt_key_of_an_expectation_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "expect.toml").write_text('why = "x"\nstatus = "passed"\nexit_code = 0\nkilt = []\n')
    with pytest.raises(msgspec.ValidationError, match="kilt"):
        read_expectation(tmp_path)
