"""Whatever a run does, its end comes, nothing of it is left, the next run is whole, and nothing of it kills a fault.

What the sandbox forbids and what it lets through differs from machine to machine; each test states the outcome that
holds either way.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from grader.run import CUT_SHORT, Ending
from grader.workers import wire
from grader.workers.wire import Collected, Ended, Finished, Outcome, Started

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.engine.conftest import Bench

HONEST = "def test(): assert 1\n"


@pytest.fixture
def token() -> str:
    """Marks processes; the kernel keeps 15 characters of a process's name."""
    return f"t{uuid4().hex[:12]}"


def marked(token: str) -> list[int]:
    """Processes that bear the token in their name or command line."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "comm").read_bytes() + (process / "cmdline").read_bytes()
        except OSError:
            continue
        if token.encode() in words:
            found.append(int(process.name))
    return found


def test_the_search_for_processes_finds_one(token: str) -> None:
    own = Path("/proc/self/comm")
    before = own.read_text(encoding="utf-8")
    own.write_text(token, encoding="utf-8")
    try:
        assert len(marked(token)) == 1
    finally:
        own.write_text(before, encoding="utf-8")
    assert marked(token) == []


# Processes that it leaves -------------------------------------------------------------------------------------

DAEMONS = {
    "a child": "os.fork() or stay()",
    "a child in a session of its own": "os.fork() or (os.setsid(), stay())",
    "a daemon, forked twice": "os.fork() or (os.setsid(), os.fork() and os._exit(0), stay())",
    "a daemon without descriptors": "os.fork() or (os.setsid(), os.fork() and os._exit(0), os.closerange(0, 99), stay())",
    "another program": "os.fork() or os.execv('/bin/sleep', [TOKEN, '600'])",
    "another program in a session of its own": "os.fork() or (os.setsid(), os.execv('/bin/sleep', [TOKEN, '600']))",
    "many children": "[os.fork() or stay() for _ in range(20)]",
    "children of children": "[os.fork() and stay() for _ in range(8)]; stay() if os.getpid() != ME else None",
    "a subprocess": "subprocess.Popen([TOKEN, '600'], executable='/bin/sleep', start_new_session=True)",
}
STAYING = """
import os, signal, subprocess, time
TOKEN = {token!r}
ME = os.getpid()

def stay():
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    with open("/proc/self/comm", "w") as comm:
        comm.write(TOKEN)
    while True:
        time.sleep(600)

def test():
    {start}
"""


@pytest.mark.parametrize("start", DAEMONS.values(), ids=DAEMONS)
def test_when_the_result_counts_no_process_of_the_run_is_left(bench: Bench, token: str, start: str) -> None:
    host = bench.host(STAYING.format(token=token, start=start))
    for _ in range(2):
        # A result at the deadline would mean that somebody waited for a process that never ends.
        assert bench.run(host).ending is not Ending.TIMEOUT
        assert marked(token) == []


def test_a_run_that_is_ended_at_its_deadline_leaves_no_process_either(bench: Bench, token: str) -> None:
    source = STAYING.format(token=token, start=DAEMONS["a daemon, forked twice"]) + "\n    time.sleep(600)\n"
    bench.run(source, deadline=3)
    assert marked(token) == []


@pytest.mark.parametrize(
    "thread",
    [
        "threading.Thread(target=time.sleep, args=(600,)).start()",
        "threading.Thread(target=time.sleep, args=(600,), daemon=True).start()",
        "concurrent.futures.ThreadPoolExecutor(2).submit(time.sleep, 600)",
    ],
)
def test_a_thread_that_never_ends_delays_nothing(bench: Bench, thread: str) -> None:
    source = f"import concurrent.futures, threading, time\ndef test_a():\n    {thread}\ndef test_b(): pass\n"
    run = bench.run(source)
    assert run.ending is Ending.COMPLETED
    assert run.results["test_it.py::test_b"].outcome is Outcome.PASSED


# Attacks on what stands around it -----------------------------------------------------------------------------

OTHERS = {
    "its keeper": "os.getppid()",
    "its host": "int(open(f'/proc/{os.getppid()}/stat').read().rpartition(')')[2].split()[1])",
}


@pytest.mark.parametrize("signal", ["SIGKILL", "SIGSTOP", "SIGTERM"])
@pytest.mark.parametrize("victim", OTHERS.values(), ids=OTHERS)
def test_a_run_that_signals_its_ancestors_spoils_no_other_run(bench: Bench, victim: str, signal: str) -> None:
    source = f"""
import os, signal
def test():
    try:
        victim = {victim}
    except OSError:
        victim = 0
    if victim > 1:
        os.kill(victim, signal.{signal})
"""
    host = bench.host(source)
    for _ in range(2):
        bench.run(host, deadline=5)
    assert bench.run(HONEST).passed() == {"test_it.py::test"}


def test_a_run_cannot_touch_the_files_of_the_suite_that_later_runs_load(bench: Bench) -> None:
    source = """
