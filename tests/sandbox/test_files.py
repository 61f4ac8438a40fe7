"""Landlock: what a run may read and write. Each refusal also shows that without the layer it would not be one."""

from __future__ import annotations

import errno
import importlib
import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from grader.workers.sandbox import Layer, kernel, landlock, paths

from .inside import FULL, Ground, needs, refused, run_under

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [
    needs(Layer.LANDLOCK),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),
]
COURSE = Path(__file__).resolve().parents[2]
FAULT = next((COURSE / "mutants").rglob("*.toml"))
SITE_PACKAGES = Path(np.__file__).parents[1]
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - what is looked at is whether a run can
ABI = kernel.landlock_abi() if Layer.LANDLOCK in FULL else 0


def _through_a_link(ground: Ground) -> str:
    link = ground.temp / "link"
    link.symlink_to(ground.secret)
    return link.read_text()


def _remove_again(path: Path) -> None:
    path.write_text("")
    path.unlink()


FORBIDDEN: dict[str, Callable[[Ground], object]] = {
    "read a file of the machine": lambda _: Path("/etc/passwd").read_text(),
    "list the home folder": lambda _: list(Path.home().iterdir()),
    "list the root folder": lambda _: list(Path("/").iterdir()),
    "read its keeper's environment": lambda g: Path(f"/proc/{g.parent}/environ").read_bytes(),
    "read its own memory map": lambda _: Path("/proc/self/maps").read_text(),
    "read the folder of another run": lambda g: (g.sibling / "notes").read_text(),
    "list the folders of all runs": lambda g: list(g.home.iterdir()),
    "read a fault": lambda _: FAULT.read_text(),
    "read the reference": lambda _: (COURSE / "reference/tinyllm/__init__.py").read_text(),
    "read the grader's own code": lambda _: Path(landlock.__file__).read_text(),
    "list the installed packages": lambda _: list(SITE_PACKAGES.iterdir()),
    "read a package that no suite needs": lambda _: (SITE_PACKAGES / "click/__init__.py").read_text(),
    "read shared memory": lambda _: list(SHARED_MEMORY.iterdir()),
    "write to its suite": lambda g: (g.suite / "test_it.py").write_text("x = 2\n"),
    "add to its suite": lambda g: (g.suite / "conftest.py").write_text(""),
    "write to the folder of another run": lambda g: (g.sibling / "notes").write_text("mine"),
    "leave a file beside its folder": lambda g: (g.home / "marker").write_text(""),
    "leave a folder beside its own": lambda g: (g.home / "marker").mkdir(),
    "write elsewhere": lambda g: g.secret.write_text("mine"),
    "empty a file elsewhere": lambda g: os.open(g.secret, os.O_WRONLY | os.O_TRUNC),
    "remove a file elsewhere": lambda g: g.secret.unlink(),
    "remove a folder elsewhere": lambda g: g.sibling.rename(g.temp / "taken"),
    "read through a symbolic link": _through_a_link,
    "read through a hard link": lambda g: os.link(g.secret, g.temp / "hard"),
    "read through a descriptor's name": lambda _: Path("/proc/self/root/etc/passwd").read_text(),
    "put shared memory in place": lambda _: _remove_again(SHARED_MEMORY / "ol-test-marker"),
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_a_run_may_not(what: str, ground: Ground) -> None:
    result = run_under([Layer.LANDLOCK], FORBIDDEN[what], ground)
    across = (
        isinstance(result, OSError) and result.errno == errno.EXDEV
    )  # how a move between folders is refused
    assert refused(result) or across


@pytest.mark.parametrize("what", FORBIDDEN)
def test_without_landlock_it_could(what: str, ground: Ground) -> None:
    result = run_under([], FORBIDDEN[what], ground)
    assert not isinstance(result, OSError), result


ALLOWED: dict[str, Callable[[Ground], object]] = {
    "read its suite": lambda g: (g.suite / "test_it.py").read_text(),
    "list its suite": lambda g: list(g.suite.iterdir()),
    "write, move and remove in its own folder": lambda g: _live_in(g.temp),
    "import from the standard library": lambda _: _import_anew("wave"),
    "import from packages after the listings were called stale": lambda _: _import_stale(
        "wave", "packaging.tags"
    ),
    "read numpy": lambda _: Path(np.__file__).read_bytes(),
    "list numpy": lambda _: list(Path(np.__file__).parent.iterdir()),
    "read randomness as a file": lambda _: os.read(os.open("/dev/urandom", os.O_RDONLY), 4),
    "write to the null device": lambda _: Path(os.devnull).write_text("x"),
    "ask whether a file exists": lambda _: Path("/etc/passwd").exists(),
}


def _live_in(folder: Path) -> None:
    (folder / "a").mkdir()
    (folder / "a/x").write_text("12345")
    os.truncate(folder / "a/x", 2)
    (folder / "a/x").rename(folder / "y")
    (folder / "link").symlink_to("y")
    assert (folder / "link").read_text() == "12"
    (folder / "y").unlink()
    (folder / "a").rmdir()


def _import_anew(*names: str) -> None:
    for name in names:
        sys.modules.pop(name, None)
        importlib.import_module(name)


def _import_stale(*names: str) -> None:
    importlib.invalidate_caches()
    _import_anew(*names)


@pytest.mark.parametrize("what", ALLOWED)
def test_a_run_may(what: str, ground: Ground) -> None:
    result = run_under([Layer.LANDLOCK], ALLOWED[what], ground)
    assert not isinstance(result, BaseException), result


def test_what_the_course_names_can_be_read_and_not_written(ground: Ground) -> None:
    read, write = (
        run_under([Layer.LANDLOCK], act, ground, readable=[str(ground.outside)])
        for act in (lambda g: g.secret.read_text(), lambda g: g.secret.write_text(""))
    )
    assert read == "secret\n"
    assert refused(write)


def _connect(ground: Ground) -> Any:
    del ground
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", 9))


@pytest.mark.skipif(ABI < 4, reason="Landlock has TCP rules from version 4 on")
def test_no_tcp_connection_even_without_seccomp(ground: Ground) -> None:
    assert run_under([Layer.LANDLOCK], _connect, ground) == errno.EACCES
    assert run_under([], _connect, ground) == errno.ECONNREFUSED


@pytest.mark.skipif(ABI < 6, reason="Landlock has signal scopes from version 6 on")
def test_no_signal_to_the_keeper_even_without_seccomp(ground: Ground) -> None:
    def probe(ground: Ground) -> None:
        os.kill(ground.parent, 0)

    assert refused(run_under([Layer.LANDLOCK], probe, ground))
    assert run_under([], probe, ground) is None


@pytest.mark.skipif(ABI < 6, reason="Landlock has socket scopes from version 6 on")
def test_no_abstract_socket_of_another_process_even_without_seccomp(ground: Ground) -> None:
    name = f"\0ol-test-{os.getpid()}"

    def connect(_ground: Ground) -> None:
        with socket.socket(socket.AF_UNIX) as sock:
            sock.connect(name)

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(name)
        listening.listen()
        assert refused(run_under([Layer.LANDLOCK], connect, ground))
        assert run_under([], connect, ground) is None


def test_no_folder_of_other_packages_counts_as_standard_library() -> None:
    names = {Path(path).name for path in landlock.standard_library()}
    assert "json" in names
    assert not names & paths.NOT_STANDARD_LIBRARY


def test_a_home_inside_a_readable_folder_closes_that_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert str(tmp_path) in landlock.folders("/nowhere")
    assert str(tmp_path) not in landlock.folders(str(tmp_path / "home"))


@pytest.mark.parametrize(("abi", "rights"), [(1, 13), (2, 14), (3, 15), (4, 15), (5, 16), (6, 16), (9, 16)])
def test_each_version_of_the_interface_handles_the_rights_that_it_knows(abi: int, rights: int) -> None:
    assert landlock.handled(abi) == 2**rights - 1
