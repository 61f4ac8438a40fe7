"""seccomp: which system calls a run may make."""

from __future__ import annotations

import _thread
import ctypes
import errno
import faulthandler
import fcntl
import os
import platform
import signal
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.workers.sandbox import Layer, calls, seccomp

from .inside import Ground, needs, refused, run_under

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")]
here = needs(Layer.SECCOMP)
root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may do all of this otherwise")
x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of x86-64")

FAMILIES = {
    name: getattr(socket, name)
    for name in ("AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_VSOCK", "AF_PACKET", "AF_ALG")
    if hasattr(socket, name)
}
# Numbers on x86-64, with arguments that do no harm where they are not refused.
RAW: dict[str, tuple[int, ...]] = {
    "ptrace": (101, 0),
    "process_vm_readv": (310, 1, 0, 0, 0, 0, 0),
    "process_vm_writev": (311, 1, 0, 0, 0, 0, 0),
    "kcmp": (312, 0, 0, 99, 0, 0),
    "pidfd_open": (434, 1, 0),
    "pidfd_send_signal": (424, -1, 0, 0, 0),
    "pidfd_getfd": (438, -1, 0, 0),
    "rt_sigqueueinfo": (129, 0x3FFFFFFF, 0, 0),
    "mount": (165, 0, 0, 0, 0, 0),
    "umount2": (166, 0, 0),
    "pivot_root": (155, 0, 0),
    "move_mount": (429, -1, 0, -1, 0, 0),
    "fsopen": (430, 0, 0),
    "open_tree": (428, -1, 0, 0),
    "unshare": (272, 0),
    "setns": (308, -1, 0),
    "clone3": (435, 0, 0),
    "chroot": (161, 0),
    "keyctl": (250, 0, -3, 0),
    "add_key": (248, 0, 0, 0, 0, 0),
    "request_key": (249, 0, 0, 0, 0),
    "shmget": (29, 0, 0, 0),
    "shmat": (30, -1, 0, 0),
    "msgget": (68, 0x6F6C, 0),
    "semget": (64, 0, 0, 0),
    "mq_open": (240, 0, 0, 0, 0),
    "io_uring_setup": (425, 0, 0),
    "io_setup": (206, 0, 0),
    "bpf": (321, -1, 0, 0),
    "perf_event_open": (298, 0, 0, 0, 0, 0),
    "userfaultfd": (323, 0),
    "memfd_create": (319, 0, 0),
    "memfd_secret": (447, -1),
    "name_to_handle_at": (303, -1, 0, 0, 0, 0),
    "open_by_handle_at": (304, -1, 0, 0),
    "inotify_init1": (294, 0),
    "fanotify_init": (300, -1, -1),
    "personality": (135, 0xFFFFFFFF),
    "setpriority": (141, 0, 0, 0),
    "sched_setaffinity": (203, 0, 0, 0),
    "setpgid": (109, 0, -1),
    "mknod": (133, 0, 0, 0),
    "swapon": (167, 0, 0),
    "init_module": (175, 0, 0, 0),
    "kexec_load": (246, 0, 0, 0, -1),
    "syslog": (103, 99, 0, 0),
    "seccomp": (317, 99, 0, 0),
    "landlock_create_ruleset": (444, 0, 0, 1),
    "openat2": (437, -1, 0, 0, 0),
}

FORBIDDEN: dict[str, Callable[[Ground], object]] = {
    "a pair of sockets": lambda _: bool(socket.socketpair()),
    "a signal to its keeper": lambda g: os.kill(g.parent, 0),
    "a signal to everyone": lambda _: os.kill(-1, 0),
    "a signal to its group": lambda _: os.kill(0, 0),
    "a fork": lambda _: os.fork() or os._exit(0),
    "a thread": lambda _: _a_thread(),
    "a change of rights": lambda g: g.secret.chmod(0o600),
    "a change of owner": lambda g: os.chown(g.secret, -1, -1),
    "a change of times": lambda g: os.utime(g.secret),
    "an attribute": lambda g: os.setxattr(g.secret, "user.mark", b"1"),
    "truncating by path": lambda g: os.truncate(g.secret, 0),
    "truncating while opening to read": lambda g: os.open(g.secret, os.O_RDONLY | os.O_TRUNC),
    "a lock on a file": lambda g: fcntl.flock(os.open(g.secret, os.O_RDONLY), fcntl.LOCK_SH),
    "a record lock": lambda g: fcntl.lockf(os.open(g.secret, os.O_RDONLY), fcntl.LOCK_SH),
    "a fifo": lambda g: os.mkfifo(g.temp / "fifo"),
    "being dumpable again": lambda _: _checked(ctypes.CDLL(None, use_errno=True).prctl, 4, 1, 0, 0, 0),
    "outliving its keeper": lambda _: _checked(ctypes.CDLL(None, use_errno=True).prctl, 1, 0, 0, 0, 0),
    "a limit of another process": lambda g: _checked(
        ctypes.CDLL(None, use_errno=True).prlimit, g.parent, 7, None, None
    ),
}