import os, pathlib
def test():
    root = pathlib.Path(__file__).parent
    for path in [*root.rglob("*.py"), root / "conftest.py", root.parent / "pytest" / "pytest.ini"]:
        try:
            path.write_text("raise SystemExit")
        except OSError:
            pass
"""
    host = bench.host({"test_a.py": source, "test_b.py": HONEST})
    first, second = bench.run(host), bench.run(host)
    assert first.results.keys() == second.results.keys()
    assert "test_b.py::test" in second.passed()
    assert second.load_failures == {}


# Endings of the process ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "ending", "words"),
    [
        ("os._exit(0)", Ending.EXITED, "exit code 0"),
        ("os._exit(3)", Ending.EXITED, "exit code 3"),
        # abort(3) of the first process of a namespace ends by another signal.
        ("os.abort()", Ending.CRASHED, "ended by SIG"),
        ("ctypes.string_at(0)", Ending.CRASHED, "SIGSEGV"),
        ("os.kill(os.getpid(), 9)", Ending.CRASHED, "SIGKILL"),
        ("raise KeyboardInterrupt", Ending.EXITED, "KeyboardInterrupt"),
        ("pytest.exit('enough', returncode=0)", Ending.EXITED, "enough"),
        ("bytearray(1 << 40)", Ending.MEMORY, "memory limit"),
    ],
)
def test_a_process_that_ends_in_a_test_names_the_test_and_is_never_completed(
    bench: Bench, body: str, ending: Ending, words: str
) -> None:
    run = bench.run(f"import ctypes, os, pytest\ndef test_a(): pass\ndef test_b():\n    {body}\n")
    # The first process of a namespace cannot kill itself: then nothing happened.
    if "os.kill" in body and run.ending is Ending.COMPLETED:
        return
    assert run.ending is ending
    assert words in run.detail
    assert run.passed() == {"test_it.py::test_a"}
    assert run.failed() == []
    if ending is not Ending.MEMORY:
        assert run.current == "test_it.py::test_b"


@pytest.mark.parametrize("body", ["os._exit(0)", "os.abort()", "while True: pass", "os.closerange(0, 99)"])
def test_a_process_that_ends_while_loading_names_the_file(bench: Bench, body: str) -> None:
    run = bench.run({"a/test_x.py": f"import os\n{body}\n", "b/test_x.py": HONEST}, deadline=3)
    assert run.ending in CUT_SHORT
    assert run.current == "a/test_x.py"
    assert "while loading a/test_x.py" in run.detail
    assert run.results == {}


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "time.sleep(600)",
        "pow(10, 10 ** 9, 7 ** (10 ** 7))",
        "signal.sigwait([signal.SIGUSR1])",
    ],
)
def test_a_run_is_ended_from_outside_whatever_it_waits_for(bench: Bench, body: str) -> None:
    source = f"""
import signal, time
for number in set(signal.Signals) - {{signal.SIGKILL, signal.SIGSTOP}}:
    signal.signal(number, signal.SIG_IGN)
def test():
    try:
        {body}
    except BaseException:
        time.sleep(600)
