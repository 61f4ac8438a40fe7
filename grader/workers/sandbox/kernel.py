"""The one module that talks to the Linux kernel where Python's `os` does not: system calls by ctypes.

Each function is one call; the manual page of its name describes it. All raise OSError when the kernel refuses.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_GET_NO_NEW_PRIVS = 39
SECCOMP_MODE_FILTER = 2

CLONE_NEWNS = 0x0002_0000
CLONE_NEWIPC = 0x0800_0000
CLONE_NEWUSER = 0x1000_0000
CLONE_NEWPID = 0x2000_0000
CLONE_NEWNET = 0x4000_0000

MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_RDONLY = 2, 4, 8, 1
MS_REC, MS_PRIVATE = 0x4000, 0x4_0000

# One number for all architectures: both calls are younger than the common table.
SYS_LANDLOCK_CREATE_RULESET = 444
SYS_LANDLOCK_ADD_RULE = 445
SYS_LANDLOCK_RESTRICT_SELF = 446
LANDLOCK_CREATE_RULESET_VERSION = 1
LANDLOCK_RULE_PATH_BENEATH = 1

CAPABILITY_VERSION_3 = 0x2008_0522

MACHINE = platform.machine()

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_long = ctypes.c_long


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _call(number: int, *arguments: _long | bytes | None) -> int:
    return _checked(_libc.syscall(_long(number), *arguments))


def prctl(option: int, value: int | ctypes.Structure) -> int:
    """Set or get an attribute of this process."""
    argument = ctypes.byref(value) if isinstance(value, ctypes.Structure) else ctypes.c_ulong(value)
    zero = ctypes.c_ulong(0)
    return _checked(_libc.prctl(ctypes.c_int(option), argument, zero, zero, zero))


def set_seccomp(option: int, program: ctypes.Structure) -> None:
    """Put a filter on this process, for good: prctl(PR_SET_SECCOMP), whose second argument is the mode."""
    zero = ctypes.c_ulong(0)
    _checked(
        _libc.prctl(ctypes.c_int(PR_SET_SECCOMP), ctypes.c_ulong(option), ctypes.byref(program), zero, zero)
    )


def unshare(flags: int) -> None:
    """Move this process into new namespaces (CLONE_NEWPID: its next child)."""
    _checked(_libc.unshare(ctypes.c_int(flags)))


def setns(descriptor: int, kind: int) -> None:
    """Move this process into an existing namespace (CLONE_NEWPID: its next children)."""
    _checked(_libc.setns(ctypes.c_int(descriptor), ctypes.c_int(kind)))


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """Mount a file system, or change how mounts propagate."""
    _checked(
        _libc.mount(
            source.encode(),
            os.fsencode(target),
            kind.encode() if kind else None,
            ctypes.c_ulong(flags),
            options.encode() or None,
        )
    )


def drop_capabilities(kept: int) -> None:
    """Keep of this process's capabilities those in the bit mask `kept` that it has; nothing is inheritable."""
    header = struct.pack("<Ii", CAPABILITY_VERSION_3, 0)
    had = ctypes.create_string_buffer(24)
    _checked(_libc.capget(header, had))
    low, high = (struct.unpack_from("<3I", had.raw, offset)[1] for offset in (0, 12))
    low, high = low & kept, high & (kept >> 32)
    _checked(_libc.capset(header, struct.pack("<6I", low, low, 0, high, high, 0)))


def landlock_abi() -> int:
    """The version of Landlock's interface that the kernel has."""
    return _call(SYS_LANDLOCK_CREATE_RULESET, None, _long(0), _long(LANDLOCK_CREATE_RULESET_VERSION))


def landlock_create_ruleset(attributes: bytes) -> int:
    """A descriptor of a new set of rules."""
    return _call(SYS_LANDLOCK_CREATE_RULESET, attributes, _long(len(attributes)), _long(0))


def landlock_add_path(ruleset: int, parent: int, rights: int) -> None:
    """Allow `rights` on what lies at or below the open path `parent`."""
    attributes = struct.pack("<Qi", rights, parent)
    _call(SYS_LANDLOCK_ADD_RULE, _long(ruleset), _long(LANDLOCK_RULE_PATH_BENEATH), attributes, _long(0))


def landlock_restrict_self(ruleset: int) -> None:
    """Hold this process to the rules, for good."""
    _call(SYS_LANDLOCK_RESTRICT_SELF, _long(ruleset), _long(0))
