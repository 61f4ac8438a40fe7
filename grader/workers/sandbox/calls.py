"""The system calls that a run may make, as data. Every other one is refused with EPERM.

A number is None where an architecture lacks the call. From the kernel's `asm/unistd_64.h` and `asm-generic/unistd.h`.

What is missing here is missing on purpose. Sockets of every kind, socketpair(2) too: a datagram one can be connected
anew. New processes *and threads*: a run is one thread, so there is no bomb, no daemon and no race; no rlimit holds root
to that. exec, ptrace, process_vm_*, pidfds, keyrings, io_uring, bpf, perf, userfaultfd, memfd, System V and POSIX
queues and memory, file locks, inotify: each of them harms, or outlives a run, or lets runs signal one another.
chmod, chown, utime and truncate by path: Landlock does not look at the first three, nor before ABI 3 at the last.
prctl: it would undo "not dumpable" and the death signal.
"""

from __future__ import annotations

from typing import NamedTuple

AUDIT_ARCH = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
X32_BIT = 0x4000_0000
# Above it is what the tables of kernel 6.6 do not know: answered with ENOSYS, so that a library falls back.
HIGHEST = 456

ALLOWED: dict[str, tuple[tuple[str, int | None, int | None], ...]] = {
    "reading and writing what is open": (
        ("read", 0, 63),
        ("write", 1, 64),
        ("readv", 19, 65),
        ("writev", 20, 66),
        ("pread64", 17, 67),
        ("pwrite64", 18, 68),
        ("preadv", 295, 69),
        ("pwritev", 296, 70),
        ("lseek", 8, 62),
        ("ftruncate", 77, 46),
        ("fallocate", 285, 47),
        ("fsync", 74, 82),
        ("fdatasync", 75, 83),
        ("fadvise64", 221, 223),
        ("sendfile", 40, 71),
        ("copy_file_range", 326, 285),
        ("close", 3, 57),
        ("close_range", 436, 436),
        ("dup", 32, 23),
        ("dup2", 33, None),
        ("dup3", 292, 24),
        ("pipe", 22, None),
        ("pipe2", 293, 59),
    ),
    "files by path; Landlock says which": (
        ("mkdir", 83, None),
        ("mkdirat", 258, 34),
        ("rmdir", 84, None),
        ("unlink", 87, None),
        ("unlinkat", 263, 35),
        ("rename", 82, None),
        ("renameat", 264, 38),
        ("renameat2", 316, 276),
        ("link", 86, None),
        ("linkat", 265, 37),
        ("symlink", 88, None),
        ("symlinkat", 266, 36),
        ("getdents", 78, None),
        ("getdents64", 217, 61),
        ("chdir", 80, 49),
        ("fchdir", 81, 50),
        ("getcwd", 79, 17),
        ("umask", 95, 166),
    ),
    "facts about files": (
        ("stat", 4, None),
        ("lstat", 6, None),
        ("fstat", 5, 80),
        ("newfstatat", 262, 79),
        ("statx", 332, 291),
        ("access", 21, None),
        ("faccessat", 269, 48),
        ("faccessat2", 439, 439),
        ("readlink", 89, None),
        ("readlinkat", 267, 78),
        ("statfs", 137, 43),
        ("fstatfs", 138, 44),
    ),
    "waiting on descriptors": (
        ("poll", 7, None),
        ("ppoll", 271, 73),
        ("select", 23, None),
        ("pselect6", 270, 72),
    ),
    "its own memory": (
        ("mmap", 9, 222),
        ("mprotect", 10, 226),
        ("munmap", 11, 215),
        ("mremap", 25, 216),
        ("madvise", 28, 233),
        ("brk", 12, 214),
    ),
    "locks and the scheduler": (
        ("futex", 202, 98),
        ("set_robust_list", 273, 99),
        ("rseq", 334, 293),
        ("restart_syscall", 219, 128),
        ("sched_yield", 24, 124),
        ("sched_getaffinity", 204, 123),
        ("getcpu", 309, 168),
    ),
    "its own signals": (
        ("rt_sigaction", 13, 134),
        ("rt_sigprocmask", 14, 135),
        ("rt_sigreturn", 15, 139),
        ("rt_sigpending", 127, 136),
        ("rt_sigtimedwait", 128, 137),
        ("rt_sigsuspend", 130, 133),
        ("sigaltstack", 131, 132),
        ("pause", 34, None),
        ("alarm", 37, None),
        ("getitimer", 36, 102),
        ("setitimer", 38, 103),
    ),
    "time and randomness": (
        ("nanosleep", 35, 101),
        ("clock_nanosleep", 230, 115),
        ("clock_gettime", 228, 113),
        ("clock_getres", 229, 114),
        ("gettimeofday", 96, 169),
        ("time", 201, None),
        ("times", 100, 153),
        ("getrandom", 318, 278),
    ),
    "facts about itself and the machine": (
        ("getpid", 39, 172),
        ("gettid", 186, 178),
        ("getppid", 110, 173),
        ("getuid", 102, 174),
        ("geteuid", 107, 175),
        ("getgid", 104, 176),
        ("getegid", 108, 177),
        ("getresuid", 118, 148),
        ("getresgid", 120, 150),
        ("getgroups", 115, 158),
        ("getrlimit", 97, 163),
        ("setrlimit", 160, 164),
        ("getrusage", 98, 165),
        ("sysinfo", 99, 179),
        ("uname", 63, 160),
        ("wait4", 61, 260),
        ("waitid", 247, 95),
    ),
    "its end": (
        ("exit", 60, 93),
        ("exit_group", 231, 94),
    ),
}


class Checked(NamedTuple):
    """A call that is allowed by one argument: its low 32 bits, under `mask`, must be among `values`.

    `OWN_PID` among the values stands for the run's own process id.
    """

    name: str
    x86_64: int | None
    aarch64: int | None
    argument: int
    values: tuple[int, ...]
    mask: int = 0xFFFF_FFFF


OWN_PID = -1
O_ACCMODE, O_TRUNC = 0o3, 0o1000
# Truncating needs opening for writing: before ABI 3 Landlock lets O_RDONLY | O_TRUNC through.
_TRUNCATION = (0, 1, 2, 3, O_TRUNC | 1, O_TRUNC | 2)
# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC: no locks, no leases, no signals to others.
_FCNTL = (0, 1, 2, 3, 4, 1030)
# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX: nothing that types into a terminal or sets a flag of a file.
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)

CHECKED: tuple[Checked, ...] = (
    Checked("open", 2, None, 1, _TRUNCATION, O_ACCMODE | O_TRUNC),
    Checked("openat", 257, 56, 2, _TRUNCATION, O_ACCMODE | O_TRUNC),
    Checked("fcntl", 72, 25, 1, _FCNTL),
    Checked("ioctl", 16, 29, 1, _IOCTL),
    Checked("kill", 62, 129, 0, (OWN_PID,)),
    Checked("tkill", 200, 130, 0, (OWN_PID,)),
    Checked("tgkill", 234, 131, 0, (OWN_PID,)),
    Checked("prlimit64", 302, 261, 0, (0, OWN_PID)),
)


def allowed_on(machine: str) -> list[int]:
    """Numbers of the calls that are allowed whatever their arguments."""
    column = 1 if machine == "x86_64" else 2
    numbers = [entry[column] for group in ALLOWED.values() for entry in group]
    return sorted(number for number in numbers if isinstance(number, int))
