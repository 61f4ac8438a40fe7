"""A suite is read once: which files it has, what they hash to, and what is refused before anything is parsed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from grader.errors import PathNotFoundError
from grader.submission import Submission, model, read_submission

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def write(root: Path, **files: str) -> None:
    """`a__b` stands for the file `a/b.py`, and `init` for `__init__.py`."""
    for name, text in files.items():
        path = root / f"{name.replace('__', '/')}.py"
        path = path.with_name("__init__.py") if path.name == "init.py" else path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def names(found: Submission) -> list[str]:
    return [file.path for file in found.files]


def rules(found: Submission) -> list[tuple[str, str]]:
    return [(finding.file, finding.rule) for finding in found.findings]


# Folders ------------------------------------------------------------------------------------------------------


def test_a_folder_gives_its_python_files_by_path(tmp_path: Path) -> None:
    write(tmp_path, test_b="b", a__test_a="a", conftest="c")
    (tmp_path / "golden.npy").write_bytes(b"\0")
    found = read_submission(tmp_path)
    assert names(found) == ["a/test_a.py", "conftest.py", "test_b.py"]
    assert [file.data for file in found.files] == [b"a", b"c", b"b"]
    assert found.root_name == tmp_path.name
    assert found.findings == ()


@pytest.mark.parametrize("folder", [".git", ".venv", "__pycache__", ".ipynb_checkpoints"])
def test_dot_folders_and_caches_are_ignored_at_every_depth(tmp_path: Path, folder: str) -> None:
    write(tmp_path, test_a="a", deep__test_b="b")
    for parent in (tmp_path, tmp_path / "deep"):
        (parent / folder).mkdir()
        (parent / folder / "test_x.py").write_text("x", encoding="utf-8")
    assert names(read_submission(tmp_path)) == ["deep/test_b.py", "test_a.py"]


def test_what_would_configure_pytest_is_named_as_ignored(tmp_path: Path) -> None:
    write(tmp_path, test_a="a")
    for name in ("pytest.ini", "tox.ini", "pyproject.toml", "notes.txt"):
        (tmp_path / name).write_text("", encoding="utf-8")
    assert read_submission(tmp_path).ignored == ("pyproject.toml", "pytest.ini", "tox.ini")


def test_an_empty_folder_is_an_empty_suite(tmp_path: Path) -> None:
    assert read_submission(tmp_path).files == ()


def test_a_path_that_does_not_exist_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(PathNotFoundError):
        read_submission(tmp_path / "nowhere")


def test_nothing_is_written_to_the_folder(tmp_path: Path) -> None:
    write(tmp_path, test_a="a")
    before = [(path.name, path.stat().st_mtime_ns) for path in tmp_path.rglob("*")]
    read_submission(tmp_path)
    assert [(path.name, path.stat().st_mtime_ns) for path in tmp_path.rglob("*")] == before


# The hash -----------------------------------------------------------------------------------------------------


def sha_of(root: Path, **files: str) -> str:
    write(root, **files)
    return read_submission(root).sha256


def test_the_hash_covers_names_and_bytes_and_nothing_else(tmp_path: Path) -> None:
    plain = sha_of(tmp_path / "plain", test_a="a", test_b="b")
    assert sha_of(tmp_path / "another-folder", test_b="b", test_a="a") == plain
    assert sha_of(tmp_path / "byte", test_a="a", test_b="B") != plain
    assert sha_of(tmp_path / "name", test_a="a", test_c="b") != plain
    assert sha_of(tmp_path / "fewer", test_a="a") != plain


def test_bytes_cannot_move_between_a_name_and_its_content_unseen(tmp_path: Path) -> None:
    assert sha_of(tmp_path / "one", a="b", ab="") != sha_of(tmp_path / "two", a="", ab="b")
    assert sha_of(tmp_path / "three", a="a.pyb") != sha_of(tmp_path / "four", a="", b="")


def test_data_files_and_times_do_not_change_the_hash(tmp_path: Path) -> None:
    before = sha_of(tmp_path, test_a="a")
    (tmp_path / "notes.md").write_text("notes", encoding="utf-8")
    os.utime(tmp_path / "test_a.py", (0, 0))
    assert read_submission(tmp_path).sha256 == before


# Sizes --------------------------------------------------------------------------------------------------------


def test_a_file_may_have_256_kib_and_not_one_byte_more(tmp_path: Path) -> None:
    assert model.MAX_FILE == 256 * 1024
    write(tmp_path, test_a="#" * model.MAX_FILE)
    assert rules(read_submission(tmp_path)) == []
    write(tmp_path, test_a="#" * (model.MAX_FILE + 1))
    assert rules(read_submission(tmp_path)) == [("test_a.py", "size")]


def test_a_suite_may_have_2_mib_and_not_one_byte_more(tmp_path: Path) -> None:
    assert model.MAX_SUITE == 2 * 1024 * 1024
    write(tmp_path, **{f"test_{i}": "#" * model.MAX_FILE for i in range(8)})
    assert rules(read_submission(tmp_path)) == []
    write(tmp_path, test_z="#")
    assert {rule for _file, rule in rules(read_submission(tmp_path))} == {"size"}


def test_too_many_files_are_refused_and_not_read_to_the_end(tmp_path: Path) -> None:
    write(tmp_path, **{f"h{i:04}": "" for i in range(model.MAX_FILES + 20)})
    found = read_submission(tmp_path)
    assert len(found.files) == model.MAX_FILES
    assert [rule for _file, rule in rules(found)] == ["size"]


# Links and odd files ------------------------------------------------------------------------------------------


def test_a_link_that_leaves_the_suite_is_refused(tmp_path: Path) -> None:
    write(tmp_path, elsewhere="x", suite__test_a="a")
    (tmp_path / "suite" / "test_link.py").symlink_to(tmp_path / "elsewhere.py")
    found = read_submission(tmp_path / "suite")
    assert rules(found) == [("test_link.py", "link")]
    assert names(found) == ["test_a.py"]


def test_a_linked_folder_that_leaves_the_suite_is_refused(tmp_path: Path) -> None:
    write(tmp_path, elsewhere__test_b="b", suite__test_a="a")
    (tmp_path / "suite" / "linked").symlink_to(tmp_path / "elsewhere")
    found = read_submission(tmp_path / "suite")
    assert rules(found) == [("linked", "link")]
    assert names(found) == ["test_a.py"]


def test_a_link_within_the_suite_is_a_file_of_it(tmp_path: Path) -> None:
    write(tmp_path, helpers="h")
    (tmp_path / "test_link.py").symlink_to("helpers.py")
    assert names(read_submission(tmp_path)) == ["helpers.py", "test_link.py"]


def test_a_linked_folder_within_the_suite_is_found_once(tmp_path: Path) -> None:
    write(tmp_path, a__test_a="a")
    (tmp_path / "again").symlink_to("a")
    (tmp_path / "a" / "loop").symlink_to("..")
    found = read_submission(tmp_path)
    assert names(found) == ["a/test_a.py"]
    assert found.findings == ()


def test_a_suite_that_is_reached_through_a_link_is_the_suite(tmp_path: Path) -> None:
    write(tmp_path, real__test_a="a")
    (tmp_path / "link").symlink_to("real")
    assert names(read_submission(tmp_path / "link")) == ["test_a.py"]


def test_what_is_no_plain_file_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, test_a="a")
    os.mkfifo(tmp_path / "test_pipe.py")
    (tmp_path / "test_folder.py").mkdir()
    (tmp_path / "test_broken.py").symlink_to("nowhere.py")
    assert names(read_submission(tmp_path)) == ["test_a.py"]


# One test file ------------------------------------------------------------------------------------------------


def test_a_single_test_file_takes_its_helpers_and_conftests_and_no_other_tests(tmp_path: Path) -> None:
    write(
        tmp_path,
        test_a="import oracle\nfrom pack import inputs\n",
        test_b="import lonely",
        oracle="from deeper import f",
        deeper="def f(): ...",
        lonely="",
        conftest="from for_conftest import x",
        for_conftest="x = 1",
        pack__init="",
        pack__inputs="from . import more",
        pack__more="",
        pack__unused="",
    )
    found = read_submission(tmp_path / "test_a.py")
    assert names(found) == [
        "conftest.py",
        "deeper.py",
        "for_conftest.py",
        "oracle.py",
        "pack/__init__.py",
        "pack/inputs.py",
        "pack/more.py",
        "test_a.py",
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "import oracle as o",
        "from oracle import f",
        "from . import oracle",
        "from .oracle import f",
        "def test():\n    import oracle",
    ],
)
def test_a_helper_is_taken_whatever_form_its_import_has(tmp_path: Path, statement: str) -> None:
    write(tmp_path, test_a=statement, oracle="def f(): ...", init="", other="")
    assert "oracle.py" in names(read_submission(tmp_path / "test_a.py"))


def test_helpers_that_import_one_another_are_taken_once(tmp_path: Path) -> None:
    write(tmp_path, test_a="import one", one="import two", two="import one")
    assert names(read_submission(tmp_path / "test_a.py")) == ["one.py", "test_a.py", "two.py"]


@pytest.mark.parametrize("text", ["def broken(:\n", "\0", "x = '\\ud800'"])
def test_a_single_file_that_is_no_python_is_still_handed_in(tmp_path: Path, text: str) -> None:
    write(tmp_path, test_a=text)
    assert names(read_submission(tmp_path / "test_a.py")) == ["test_a.py"]


@pytest.mark.parametrize("place", [lambda p: p, lambda p: p / "test_a.py"])
def test_a_relative_path_names_the_same_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Callable[[Path], Path]
) -> None:
    write(tmp_path, test_a="a")
    absolute = read_submission(place(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert read_submission(place(tmp_path).relative_to(tmp_path)) == absolute