def _a_socket(family: int) -> None:
    kind = {"AF_NETLINK": socket.SOCK_RAW, "AF_ALG": socket.SOCK_SEQPACKET}
    name = socket.AddressFamily(family).name
    socket.socket(
        family, kind.get(name, socket.SOCK_DGRAM if name != "AF_VSOCK" else socket.SOCK_STREAM)
    ).close()


def _a_thread() -> None:
    try:
        _thread.start_new_thread(lambda: None, ())
    except RuntimeError as error:
        raise OSError(errno.EPERM, str(error)) from error


def _checked(function: Any, *arguments: Any) -> int:
    result: int = function(*arguments)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _raw(*numbers: int) -> int:
    syscall = ctypes.CDLL(None, use_errno=True).syscall
    return _checked(syscall, *(ctypes.c_long(number) for number in numbers))


@here
@pytest.mark.parametrize("what", FORBIDDEN)
def test_a_run_gets_no(what: str, ground: Ground) -> None:
    assert refused(run_under([Layer.SECCOMP], FORBIDDEN[what], ground))
    assert ground.secret.read_text() == "secret\n"


@root
@pytest.mark.parametrize("what", FORBIDDEN)
def test_without_seccomp_it_would_get(what: str, ground: Ground) -> None:
    assert not refused(run_under([], FORBIDDEN[what], ground))


@here
@pytest.mark.parametrize("family", FAMILIES)
def test_a_run_gets_no_socket(family: str, ground: Ground) -> None:
    assert refused(run_under([Layer.SECCOMP], lambda _: _a_socket(FAMILIES[family]), ground))


@root
@pytest.mark.parametrize("family", FAMILIES)
def test_without_seccomp_it_would_get_a_socket(family: str, ground: Ground) -> None:
    assert not refused(run_under([], lambda _: _a_socket(FAMILIES[family]), ground))


@here
def test_a_run_starts_no_program(ground: Ground) -> None:
    def start(_ground: Ground) -> None:
        os.execv("/bin/true", ["true"])  # noqa: S606 - that it is refused is the point

    assert refused(run_under([Layer.SECCOMP], start, ground))
    assert run_under([], start, ground) == 0


@x86
@here
@pytest.mark.parametrize("name", RAW)
def test_the_call_is_refused(name: str, ground: Ground) -> None:
    result = run_under([Layer.SECCOMP], lambda _: _raw(*RAW[name]), ground)
    assert isinstance(result, OSError)
    assert result.errno == errno.EPERM


@x86
@root
@pytest.mark.parametrize("name", RAW)
def test_without_seccomp_the_call_is_not_refused(name: str, ground: Ground) -> None:
    result = run_under([], lambda _: _raw(*RAW[name]), ground)
    assert not (isinstance(result, OSError) and result.errno == errno.EPERM)


@x86
@here
def test_every_number_that_is_not_in_the_table_is_refused(ground: Ground) -> None:
    allowed = {*calls.allowed_on("x86_64"), *(call.x86_64 for call in calls.CHECKED)}
    # Newer kernels let these two through every filter, and end a process that calls them from anywhere but a probe.
    probes = {335, 336}
    others = [number for number in range(calls.HIGHEST + 1) if number not in allowed | probes]

    def answers(_ground: Ground) -> set[int]:
        if not refused(_caught(lambda: _raw(*RAW["io_uring_setup"]))):
            raise AssertionError("no filter: nothing else must be tried")
        return {_error_number(number) for number in others}

    assert len(others) > 250
    assert run_under([Layer.SECCOMP], answers, ground) == {errno.EPERM}


def _error_number(number: int) -> int:
    error = _caught(lambda: _raw(number, 0, 0, 0, 0, 0, 0))
    return (error.errno or 0) if isinstance(error, OSError) else 0


def _caught(act: Callable[[], object]) -> object:
    try:
        return act()
    except OSError as error:
        return error


@x86
@here
def test_a_call_that_is_newer_than_the_table_is_unknown(ground: Ground) -> None:
    result = run_under([Layer.SECCOMP], lambda _: _raw(calls.HIGHEST + 1), ground)
    assert isinstance(result, OSError)
    assert result.errno == errno.ENOSYS


@x86
@here
def test_a_call_by_the_x32_table_ends_the_run(ground: Ground) -> None:
    assert run_under([Layer.SECCOMP], lambda _: _raw(calls.X32_BIT | 39), ground) == -signal.SIGSYS


@here
def test_a_run_may_end_itself_by_a_signal(ground: Ground) -> None:
    def abort(_ground: Ground) -> None:
        faulthandler.disable()
        os.abort()

    assert run_under([Layer.SECCOMP], abort, ground) == -signal.SIGABRT
    assert (
        run_under([Layer.SECCOMP], lambda _: os.kill(os.getpid(), signal.SIGTERM), ground) == -signal.SIGTERM
    )


def _signal_itself() -> None:
    signal.signal(signal.SIGUSR1, lambda *_: None)
    signal.raise_signal(signal.SIGUSR1)


