"""From a child to its suite: whatever form it was handed in, and whatever is wrong with it."""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import tarfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.classroom.layouts import find_submissions
from grader.classroom.reading import read_entry, workspace_of
from grader.lesson import load_lesson
from grader.submission import read_submission
from tests.classroom.school import lay_course

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from grader.lesson import Lesson
    from grader.submission import Submission

BARE = {"test_a.py": "A = 1\n", "helpers/h.py": "H = 1\n"}
WORKSPACE = {
    "python/words/shout.py": "def shout(): ...\n",
    "python/words/__init__.py": "",
    "python/tests/w1/test_a.py": "A = 1\n",
    "python/tests/w1/helpers/h.py": "H = 1\n",
    "python/tests/other/test_b.py": "B = 1\n",
    "venv/big.py": "x" * 300_000,
}
OF_SOURCES = {
    name.removeprefix("python/"): text for name, text in WORKSPACE.items() if name.startswith("python/")
}
WITHOUT_TESTS = {name: text for name, text in WORKSPACE.items() if "/w1/" not in name}
SUITE = ["helpers/h.py", "test_a.py"]
DEEP = 1_500  # more than functions can call one another


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> Lesson:
    return load_lesson(lay_course(tmp_path_factory.mktemp("course")), "W1")


@pytest.fixture
def school(tmp_path: Path) -> Path:
    folder = tmp_path / "class"
    folder.mkdir()
    return folder


def written(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def with_litter(folder: Path) -> Path:
    """A new folder, with what no one handed in."""
    written(folder, {".DS_Store": "", ".git/HEAD": "", "__MACOSX/x": ""})
    return folder


def zipped(path: Path, files: Mapping[str, str]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)


def tarred(path: Path, files: Mapping[str, str]) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))


def below(folder: str, files: Mapping[str, str]) -> dict[str, str]:
    return {f"{folder}/{name}": text for name, text in files.items()}


def the_only(school: Path, lesson: Lesson) -> Submission:
    (entry,) = find_submissions(school)
    return read_entry(entry, lesson)


def paths(submission: Submission) -> list[str]:
    assert not submission.findings, submission.findings
    return [file.path for file in submission.files]


# Forms ------------------------------------------------------------------------------------------------------------

FORMS: dict[str, Callable[[Path], None]] = {
    "a bare folder": lambda at: written(at / "ada", BARE),
    "a workspace": lambda at: written(at / "ada", WORKSPACE),
    "a workspace in a folder": lambda at: written(at / "ada" / "my work", WORKSPACE),
    "a workspace in folders": lambda at: written(at / "ada" / "a" / "b" / "c", WORKSPACE),
    "an archive of a folder": lambda at: zipped(at / "ada.zip", BARE),
    "an archive with a folder around": lambda at: zipped(at / "ada.zip", below("l71", BARE)),
    "an archive of a workspace": lambda at: zipped(at / "ada.zip", WORKSPACE),
    "an archive of a workspace in folders": lambda at: zipped(at / "ada.zip", below("a/b", WORKSPACE)),
    "a tar of a workspace": lambda at: tarred(at / "ada.tar.gz", below("./ada", WORKSPACE)),
    "an archive in a folder": lambda at: zipped(with_litter(at / "ada") / "my.zip", BARE),
    "a workspace's archive in a folder": lambda at: tarred(with_litter(at / "ada") / "my.tgz", WORKSPACE),
    "the folder of sources of a workspace": lambda at: written(at / "ada", OF_SOURCES),
    "an archive of that": lambda at: zipped(at / "ada.zip", OF_SOURCES),
    "an archive of that with a folder around": lambda at: tarred(
        at / "ada.tgz", below("my python", OF_SOURCES)
    ),
    "Moodle's folder": lambda at: written(at / "Ada_12_assignsubmission_file_", BARE),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_same_suite_is_read_from_every_form(school: Path, lesson: Lesson, form: str) -> None:
    FORMS[form](school)
    submission = the_only(school, lesson)
    assert paths(submission) == SUITE
    written(school.parent / "bare", BARE)
    assert submission.sha256 == read_submission(school.parent / "bare").sha256


@pytest.mark.parametrize("pack", [written, None], ids=["folder", "archive"])
def test_a_workspace_without_tests_is_a_suite_without_tests(
    school: Path, lesson: Lesson, pack: Callable[[Path, Mapping[str, str]], None] | None
) -> None:
    if pack is None:
        zipped(school / "ada.zip", WITHOUT_TESTS)
    else:
        pack(school / "ada", WITHOUT_TESTS)
    assert paths(the_only(school, lesson)) == []


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("test_norm.py", "test_norm.py"),
        ("norm_test.py", "norm_test.py"),
        ("ada.py", "test_ada.py"),
        ("=1\n+1.py", "test_submission.py"),
    ],
)
def test_one_file_is_a_suite_whatever_its_name(school: Path, lesson: Lesson, name: str, path: str) -> None:
    written(school, {name: "A = 1\n"})
    assert paths(the_only(school, lesson)) == [path]


