"""Where a workspace is, what is in it, what `ol start` does to it, and what its log remembers."""

from pathlib import Path

import pytest

from grader import attempts
from grader.attempts import Attempt
from grader.course_part import learners_program
from grader.errors import PathNotFoundError, UnreadableError, WorkspaceNotFoundError
from grader.lesson import Lesson, find_course, load_lesson
from grader.start import Fate, start
from grader.workspace import UnreadableModule, Workspace, find_workspace, modules_of

SOURCE = "python/tinyllm/modern/norm.py"
TEST = "python/tests/l7-1-norm/test_rmsnorm_oracle.py"


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return load_lesson(find_course(None), "L7.1")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "python/tinyllm/modern").mkdir(parents=True)
    return Workspace(tmp_path)


def attempt(**changed: object) -> Attempt:
    values: dict[str, object] = {
        "time": "2026-01-02T03:04:05+00:00",
        "lesson": "L7.1",
        "status": "passed",
        "seed": 7,
        "module_sha256": "m",
        "submission_sha256": "s",
        "lesson_sha256": "l",
    }
    return Attempt(**(values | changed))  # type: ignore[arg-type]  # names and types as above


def test_a_workspace_is_found_from_any_folder_inside_it(workspace: Workspace) -> None:
    assert find_workspace(None, "tinyllm", workspace.root / "python/tinyllm/modern") == workspace


def test_there_is_none_above_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceNotFoundError):
        find_workspace(None, "tinyllm", tmp_path)


def test_a_workspace_that_is_named_must_be_one_itself(workspace: Workspace) -> None:
    assert find_workspace(workspace.root, "tinyllm") == workspace
    with pytest.raises(WorkspaceNotFoundError):
        find_workspace(workspace.root / "python", "tinyllm")
    with pytest.raises(PathNotFoundError):
        find_workspace(workspace.root / "nowhere", "tinyllm")


def test_folders_without_an_init_are_packages_too(workspace: Workspace) -> None:
    (workspace.root / SOURCE).write_text("x = 1\n")
    modules = modules_of(workspace, "tinyllm")
    assert {name: module.is_package for name, module in modules.items()} == {
        "tinyllm": True,
        "tinyllm.modern": True,
        "tinyllm.modern.norm": False,
    }


def test_caches_dot_folders_and_odd_names_are_no_modules(workspace: Workspace) -> None:
    for name in ("__pycache__/x.py", ".hidden/x.py", "not-a-name.py", "notes.txt"):
        file = workspace.root / "python/tinyllm" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("")
    assert set(modules_of(workspace, "tinyllm")) == set()


def test_a_byte_order_mark_and_windows_line_ends_are_read(workspace: Workspace) -> None:
    (workspace.root / SOURCE).write_bytes(b"\xef\xbb\xbfx = 1\r\n")
    assert modules_of(workspace, "tinyllm")["tinyllm.modern.norm"].source == "x = 1\n"


def test_a_file_that_is_no_text_is_named(workspace: Workspace) -> None:
    (workspace.root / SOURCE).write_bytes("x = 1".encode("utf-16"))
    with pytest.raises(UnreadableModule, match=rf"{SOURCE}.*UTF-8"):
        modules_of(workspace, "tinyllm")


def test_a_missing_module_says_how_to_begin(lesson: Lesson, workspace: Workspace) -> None:
    program = learners_program(workspace, lesson, ref_deps=True)
    assert program.modules == ()
    assert "ol start L7.1" in program.problem


def test_missing_earlier_lessons_are_named_with_the_way_out(lesson: Lesson, workspace: Workspace) -> None:
    (workspace.root / SOURCE).write_text("x = 1\n")
    problem = learners_program(workspace, lesson, ref_deps=False).problem
    assert "tinyllm.nn.layers" in problem
    assert "--ref-deps" in problem