ALLOWED: dict[str, Callable[[Ground], object]] = {
    "write and read a file": lambda g: (g.temp / "x").write_text("x") and (g.temp / "x").read_text(),
    "touch a file": lambda g: (g.temp / "new").touch(),
    "make a pipe": lambda _: os.pipe(),
    "draw randomness": lambda _: os.urandom(8),
    "sleep": lambda _: __import__("time").sleep(0.001),
    "ask whether this is a terminal": lambda _: os.isatty(0),
    "handle a signal of its own": lambda _: _signal_itself(),
    "set an alarm": lambda _: signal.setitimer(signal.ITIMER_REAL, 10),
    "duplicate descriptors": lambda _: os.close(os.dup(0)),
    "map memory": lambda _: bytearray(8 << 20),
}


@here
@pytest.mark.parametrize("what", ALLOWED)
def test_a_run_may(what: str, ground: Ground) -> None:
    result = run_under([Layer.SECCOMP], ALLOWED[what], ground)
    assert not isinstance(result, BaseException), result


# --------------------------------------------------------------------------- the filter, without a kernel

ARCH = calls.AUDIT_ARCH


def verdict(steps: list[seccomp.Step], arch: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """What the kernel would return: an interpreter of the instructions that the filter uses."""
    words = {seccomp.NUMBER: number, seccomp.ARCHITECTURE: arch}
    words |= {seccomp.ARGUMENTS + 8 * index: value & 0xFFFF_FFFF for index, value in enumerate(arguments)}
    tests: dict[int, Callable[[int, int], bool]] = {
        seccomp.JUMP_EQ: lambda a, k: a == k,
        seccomp.JUMP_GT: lambda a, k: a > k,
        seccomp.JUMP_GE: lambda a, k: a >= k,
        seccomp.JUMP_BITS: lambda a, k: bool(a & k),
    }
    at = accumulator = 0
    while steps[at].code != seccomp.RETURN:
        step = steps[at]
        if step.code == seccomp.LOAD:
            accumulator = words.get(step.value, 0)
        elif step.code == seccomp.AND:
            accumulator &= step.value
        else:
            at += step.yes if tests[step.code](accumulator, step.value) else step.no
        at += 1
    return steps[at].value


@pytest.mark.parametrize("machine", ARCH)
def test_the_filter_allows_exactly_its_table(machine: str) -> None:
    steps = seccomp.program(machine)
    checked = {call.x86_64 if machine == "x86_64" else call.aarch64 for call in calls.CHECKED}
    allowed = set(calls.allowed_on(machine))
    for number in set(range(calls.HIGHEST + 1)) - checked:
        expected = seccomp.ALLOW if number in allowed else seccomp.REFUSE
        assert verdict(steps, ARCH[machine], number) == expected, number
    assert verdict(steps, ARCH[machine], calls.HIGHEST + 1) == seccomp.UNKNOWN


@pytest.mark.parametrize("machine", ARCH)
@pytest.mark.parametrize("call", calls.CHECKED, ids=lambda call: call.name)
def test_a_checked_call_is_allowed_by_its_argument_alone(machine: str, call: calls.Checked) -> None:
    number = call.x86_64 if machine == "x86_64" else call.aarch64
    if number is None:
        return
    steps = seccomp.program(machine)

    def answer(value: int) -> int:
        return verdict(steps, ARCH[machine], number, (*[0] * call.argument, value))

    assert {answer(value) for value in call.values} == {seccomp.ALLOW}
    assert answer(7 if call.name not in {"openat", "open"} else os.O_TRUNC) == seccomp.REFUSE
    # The upper half of the register is not looked at by the kernel's own argument types either.
    assert answer(call.values[0] & 0xFFFF_FFFF | 1 << 40) == seccomp.ALLOW


@pytest.mark.parametrize("machine", ARCH)
def test_another_architecture_ends_the_run(machine: str) -> None:
    steps = seccomp.program(machine)
    assert verdict(steps, 0x4000_0003, 1) == seccomp.KILL


def test_no_number_stands_twice_in_the_table() -> None:
    for machine in ARCH:
        numbers = calls.allowed_on(machine)
        assert len(numbers) == len(set(numbers))


def test_every_jump_fits_into_its_byte() -> None:
    for machine in ARCH:
        assert max(max(step.yes, step.no) for step in seccomp.program(machine)) < 256


def test_there_is_no_filter_for_an_unknown_architecture() -> None:
    with pytest.raises(KeyError):
        seccomp.Filter("riscv64")


def test_reading_a_file_of_the_tables_is_what_the_kernel_calls_it() -> None:
    header = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
    if not header.exists():
        pytest.skip("no kernel headers here")
    known = dict(
        line.split()[1:3] for line in header.read_text().splitlines() if line.startswith("#define __NR_")
    )
    named = {name: number for group in calls.ALLOWED.values() for name, number, _arm in group}
    named |= {call.name: call.x86_64 for call in calls.CHECKED}
    assert {name: int(known[f"__NR_{name}"]) for name in named} == named