def test_one_file_takes_nothing_of_those_beside_it(school: Path, lesson: Lesson) -> None:
    others = {"bob.py": "SECRET = 1\n", "conftest.py": "SECRET = 2\n", "helper.py": "SECRET = 3\n"}
    written(school, {"test_ada.py": "import bob, helper\n", **others})
    entry = next(entry for entry in find_submissions(school) if entry.learner == "test_ada.py")
    assert paths(read_entry(entry, lesson)) == ["test_ada.py"]


def by_moodle(school: Path, *names: str) -> None:
    """What one learner handed in, as Moodle writes it with folders turned off."""
    for name in names:
        path = school / f"Ada_12_assignsubmission_file_{name}"
        if name.endswith(".zip"):
            zipped(path, BARE)
        else:
            path.write_text("A = 1\n", encoding="utf-8")


def test_moodles_files_are_called_as_their_learner_called_them(school: Path, lesson: Lesson) -> None:
    by_moodle(school, "test_a.py", "helper.py")
    assert paths(the_only(school, lesson)) == ["helper.py", "test_a.py"]


@pytest.mark.parametrize(
    ("others", "suite"),
    [
        (["test_a.py", "helper.py"], ["helper.py", "test_a.py"]),
        (["work.py"], ["test_work.py"]),
        (["my.zip"], SUITE),
    ],
)
def test_what_can_be_no_part_of_a_suite_is_left_out_of_moodles_files(
    school: Path, lesson: Lesson, others: list[str], suite: list[str]
) -> None:
    by_moodle(school, "README.md", *others, "notes.pdf")
    assert paths(the_only(school, lesson)) == suite


def test_moodles_files_that_can_be_no_part_of_a_suite_are_refused(school: Path, lesson: Lesson) -> None:
    by_moodle(school, "README.md", "notes.pdf")
    assert "neither a folder nor a .py file" in refusal(the_only(school, lesson))


@pytest.mark.parametrize("names", [["a.zip", "b.zip"], ["a.zip", "test_a.py"]])
def test_moodles_archives_beside_other_files_are_refused(
    school: Path, lesson: Lesson, names: list[str]
) -> None:
    by_moodle(school, *names)
    assert "hand in one archive, or the files themselves" in refusal(the_only(school, lesson))


@pytest.mark.parametrize(("name", "told"), [(b"h\xfc.py", r"h\xfc.py"), (b"he\nlp.py", "he\nlp.py")])
def test_moodles_file_with_a_name_that_no_suite_may_have_is_refused_by_it(
    school: Path, lesson: Lesson, name: bytes, told: str
) -> None:
    by_moodle(school, "test_a.py", os.fsdecode(name))
    (finding,) = the_only(school, lesson).findings
    assert (finding.file, finding.rule) == (told, "name")


def test_moodles_only_file_is_a_suite_whatever_its_name(school: Path, lesson: Lesson) -> None:
    written(school, {"Ada_12_assignsubmission_file_work.py": "A = 1\n"})
    assert paths(the_only(school, lesson)) == ["test_work.py"]


def test_moodles_only_archive_is_unpacked(school: Path, lesson: Lesson) -> None:
    zipped(school / "Ada_12_assignsubmission_file_my work.zip", WORKSPACE)
    assert paths(the_only(school, lesson)) == SUITE


@pytest.mark.parametrize("name", [b"\xff\xfe", b"two\nlines", "\u202ex".encode()])
def test_a_folder_with_a_hostile_name_is_read_under_a_harmless_one(
    school: Path, lesson: Lesson, name: bytes
) -> None:
    written(school / os.fsdecode(name), BARE)
    submission = the_only(school, lesson)
    assert (paths(submission), submission.root_name) == (SUITE, "suite")


# What is wrong ----------------------------------------------------------------------------------------------------


def refusal(submission: Submission) -> str:
    assert submission.findings
    return submission.findings[0].message


def test_an_entry_with_a_problem_is_refused_for_it(school: Path, lesson: Lesson) -> None:
    (school / "ada").symlink_to("/etc")
    assert "leads out of the folder" in refusal(the_only(school, lesson))


def test_tests_that_are_a_link_out_of_the_submission_are_refused(school: Path, lesson: Lesson) -> None:
    written(school.parent / "elsewhere/tests/w1", BARE)
    (school / "ada").mkdir()
    (school / "ada/python").symlink_to(school.parent / "elsewhere")
    assert "leads out of the submission" in refusal(the_only(school, lesson))


