"""Suites that attack, in the engine as it grades, with no static policy in the way."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.errors import HarnessError
from grader.run import Ending
from grader.workers import wire
from grader.workers.conversation import Job
from grader.workers.pool import Server, Suite
from grader.workers.sandbox import Layer
from grader.workers.wire import Library, Order, Outcome, SuiteFile

from .inside import REQUIRED_HERE, needs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.run import RunResult
    from grader.workers.sandbox import Mode

pytestmark = REQUIRED_HERE
COURSE = Path(__file__).resolve().parents[2]
MARKED = (Path("/tmp"), Path("/dev/shm"), Path("/var/tmp"))  # noqa: S108 - whether a run can write there is the question
FAULT = next((COURSE / "mutants").rglob("*.toml"))

# Each test passes if it was refused. What it imports and reaches for, a policy would not let through.
ATTACKS = f"""
import ctypes, gc, os, socket, subprocess, sys, threading
import numpy as np
import pytest

REFUSED = (PermissionError, FileNotFoundError)

@pytest.mark.parametrize("path", ["/etc/passwd", "/proc/self/environ", "/proc/self/maps", {str(FAULT)!r},
    {str(COURSE / "grader" / "__init__.py")!r}, {str(COURSE / "reference" / "tinyllm" / "__init__.py")!r}])
def test_read(path):
    with pytest.raises(REFUSED):
        open(path, "rb").read()

@pytest.mark.parametrize("path", ["/etc/passwd", {str(FAULT)!r}])
def test_read_by_numpy(path):
    with pytest.raises(REFUSED):
        np.fromfile(path, dtype=np.uint8)
    with pytest.raises(REFUSED):
        np.memmap(path, dtype=np.uint8, mode="r")
    with pytest.raises(REFUSED):
        np.loadtxt(path, dtype=str)

def test_read_by_what_the_request_holds(request):
    with pytest.raises(REFUSED):
        list(request.config.rootpath.parent.iterdir())

@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm", "/var/tmp", os.path.dirname(__file__), ".."])
def test_leave_a_mark(folder):
    with pytest.raises(OSError):
        np.save(os.path.join(folder, "ol-test-mark.npy"), np.zeros(1))

def test_environment():
    assert not [name for name in os.environ if "SECRET" in name]

def test_descriptors():
    opened = []
    for number in range(200):
        try:
            os.fstat(number)
        except OSError:
            continue
        opened.append(number)
    assert opened == [0, 1, 2, 3]

def test_network():
    for make in (socket.socket, socket.socketpair, lambda: socket.socket(socket.AF_UNIX)):
        with pytest.raises(PermissionError):
            make()
    with pytest.raises(OSError):
        socket.getaddrinfo("localhost", 80)

def test_processes():
    with pytest.raises(PermissionError):
        os.fork()
    with pytest.raises(PermissionError):
        subprocess.run(["true"])
    with pytest.raises(PermissionError):
        os.kill(os.getppid() or -1, 9)
    with pytest.raises(RuntimeError):
        threading.Thread(target=print).start()

def test_dumpable():
    assert ctypes.CDLL(None).prctl(4, 1, 0, 0, 0) == -1
"""

HONEST = """
import random, unittest.mock, warnings
import numpy as np
import pytest

def test_files(tmp_path):
    np.savez(tmp_path / "x.npz", a=np.ones(3))
    with np.load(tmp_path / "x.npz") as stored:
        assert stored["a"].sum() == 3
    np.savetxt(tmp_path / "x.txt", np.ones(2))
    assert np.memmap(tmp_path / "m", dtype=float, mode="w+", shape=4).sum() == 0

def test_tmp_path_factory(tmp_path_factory):
    assert tmp_path_factory.mktemp("data").is_dir()

@pytest.mark.parametrize("fixture", ["capsys", "capfd"])
def test_output(fixture, request):
    capture = request.getfixturevalue(fixture)
    print("seen")
    assert capture.readouterr().out == "seen\\n"

def test_lazy_parts_of_numpy():
    assert np.fft.fft(np.ones(2))[0] == 2
    assert np.polynomial.Polynomial([1, 2])(1) == 3
    np.testing.assert_allclose(np.linalg.svd(np.eye(2))[1], 1)

