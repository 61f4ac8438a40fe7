"""`ol lesson new` lays down a lesson that is sound, can be built and graded at once, and touches nothing else."""

import json
import shutil
from pathlib import Path

import pytest

from grader.author import new_lesson
from grader.author.new_lesson import NewLesson, course_for, lay_down, module_for
from grader.author.parts import parts_of
from grader.cli import run
from grader.errors import CourseNotFoundError, HalfMadeLessonError, LessonExistsError, NameNotUsableError
from grader.lesson import lesson_ids, load_lesson

DIARY = Path(__file__).resolve().parents[1] / "cases/diary"
PRICES = NewLesson("M1", "Prices", "R2", "shop.prices")


def files(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    shutil.copytree(DIARY, tmp_path / "diary", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "diary"


def test_it_holds_before_a_line_of_it_is_filled_in(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    course = tmp_path / "course"
    arguments = ["lesson", "new", "M1", "--title", 'Prices "and" more', "--module", "shop.prices"]
    assert run([*arguments, "--course", str(course)]) == 0
    assert run(["lesson", "verify", "--course", str(course)]) == 0
    screen = capfd.readouterr().out
    assert 'M1 Prices "and" more (rung R1): learners build shop.prices' in screen
    assert "Everything holds: 22 checks in 1 lesson." in screen
    assert "Worth knowing" not in screen
    lesson = load_lesson(course, "M1")
    assert (lesson.title, lesson.tests, lesson.package) == ('Prices "and" more', "python/tests/m1", "shop")


def test_it_can_be_started_built_and_graded(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    course, workspace = tmp_path / "course", tmp_path / "ws"
    lay_down(course, PRICES)
    workspace.mkdir()
    monkeypatch.chdir(workspace)
    monkeypatch.setenv("OL_COURSE", str(course))
    assert run(["start", "M1"]) == 0
    assert run(["tests", "M1"]) == 1  # the stub
    assert "4 of 4 course tests fail" in capfd.readouterr().out
    variant = (course / "reference/variants/M1/one_division.py").read_text(encoding="utf-8")
    (workspace / "python/shop/prices.py").write_text(variant, encoding="utf-8")
    assert run(["tests", "M1"]) == 0
    assert run(["check", "M1"]) == 1  # the first test does not notice the fault, as its author is to find out
    assert "write a test for s01" in capfd.readouterr().out
    suite = workspace / "python/tests/m1/test_prices_oracle.py"
    suite.write_text(suite.read_text(encoding="utf-8").replace("[1.0, 3.0]", "[1.0, 5.0]"), encoding="utf-8")
    assert run(["check", "M1"]) == 0
    assert run(["diff", "M1"]) == 0


def test_every_file_says_what_to_fill_in(tmp_path: Path) -> None:
    made = lay_down(tmp_path / "course", PRICES)
    assert sorted(made) == sorted(files(tmp_path / "course"))
    with_content = {name for name, data in files(tmp_path / "course").items() if data}
    without = {name for name in with_content if b"Fill in: " not in (tmp_path / "course" / name).read_bytes()}
    assert without == {"fixtures/M1/golden.json"}  # which its script makes
    assert not any(b"$" in data for data in files(tmp_path / "course").values())


def test_beside_other_lessons_it_is_in_their_package_and_they_stay(diary: Path) -> None:
    before, sha256 = files(diary), load_lesson(diary, "D1").sha256
    module = module_for(diary, "D2.5")
    assert module == "diary.lesson_d2_5"
    lay_down(diary, NewLesson("D2.5", "More", "R1", module))
    assert lesson_ids(diary) == ("D1", "D2.5")
    assert {name: data for name, data in files(diary).items() if name in before} == before
    # A lesson's hash covers the package, of which there is more now.
    assert load_lesson(diary, "D1").sha256 != sha256
    assert all(part.there for part in parts_of(diary, "D2.5"))


def test_the_command_that_comes_next_is_told_as_it_has_to_be_typed(
    diary: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(diary)
    assert run(["lesson", "new", "D2"]) == 0
    assert "Next: `ol lesson verify D2 --course .`" in capfd.readouterr().out
    monkeypatch.chdir(diary.parent)
    assert run(["lesson", "new", "D3", "--course", "diary"]) == 0
    assert "Next: `ol lesson verify D3 --course diary`" in capfd.readouterr().out


@pytest.mark.parametrize("there", ["nothing", "an empty folder", "a course", "this folder"])
def test_the_course_is_the_one_named_or_this_folder_or_a_new_one(
    tmp_path: Path, diary: Path, monkeypatch: pytest.MonkeyPatch, there: str
) -> None:
    monkeypatch.chdir(diary if there == "this folder" else tmp_path)
    if there == "an empty folder":
        (tmp_path / "course").mkdir()
    option = diary if there == "a course" else None
    wanted = diary if there in {"a course", "this folder"} else tmp_path / "course"
    assert course_for(option) == wanted


def test_a_folder_with_something_else_in_it_is_no_course(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    for folder in (tmp_path, tmp_path / "notes.txt"):
        with pytest.raises(CourseNotFoundError):
            course_for(folder)


# ------------------------------------------------------------------------- what is refused


def test_a_title_on_two_lines_becomes_one(tmp_path: Path) -> None:
    arguments = ["lesson", "new", "M1", "--title", "Two\n lines", "--rung", "R\t2", "--module", "shop.prices"]
    assert run([*arguments, "--course", str(tmp_path / "course")]) == 0
    lesson = load_lesson(tmp_path / "course", "M1")
    assert (lesson.title, lesson.rung) == ("Two lines", "R 2")


@pytest.mark.parametrize("option", ["--title", "--rung"])
@pytest.mark.parametrize("text", ["Del\x7f", "Bell\a", "half of a pair: \udc80"])
def test_what_cannot_be_written_is_refused(tmp_path: Path, option: str, text: str) -> None:
    course = tmp_path / "course"
    assert run(["lesson", "new", "M1", option, text, "--course", str(course)]) == 2
    assert not course.exists()


@pytest.mark.parametrize("name", ["", "..", "../up", "a/b", "-x", ".hidden", "with space", "_", "é"])
def test_a_name_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(NameNotUsableError):
        lay_down(tmp_path / "course", NewLesson(name, "t", "R1", "shop.prices"))
    assert not (tmp_path / "course").exists()


@pytest.mark.parametrize(
    "module", ["shop", "shop.", ".shop", "shop prices.a", "1.a", "shop..a", "numbers.a", "numpy.a"]
)
def test_a_module_that_is_none_or_somebody_elses_is_refused(tmp_path: Path, module: str) -> None:
    with pytest.raises(NameNotUsableError):
        lay_down(tmp_path / "course", NewLesson("M1", "t", "R1", module))
    assert not (tmp_path / "course").exists()


def test_a_lesson_that_is_there_stays(diary: Path) -> None:
    before = files(diary)
    with pytest.raises(LessonExistsError, match="D1 is there already"):
        lay_down(diary, NewLesson("D1", "t", "R1", "diary.other"))
    with pytest.raises(LessonExistsError, match=r"reference/diary/due\.py is there already"):
        lay_down(diary, NewLesson("D2", "t", "R1", "diary.due"))
    assert files(diary) == before


def test_a_lesson_that_is_asked_for_again_is_told_and_not_its_module(tmp_path: Path) -> None:
    again = NewLesson("M1", "Again", "R1", "shop.prices")
    lay_down(tmp_path / "course", again)
    with pytest.raises(LessonExistsError, match="M1 is there already"):
        lay_down(tmp_path / "course", again)


def test_a_half_made_lesson_is_refused_with_the_list_of_what_is_missing(
    diary: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for part in ("reference/variants/D1", "student_template/D1/python/diary/due.py"):
        path = diary / part
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    before = files(diary)
    with pytest.raises(HalfMadeLessonError):
        lay_down(diary, NewLesson("D1", "t", "R1", "diary.other"))
    assert run(["lesson", "new", "D1", "--course", str(diary)]) == 4
    said = capfd.readouterr().err
    assert "reference/variants/D1/*.py (other correct implementations, at least one)" in said
    assert "student_template/D1/python/diary/due.py (the learner's stub)" in said
    assert "mutants/D1/lesson.toml" not in said
    assert files(diary) == before


def test_of_a_lesson_that_cannot_be_laid_down_whole_nothing_is_left(
    diary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(diary.rglob("*"))

    def interrupted(_script: Path) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(new_lesson, "_make_golden", interrupted)
    with pytest.raises(KeyboardInterrupt):
        lay_down(diary, PRICES)
    assert set(diary.rglob("*")) == before


def test_what_was_laid_down_is_told_as_json(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    course = tmp_path / "course"
    assert run(["lesson", "new", "M1", "--course", str(course), "--json", "-"]) == 0
    document = json.loads(capfd.readouterr().out)
    assert document["module"] == "course.lesson_m1"
    assert sorted(document["files"]) == sorted(files(course))