def test_with_ref_deps_everything_but_the_module_is_the_courses(lesson: Lesson, workspace: Workspace) -> None:
    (workspace.root / SOURCE).write_text("x = 1\n")
    (workspace.root / "python/tinyllm/__init__.py").write_text("raise RuntimeError\n")
    program = learners_program(workspace, lesson, ref_deps=True)
    sources = {module.name: module.source for module in program.modules}
    assert sources.pop("tinyllm.modern.norm") == "x = 1\n"
    assert sources == {
        name: module.source for name, module in lesson.reference_modules.items() if name != lesson.module
    }


def test_start_makes_a_workspace_where_there_is_none(lesson: Lesson, tmp_path: Path) -> None:
    started = start(lesson, tmp_path / "new", force=False)
    assert {(file.path.as_posix(), file.fate) for file in started.files} == {
        (SOURCE, Fate.MADE),
        (TEST, Fate.MADE),
    }
    assert find_workspace(tmp_path / "new", "tinyllm") == started.workspace
    assert "tinyllm.nn.layers" in started.missing


def test_start_again_changes_nothing(lesson: Lesson, tmp_path: Path) -> None:
    start(lesson, tmp_path, force=False)
    (tmp_path / SOURCE).write_text("my work\n")
    again = start(lesson, tmp_path, force=False)
    assert {file.fate for file in again.files} == {Fate.KEPT}
    assert (tmp_path / SOURCE).read_text() == "my work\n"


def test_force_replaces_work_and_saves_it_every_time(lesson: Lesson, tmp_path: Path) -> None:
    for work in ("first\n", "second\n"):
        start(lesson, tmp_path, force=False)
        (tmp_path / SOURCE).write_text(work)
        start(lesson, tmp_path, force=True)
        assert "NotImplementedError" in (tmp_path / SOURCE).read_text()
    assert (tmp_path / ".ol/replaced/1" / SOURCE).read_text() == "first\n"
    assert (tmp_path / ".ol/replaced/2" / SOURCE).read_text() == "second\n"


def test_start_says_what_it_cannot_write(lesson: Lesson, tmp_path: Path) -> None:
    (tmp_path / "python").write_text("a file stands where a folder should\n")
    with pytest.raises(UnreadableError):
        start(lesson, tmp_path, force=False)


def test_the_log_gives_back_what_was_recorded_in_order(workspace: Workspace) -> None:
    tried = [attempt(status="failed", killed=3, needed=8, total=9), attempt()]
    for each in tried:
        attempts.record(workspace, each)
    attempts.record(workspace, attempt(lesson="L7.2"))
    assert attempts.attempts(workspace, "L7.1") == tried


def test_a_line_that_is_no_attempt_costs_only_itself(workspace: Workspace) -> None:
    attempts.record(workspace, attempt())
    with (workspace.root / attempts.LOG).open("ab") as log:
        log.write(b'{"time": "cut sh\n\xff\xfe\n')
    attempts.record(workspace, attempt(seed=8))
    assert [each.seed for each in attempts.attempts(workspace, "L7.1")] == [7, 8]


def test_a_log_cut_short_in_its_last_line_keeps_the_next_attempt(workspace: Workspace) -> None:
    (workspace.root / ".ol").mkdir()
    (workspace.root / attempts.LOG).write_bytes(b'{"time": "cut sh')
    attempts.record(workspace, attempt())
    assert len(attempts.attempts(workspace, "L7.1")) == 1


@pytest.mark.parametrize(
    "changed", [{}, {"module_sha256": "x"}, {"submission_sha256": "x"}, {"lesson_sha256": "x"}]
)
def test_a_pass_counts_for_the_files_that_it_was_given_for(changed: dict[str, str]) -> None:
    assert attempts.has_passed([attempt(**changed)], "m", "s", "l") is (not changed)


@pytest.mark.parametrize("changed", [{"status": "failed"}, {"only": "mutation"}, {"only": "course"}])
def test_a_failure_or_a_part_is_no_pass(changed: dict[str, str]) -> None:
    assert not attempts.has_passed([attempt(**changed)], "m", "s", "l")