def test_monkeypatch(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    import wave, fractions, decimal, statistics
    assert decimal.Decimal("0.1") * 3 == decimal.Decimal("0.3")

def test_warns_and_mocks():
    with pytest.warns(UserWarning):
        warnings.warn("x")
    with unittest.mock.patch("random.random", return_value=2.0):
        assert random.random() == 2.0

def test_source_lines():
    import inspect, linecache
    assert "linecache" in inspect.getsource(test_source_lines)

@pytest.mark.xfail(raises=AssertionError, strict=True)
def test_a_long_difference():
    assert {"a": list(range(50))} == {"a": list(range(49))}
"""

HYPOTHESIS = """
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

@given(hnp.arrays(float, 3, elements=st.floats(0, 1)), st.dates())
def test_drawn(array, day):
    assert array.shape == (3,)
"""


def graded(server: Server, text: str) -> RunResult:
    """One run of a suite on an empty library."""
    host = server.open(Suite("suite", [SuiteFile("test_it.py", text.encode())]), 1)
    try:
        assert host.prepared.findings == []
        return host.run(Job(wire.Run([], Order.COLLECTION, 0, "00"), 60.0))
    finally:
        host.close()


def _server(mode: Mode) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OL_TEST_SECRET", "planted")
        with Server(mode) as server:
            server.load(Library([], []))
            yield server


@pytest.fixture(scope="module")
def held() -> Iterator[Server]:
    """With the sandbox."""
    yield from _server("require")


@pytest.fixture(scope="module")
def free() -> Iterator[Server]:
    """Without."""
    yield from _server("off")


def not_passed(result: RunResult) -> dict[str, str]:
    fine = {Outcome.PASSED, Outcome.XFAILED}
    return {test: each.message for test, each in result.results.items() if each.outcome not in fine}


def test_what_a_hostile_suite_tries_is_refused(held: Server) -> None:
    result = graded(held, ATTACKS)
    assert not_passed(result) == {}
    assert result.ending is Ending.COMPLETED
    assert len(result.results) > 15


def test_the_same_suite_gets_through_where_the_sandbox_is_off(free: Server) -> None:
    through = not_passed(graded(free, ATTACKS))
    assert {"test_it.py::test_read[/etc/passwd]", "test_it.py::test_network"} <= through.keys()
    for folder in MARKED:
        (folder / "ol-test-mark.npy").unlink(missing_ok=True)


def test_no_mark_was_left(held: Server) -> None:
    graded(held, ATTACKS)
    assert [folder for folder in MARKED if (folder / "ol-test-mark.npy").exists()] == []


def test_an_honest_suite_sees_no_difference(held: Server, free: Server) -> None:
    assert not_passed(graded(held, HONEST)) == not_passed(graded(free, HONEST)) == {}


def test_hypothesis_draws_with_the_sandbox_as_without(held: Server, free: Server) -> None:
    pytest.importorskip("hypothesis")
    assert not_passed(graded(held, HYPOTHESIS)) == not_passed(graded(free, HYPOTHESIS)) == {}


def test_each_limit_has_an_ending_of_its_own(held: Server) -> None:
    overflow = "import ctypes\ndef test_it():\n    ctypes.string_at(0)\n"
    assert signal.SIGSEGV.name in graded(held, overflow).detail
    memory = "def test_it():\n    bytearray(8 << 30)\n"
    assert graded(held, memory).ending is Ending.MEMORY


@needs(Layer.MOUNT_NAMESPACE)
def test_a_full_file_system_is_an_error_that_names_itself(held: Server) -> None:
    fill = "def test_it(tmp_path):\n    for i in range(9):\n        (tmp_path / str(i)).write_bytes(bytes(60 << 20))\n"
    (message,) = not_passed(graded(held, fill)).values()
    assert "No space left on device" in message


def test_a_layer_that_fails_in_a_run_ends_the_grading_and_not_the_sandbox(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The grader believes that this machine has more than it has: a run must not go on with less.
    monkeypatch.setattr("grader.workers.pool.choose", lambda *_mode: Claims(("armour",)))
    with Server() as server:
        server.load(Library([], []))
        with pytest.raises(HarnessError, match="armour"):
            graded(server, HONEST)


@dataclass(frozen=True)
class Claims:
    """Layers that no machine has."""

    names: tuple[str, ...]
