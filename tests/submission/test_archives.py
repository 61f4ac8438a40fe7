"""Archives are read in memory: what they may not hold is refused by name, and nothing is written."""

from __future__ import annotations

import gzip
import io
import stat
import subprocess
import sys
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from grader.submission import Submission, read_submission
from grader.submission import archive as reader
from grader.submission.model import MAX_FILE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEST = b"def test_it():\n    assert True\n"


def pack_zip(folder: Path, files: dict[str, bytes]) -> Path:
    path = folder / "suite.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def pack_tar(folder: Path, files: dict[str, bytes]) -> Path:
    path = folder / "suite.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return path


def paths(submission: Submission) -> list[str]:
    return [file.path for file in submission.files]


def rules(submission: Submission) -> list[tuple[str, str]]:
    return [(finding.file, finding.rule) for finding in submission.findings]


PACKERS = pytest.mark.parametrize("pack", [pack_zip, pack_tar])


@PACKERS
def test_an_archive_gives_the_same_suite_as_the_folder(pack: Callable[..., Path], tmp_path: Path) -> None:
    files = {"test_a.py": TEST, "helpers/__init__.py": b"", "helpers/oracle.py": b"EPS = 1e-6\n"}
    folder = tmp_path / "suite"
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    from_folder = read_submission(folder)
    from_archive = read_submission(pack(tmp_path, files))
    assert from_archive.sha256 == from_folder.sha256
    assert from_archive.files == from_folder.files
    assert not from_archive.findings


@PACKERS
def test_one_folder_around_everything_is_left_out(pack: Callable[..., Path], tmp_path: Path) -> None:
    submission = read_submission(pack(tmp_path, {"mine/test_a.py": TEST, "mine/sub/test_b.py": TEST}))
    assert paths(submission) == ["sub/test_b.py", "test_a.py"]


@PACKERS
@pytest.mark.parametrize(
    "name", ["../test_a.py", "a/../../test_a.py", "/test_a.py", "C:/test_a.py", "..\\test_a.py"]
)
def test_a_path_that_leaves_is_refused_by_name(pack: Callable[..., Path], name: str, tmp_path: Path) -> None:
    submission = read_submission(pack(tmp_path, {"test_ok.py": TEST, name: TEST}))
    assert (name, "name") in [
        (file.replace("/", name[2]) if "\\" in name else file, rule) for file, rule in rules(submission)
    ]
    assert paths(submission) == ["test_ok.py"]
    assert sorted(entry.name for entry in tmp_path.iterdir()) in (["suite.zip"], ["suite.tar.gz"])


@PACKERS
@pytest.mark.parametrize("name", ["test_\n.py", "test_\x1b[31m.py", "test_\u202e.py"])
def test_control_characters_in_a_name_are_refused(
    pack: Callable[..., Path], name: str, tmp_path: Path
) -> None:
    assert rules(read_submission(pack(tmp_path, {name: TEST}))) == [(name, "name")]


@PACKERS
def test_two_names_that_differ_in_case_only_are_refused(pack: Callable[..., Path], tmp_path: Path) -> None:
    submission = read_submission(pack(tmp_path, {"test_a.py": TEST, "test_A.py": TEST}))
    assert rules(submission) == [("test_A.py", "name")]


@PACKERS
def test_a_file_above_the_limit_is_refused(pack: Callable[..., Path], tmp_path: Path) -> None:
    submission = read_submission(pack(tmp_path, {"test_a.py": b"#" * (MAX_FILE + 1)}))
    assert rules(submission) == [("test_a.py", "size")]