@pytest.fixture
def without_end(school: Path) -> Iterator[None]:
    """A submission of folders in one another; what removes temporary folders could not walk through them either."""
    (school / "ada").mkdir()
    with contextlib.chdir(school / "ada"):
        for _ in range(DEEP):
            Path("a").mkdir()
            os.chdir("a")
        Path("test_a.py").touch()
        yield
        Path("test_a.py").unlink()
        for _ in range(DEEP):
            os.chdir("..")
            Path("a").rmdir()


@pytest.mark.usefixtures("without_end")
def test_folders_without_end_are_refused(school: Path, lesson: Lesson) -> None:
    # Later versions of Python walk through them, and find a file that lies too deep.
    assert re.search("too deep in one another|folders deep", refusal(the_only(school, lesson)))


def test_a_child_that_went_away_is_refused(school: Path, lesson: Lesson) -> None:
    written(school, {"ada.py": ""})
    (entry,) = find_submissions(school)
    entry.path.unlink()
    assert "it cannot be read: No such file" in refusal(read_entry(entry, lesson))


def test_a_folder_that_went_away_is_refused(school: Path, lesson: Lesson) -> None:
    written(school / "ada", BARE)
    (entry,) = find_submissions(school)
    entry.path.rename(school.parent / "gone")
    assert "it cannot be read" in refusal(read_entry(entry, lesson))


@pytest.mark.parametrize("name", ["ada.zip", "ada.tar", "ada.tar.gz", "ada.tgz"])
@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"\x1f\x8b\x08", b"text" * 400, bytes(2000)])
def test_a_bad_archive_is_refused_or_empty(school: Path, lesson: Lesson, name: str, data: bytes) -> None:
    (school / name).write_bytes(data)
    submission = the_only(school, lesson)
    assert not submission.files
    assert not submission.findings or "cannot be read" in refusal(submission)


@pytest.mark.parametrize("top", ["..", "/abs", "a/../.."])
def test_a_workspace_that_would_land_outside_is_refused(school: Path, lesson: Lesson, top: str) -> None:
    zipped(school / "ada.zip", below(top, WORKSPACE))
    assert any(f"the path {why}" in refusal(the_only(school, lesson)) for why in ("leaves", "is absolute"))


def test_the_workspace_that_is_not_inside_of_another_one_is_read(school: Path, lesson: Lesson) -> None:
    copy = {f"old/backup/{name}": "OLD = 1\n" for name in WORKSPACE}
    zipped(school / "ada.zip", {**copy, **below("new", WORKSPACE)})
    submission = the_only(school, lesson)
    assert paths(submission) == SUITE
    assert b"OLD" not in submission.files[1].data


def test_two_bad_archives_are_two_submissions(school: Path, lesson: Lesson) -> None:
    for name, data in (("a.zip", b"PK"), ("b.tar.gz", b"\x1f\x8b\x08")):
        (school / name).write_bytes(data)
    first, second = (read_entry(entry, lesson) for entry in find_submissions(school))
    assert first.sha256 != second.sha256


def packed(path: Path, method: int) -> bytes:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", method) as archive:
            for name, text in WORKSPACE.items():
                archive.writestr(name, text)
    else:
        tarred(path, WORKSPACE)
    return path.read_bytes()


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("ada.zip", zipfile.ZIP_STORED),
        ("ada.zip", zipfile.ZIP_DEFLATED),
        ("ada.zip", zipfile.ZIP_BZIP2),
        ("ada.zip", zipfile.ZIP_LZMA),
        ("ada.tar.gz", 0),
    ],
)
def test_no_damage_to_an_archive_raises(school: Path, lesson: Lesson, name: str, method: int) -> None:
    draw = random.Random(method)  # noqa: S311 - which bytes are damaged is no secret
    sound = packed(school / name, method)
    (entry,) = find_submissions(school)
    for _ in range(150):
        data = bytearray(sound)
        for _ in range(draw.randint(1, 6)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        entry.path.write_bytes(data[: draw.choice([len(data), draw.randrange(len(data))])])
        read_entry(entry, lesson)


# Workspaces -------------------------------------------------------------------------------------------------------


def test_the_workspace_of_a_child_is_found_wherever_it_is_packed(school: Path, lesson: Lesson) -> None:
    written(school / "ada" / "my work", WORKSPACE)
    (entry,) = find_submissions(school)
    workspace = workspace_of(entry, lesson)
    assert workspace is not None
    assert workspace.root == school / "ada" / "my work"


def test_a_bare_folder_an_archive_and_a_link_are_no_workspaces(school: Path, lesson: Lesson) -> None:
    written(school / "ada", BARE)
    zipped(school / "bob.zip", WORKSPACE)
    (school / "eve").symlink_to("/etc")
    assert [workspace_of(entry, lesson) for entry in find_submissions(school)] == [None, None, None]
