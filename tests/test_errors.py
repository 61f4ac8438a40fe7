"""The errors and their documentation belong together: a slug without a section fails here, and a section without a slug."""

import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.errors import (
    AmbiguousFaultError,
    ClusterError,
    CourseNotFoundError,
    EditorError,
    ExitCode,
    FaultEditError,
    GraderError,
    HalfMadeLessonError,
    HarnessError,
    LessonError,
    LessonExistsError,
    MissingExtraError,
    NameNotUsableError,
    NoCandidatesError,
    NoSuchTestError,
    PathNotFoundError,
    PinnedLessonError,
    ReadOnlyCourseError,
    SandboxUnavailableError,
    StoreBusyError,
    StoreError,
    StoreNewerError,
    UnknownCandidateError,
    UnknownFaultError,
    UnknownLessonError,
    UnknownOperatorError,
    UnreadableError,
    WorkspaceNotFoundError,
)

GRADER = Path(__file__).parent.parent / "grader"
DOCS = Path(__file__).parent.parent / "docs" / "errors.md"

EXAMPLES = [
    UnknownLessonError("L9.9", ["L7.1", "L7.2"]),
    PathNotFoundError("no/such/folder"),
    UnreadableError("report.json", "it is not a report"),
    NoSuchTestError("hand", "no course test fits"),
    WorkspaceNotFoundError("/home/ada"),
    UnknownFaultError("s99", ["L7.1/s01", "L7.1/s02"]),
    AmbiguousFaultError("s01", ["L7.1/s01", "L7.2/s01"]),
    EditorError("vi", "ended with code 1"),
    ReadOnlyCourseError("/srv/course/mutants/L7.1", "permission denied", "/srv/course"),
    FaultEditError("norm.py", "is unchanged"),
    MissingExtraError("tomlkit", "author"),
    CourseNotFoundError("/srv/course", "it has no mutants/"),
    LessonError("mutants/L7.1/s01-eps.toml", "edit[0].find", "matches nothing"),
    NameNotUsableError("../up", "a lesson", "letters"),
    LessonExistsError("M1", "Choose another name."),
    HalfMadeLessonError("M1", ["mutants/M1"], ["mutants/M1/lesson.toml (what the lesson is)"]),
    UnknownOperatorError("explode", ["detach", "mutmut"]),
    UnknownCandidateError("12ab", "L7.1", ["12ab34cd56", "12ab34cd57"]),
    NoCandidatesError("L7.1"),
    PinnedLessonError("L7.1", "0" * 64, "1" * 64),
    HarnessError("The worker did not start.", hint="Run `ol doctor`."),
    SandboxUnavailableError(["landlock", "seccomp"]),
    ClusterError("There is no scheduler at tcp://127.0.0.1:8786.", "Start one."),
    StoreBusyError("out", "process 4711"),
    StoreNewerError("out/grades.sqlite", 3, 2),
    StoreError("out/grades.sqlite", "database or disk is full"),
]


def subclasses(base: type[GraderError]) -> Iterator[type[GraderError]]:
    for cls in base.__subclasses__():
        yield cls
        yield from subclasses(cls)


def sections() -> dict[str, str]:
    _, *parts = re.split(r"^## ", DOCS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {heading: body for heading, _, body in (part.partition("\n") for part in parts)}


def test_every_error_has_an_example_in_this_file() -> None:
    assert {type(error) for error in EXAMPLES} == set(subclasses(GraderError))


def test_errors_are_defined_in_one_file_where_the_documentation_can_follow_them() -> None:
    bases = "|".join(["GraderError", *(cls.__name__ for cls in subclasses(GraderError))])
    derived = re.compile(rf"^\s*class \w+\(.*\b({bases})\b", re.MULTILINE)
    homes = {path.name for path in GRADER.rglob("*.py") if derived.search(path.read_text(encoding="utf-8"))}
    assert homes == {"errors.py"}


def test_no_two_errors_share_a_slug() -> None:
    slugs = [cls.slug for cls in subclasses(GraderError)]
    assert len(slugs) == len(set(slugs))


def test_the_documentation_has_a_section_for_each_error_and_no_other() -> None:
    assert set(sections()) == {cls.slug for cls in subclasses(GraderError)}


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: error.slug)
def test_a_section_says_what_happened_what_to_do_and_the_exit_code(error: GraderError) -> None:
    section = sections()[error.slug]
    assert "**What happened.**" in section
    assert "**What to do.**" in section
    assert re.findall(r"Exit code (\d+)", section) == [str(int(error.exit_code))]


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: error.slug)
def test_an_error_prints_as_its_message_and_carries_a_hint(error: GraderError) -> None:
    assert str(error) == error.message != ""
    assert error.hint
    assert error.hint not in error.message


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: error.slug)
def test_an_error_survives_the_way_to_another_process(error: GraderError) -> None:
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - pickled on this very line
    assert type(copy) is type(error)
    assert vars(copy) == vars(error)


def test_a_lesson_error_names_file_key_and_reason() -> None:
    error = LessonError("mutants/L7.1/lesson.toml", "threshold", "is 2, not in (0, 1]")
    assert str(error) == "mutants/L7.1/lesson.toml: threshold: is 2, not in (0, 1]"
    assert (error.file, error.key, error.reason) == (
        "mutants/L7.1/lesson.toml",
        "threshold",
        "is 2, not in (0, 1]",
    )


def test_an_unknown_lesson_names_the_lessons_there_are() -> None:
    assert "L7.1, L7.2" in UnknownLessonError("L9.9", ["L7.1", "L7.2"]).hint


def test_the_exit_codes_are_the_published_ones() -> None:
    published = {
        "PASSED": 0,
        "FAILED": 1,
        "USAGE": 2,
        "INVALID": 3,
        "COURSE": 4,
        "HARNESS": 70,
        "INTERRUPTED": 130,
    }
    assert {code.name: int(code) for code in ExitCode} == published