@PACKERS
def test_too_many_entries_are_refused(
    pack: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.submission.model.MAX_ENTRIES", 20)
    submission = read_submission(pack(tmp_path, {f"data/{i}.txt": b"" for i in range(21)}))
    assert rules(submission) == [("data/20.txt", "count")]


@PACKERS
def test_caches_dot_folders_and_other_files_are_passed_over(
    pack: Callable[..., Path], tmp_path: Path
) -> None:
    files = {
        "test_a.py": TEST,
        ".git/hook.py": TEST,
        "__pycache__/x.py": TEST,
        "__MACOSX/test_a.py": TEST,
        "a.txt": b"",
    }
    assert paths(read_submission(pack(tmp_path, files))) == ["test_a.py"]


def test_links_in_a_zip_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "suite.zip"
    with zipfile.ZipFile(path, "w") as archive:
        entry = zipfile.ZipInfo("test_a.py")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    assert rules(read_submission(path)) == [("test_a.py", "link")]


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        (tarfile.SYMTYPE, "link"),
        (tarfile.LNKTYPE, "link"),
        (tarfile.FIFOTYPE, "device"),
        (tarfile.CHRTYPE, "device"),
        (tarfile.BLKTYPE, "device"),
    ],
)
def test_links_and_devices_in_a_tar_are_refused(kind: bytes, rule: str, tmp_path: Path) -> None:
    path = tmp_path / "suite.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        entry = tarfile.TarInfo("test_a.py")
        entry.type = kind
        entry.linkname = "/etc/passwd"
        archive.addfile(entry)
    assert rules(read_submission(path)) == [("test_a.py", rule)]


def test_a_bomb_in_a_tar_is_measured_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "MAX_UNPACKED", 1 << 20)
    path = pack_tar(tmp_path, {"zeros.bin": bytes(4 << 20), "test_a.py": TEST})
    assert path.stat().st_size < 64 << 10
    assert rules(read_submission(path)) == [("suite.tar.gz", "size")]


def test_a_zip_that_lies_about_a_size_is_measured_while_it_is_read(tmp_path: Path) -> None:
    path = pack_zip(tmp_path, {"test_a.py": bytes(8 << 20)})
    raw = path.read_bytes()
    said = (8 << 20).to_bytes(4, "little")
    assert raw.count(said) == 2
    path.write_bytes(raw.replace(said, (10).to_bytes(4, "little")))
    submission = read_submission(path)
    assert submission.findings
    assert sum(len(file.data) for file in submission.files) <= MAX_FILE


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_zip_is_unpacked_by_no_method_that_takes_what_memory_it_likes(tmp_path: Path, method: int) -> None:
    path = tmp_path / "suite.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("test_a.py", TEST)
    submission = read_submission(path)
    assert rules(submission) == [("suite.zip", "archive")]
    assert "Deflate" in submission.findings[0].message
    assert not submission.files


def test_what_is_not_read_may_be_packed_by_any_method(tmp_path: Path) -> None:
    path = pack_zip(tmp_path, {"test_a.py": TEST})
    with zipfile.ZipFile(path, "a", zipfile.ZIP_LZMA) as archive:
        archive.writestr("notes.txt", b"notes")
    submission = read_submission(path)
    assert (paths(submission), rules(submission)) == (["test_a.py"], [])


# A process that has some room for what it reads, and then none.
READS = """
import resource, sys
from pathlib import Path
from grader.submission import read_submission
pages = int(Path("/proc/self/statm").read_text().split()[0])
room = pages * resource.getpagesize() + (24 << 20)
resource.setrlimit(resource.RLIMIT_AS, (room, room))
print([finding.message for finding in read_submission(Path(sys.argv[1])).findings])
"""


def test_an_archive_that_takes_more_memory_than_there_is_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "suite.tar.gz"
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        entry = tarfile.TarInfo("test_a.py")
        entry.pax_headers = {"comment": "x" * (40 << 20)}
        archive.addfile(entry)
    command = [sys.executable, "-c", READS, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert "the archive cannot be read (MemoryError" in done.stdout, done.stderr


@pytest.mark.parametrize("name", ["suite.zip", "suite.tar.gz", "suite.tar"])
def test_what_is_no_archive_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"not an archive at all")
    assert rules(read_submission(tmp_path / name)) == [(name, "archive")]


def test_a_damaged_gzip_is_refused(tmp_path: Path) -> None:
    path = pack_tar(tmp_path, {"test_a.py": TEST * 100})
    raw = gzip.decompress(path.read_bytes())
    path.write_bytes(gzip.compress(raw)[:-20])
    assert ("suite.tar.gz", "archive") in rules(read_submission(path))
