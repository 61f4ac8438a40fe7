"""Files of a course are written whole or not at all."""

from pathlib import Path

import pytest

from grader.author.saving import check_writable, is_installed, save, save_new
from grader.errors import NameNotUsableError, ReadOnlyCourseError


def test_a_file_is_written_in_place_of_the_old_one_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "s01-a.toml"
    path.write_text("old")
    save(path, "nëw\n", tmp_path)
    assert path.read_bytes() == "nëw\n".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written_is_refused_with_a_way_out(tmp_path: Path) -> None:
    folder = tmp_path / "s01-a.toml"
    folder.mkdir()
    (folder / "in the way").write_text("")
    with pytest.raises(ReadOnlyCourseError) as refused:
        save(folder, "new", tmp_path)
    assert f"cp -r {tmp_path} my-course" in refused.value.hint
    assert list(tmp_path.iterdir()) == [folder]


def test_a_file_keeps_its_line_ends_and_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "s01-a.toml"
    path.write_bytes(b"one\r\ntwo\r\n")
    path.chmod(0o664)
    save(path, "one\nthree\n", tmp_path)
    assert path.read_bytes() == b"one\r\nthree\r\n"
    assert path.stat().st_mode & 0o777 == 0o664


def test_a_new_file_takes_no_others_place(tmp_path: Path) -> None:
    path = tmp_path / "s01-a.toml"
    save_new(path, "first", tmp_path)
    with pytest.raises(NameNotUsableError, match=r"s01-a\.toml"):
        save_new(path, "second", tmp_path)
    assert path.read_text() == "first"


def test_a_folder_that_cannot_be_written_is_found_beforehand(tmp_path: Path) -> None:
    check_writable(tmp_path, tmp_path)
    with pytest.raises(ReadOnlyCourseError, match="cannot be written"):
        check_writable(tmp_path / "nowhere", tmp_path)


@pytest.mark.parametrize(
    ("path", "installed"),
    [("/usr/lib/python3/dist-packages/grader/course", True), ("/v/lib/python3.11/site-packages/grader/course", True),
     ("/home/ada/course", False)],
)  # fmt: skip
def test_a_course_of_an_installation_is_told_by_its_place(path: str, installed: bool) -> None:
    assert is_installed(Path(path)) is installed
