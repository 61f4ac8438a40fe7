"""A save is noticed, once, when it has come to its end."""

import os
from pathlib import Path

from grader.watch import look, wait_for_change


def test_python_files_are_seen_and_nothing_else(tmp_path: Path) -> None:
    for name in ("a.py", "sub/b.py", "notes.txt", ".git/c.py", "__pycache__/d.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert {Path(path).relative_to(tmp_path).as_posix() for path in look([tmp_path])} == {"a.py", "sub/b.py"}


def test_a_file_that_is_named_itself_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "test_x.py"
    file.write_text("")
    assert list(look([file])) == [str(file)]


def test_waiting_ends_when_saving_has_ended(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("")
    steps = iter(["nothing", "first write", "second write"])

    def sleep(_seconds: float) -> None:
        step = next(steps, "nothing")
        if step != "nothing":
            file.write_text(step)

    seen = look([tmp_path])
    now = wait_for_change([tmp_path], seen, sleep)
    assert file.read_text() == "second write"
    assert now == look([tmp_path])


def test_new_and_deleted_files_are_changes(tmp_path: Path) -> None:
    seen = look([tmp_path])
    file = tmp_path / "a.py"
    file.write_text("")
    with_it = wait_for_change([tmp_path], seen, lambda _seconds: None)
    file.unlink()
    assert wait_for_change([tmp_path], with_it, lambda _seconds: None) == {}


def test_a_save_within_the_same_size_is_a_change(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("1")
    seen = look([tmp_path])
    file.write_text("2")
    os.utime(file, ns=(1, 1))
    assert look([tmp_path]) != seen