"""
    run = bench.run(source, deadline=2)
    assert run.ending is Ending.TIMEOUT
    assert run.results == {}


def test_a_run_is_ended_as_soon_as_enough_has_been_seen(bench: Bench) -> None:
    source = "import time\ndef test_a(): assert 0\ndef test_b(): time.sleep(600)\n"
    run = bench.run(source, watch=lambda transcript: bool(transcript.results))
    assert run.ending is Ending.STOPPED
    assert list(run.results) == ["test_it.py::test_a"]


# The descriptors ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "flood",
    [
        "print('x' * (1 << 20))",
        "sys.stderr.write('x' * (1 << 20))",
        "os.write(1, b'x' * (1 << 20))",
        "os.write(2, b'x' * (1 << 20))",
    ],
)
def test_tens_of_megabytes_of_output_change_nothing(bench: Bench, flood: str) -> None:
    run = bench.run(f"import os, sys\ndef test():\n    for _ in range(64): {flood}\n")
    assert run.ending is Ending.COMPLETED
    assert run.passed() == {"test_it.py::test"}


@pytest.mark.parametrize("closing", ["os.close(3)", "os.closerange(0, 256)", "os.dup2(os.open('x', 65), 3)"])
def test_a_run_without_its_channel_is_cut_short(bench: Bench, closing: str) -> None:
    run = bench.run(f"import os\ndef test_a(): {closing}\ndef test_b(): assert 0\n")
    assert run.ending in {Ending.EXITED, Ending.CRASHED}
    assert run.failed() == []


@pytest.mark.parametrize(
    "closing", ["os.close(0)", "os.close(1); os.close(2)", "sys.stdout = None", "sys.stderr.close()"]
)
def test_closed_standard_descriptors_change_nothing(bench: Bench, closing: str) -> None:
    run = bench.run(f"import os, sys\ndef test_a(): {closing}\ndef test_b(): assert 1\n")
    assert run.ending is Ending.COMPLETED
    assert len(run.passed()) == 2


def forged(*records: wire.Record) -> bytes:
    return b"".join(wire.frame(record) for record in records)


FORGED = {
    "zeros": b"\0" * 64,
    "text": b"hello, grader\n" * 10,
    "a header of 4 GiB": b"\xff\xff\xff\xff",
    "a body that is no record": b"\0\0\0\2\x91\xc0",
    "a record of the grader's own": forged(wire.Gone(0, 0, 0.0)),
    "the end of a test that did not start": forged(Finished(1, Outcome.FAILED, "forged", "")),
    "a test within a test": forged(Started(1), Finished(1, Outcome.FAILED, "forged", "")),
    "a test that is not there": forged(Started(99)),
    "another collection": forged(Collected(["test_it.py::forged"], last=True)),
    "an end in the middle": forged(Ended(0)),
}


@pytest.mark.parametrize("data", FORGED.values(), ids=FORGED)
def test_forged_records_are_malformed_on_a_correct_program_and_no_kill_on_a_fault(
    bench: Bench, data: bytes
) -> None:
    forging = f"import os\nfrom words.shout import shout\ndef test_a():\n    {{}}os.write(3, {data!r})\ndef test_b(): pass\n"
    run = bench.run(forging.format(""))
    assert run.ending is Ending.CRASHED
    assert "make no sense" in run.detail
    grade = bench.grade(
        forging.format("if shout('a') == 'A': ")
        + "def test_c(): assert shout('ab') == 'Ab!' or 'AB' in shout('ab')\n"
    )
    assert grade.kinds == set()
    assert grade.statuses["s01"] == "crashed"
    assert grade.killers["s01"] == ()


def test_records_without_end_are_malformed_and_held_to_a_bound(bench: Bench) -> None:
    source = "import os\ndef test():\n    while True: os.write(3, DATA)\n"
    endless = forged(wire.Loading("x" * 1000)) * 60
    run = bench.run(source.replace("DATA", repr(endless)))
    assert run.ending is Ending.CRASHED
    assert "more bytes" in run.detail


def test_a_record_that_is_cut_off_by_an_exit_is_no_completed_run(bench: Bench) -> None:
    data = forged(Finished(0, Outcome.PASSED, "", ""))[:-1]
    run = bench.run(f"import os\ndef test():\n    os.write(3, {data!r})\n    os._exit(0)\n")
    assert run.ending is Ending.EXITED
    assert run.results == {}


# What it may replace ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "patch",
    [
        "monkeypatch.setattr('os.write', boom)",
        "monkeypatch.setattr('builtins.open', boom)",
        "monkeypatch.setattr('builtins.print', boom)",
        "monkeypatch.setattr('time.time', boom)",
        "monkeypatch.setattr('os.getpid', boom)",
        "monkeypatch.setattr('os.environ', {})",
        "monkeypatch.setattr('random.random', boom)",
        "monkeypatch.setattr('msgspec.msgpack.encode', boom)",
        "os.environ.clear()",
        "os.chdir('/')",
        "sys.path.clear()",
        "sys.meta_path.clear()",
        "warnings.simplefilter('error')",
        "sys.setrecursionlimit(200)",
        "gc.disable()",
    ],
)
def test_what_a_test_replaces_changes_no_result(bench: Bench, patch: str) -> None:
    source = f"""
import gc, os, sys, warnings
def boom(*args, **kwargs): raise RuntimeError("replaced")
def test_a(monkeypatch):
    {patch}
def test_b(monkeypatch):
    {patch}
    assert 0
def test_c(tmp_path): assert 1
"""
    run = bench.run(source)
    assert run.ending is Ending.COMPLETED
    assert [result.outcome.value for result in run.results.values()] == ["passed", "failed", "passed"]


def test_swallowed_exceptions_hide_nothing_of_a_failing_test(bench: Bench) -> None:
    source = """
import contextlib
def test_a():
    with contextlib.suppress(BaseException):
        assert 0
def test_b():
    try:
        assert 0
    finally:
        return
def test_c(): assert 0
"""
    run = bench.run(source)
    assert run.failed() == ["test_it.py::test_c"]


def test_a_result_does_not_wait_for_what_the_suite_registered_for_its_exit(bench: Bench) -> None:
    source = "import atexit, time\natexit.register(time.sleep, 600)\ndef test(): pass\n"
    before = time.monotonic()
    run = bench.run(source, deadline=300)
    assert run.ending is Ending.COMPLETED
    assert time.monotonic() - before < 300


def test_the_results_of_many_tests_all_arrive_in_their_order(bench: Bench) -> None:
    names: Sequence[str] = [f"test_{i}" for i in range(300)]
    run = bench.run("".join(f"def {name}(): pass\n" for name in names))
    assert [test.partition("::")[2] for test in run.results] == list(names)
