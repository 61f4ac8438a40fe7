"""The filter of system calls: the tables of `calls` as a program for the kernel's classic BPF machine, seccomp(2).

A call from another architecture's table, or from x32's, ends the run: nothing honest makes one. A call that is newer
than the tables gets ENOSYS, every other one EPERM.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from grader.workers.sandbox import calls, kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

LOAD, JUMP_EQ, JUMP_GT, JUMP_GE, JUMP_BITS, AND, RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x54, 0x06
# Offsets in the kernel's struct seccomp_data; both architectures are little-endian, so an argument's low half is first.
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
ALLOW = 0x7FFF_0000
KILL = 0x8000_0000
REFUSE = 0x0005_0000 | errno.EPERM
UNKNOWN = 0x0005_0000 | errno.ENOSYS
OWN_PID = 0xFFFF_FFFF  # no process has it


class Step(NamedTuple):
    """One instruction; `yes` and `no` are how many instructions a jump skips."""

    code: int
    value: int
    yes: int = 0
    no: int = 0


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_void_p))


class Filter:
    """The filter, made as far as it can be before a run is forked.

    Raises:
        KeyError: there is no table for this architecture.
    """

    def __init__(self, machine: str = kernel.MACHINE) -> None:
        steps = program(machine)
        self._own_pid = [8 * index + 4 for index, step in enumerate(steps) if step[:2] == (JUMP_EQ, OWN_PID)]
        data = assemble(steps)
        self._data = ctypes.create_string_buffer(data, len(data))

    def enter(self) -> None:
        """Hold this process to the tables, for good. Needs `no_new_privs`.

        Raises:
            OSError: the kernel has no seccomp filters.
        """
        for offset in self._own_pid:
            struct.pack_into("<I", self._data, offset, os.getpid())
        steps = _Program(len(self._data) // 8, ctypes.cast(self._data, ctypes.c_void_p))
        kernel.set_seccomp(kernel.SECCOMP_MODE_FILTER, steps)


def assemble(steps: Sequence[Step]) -> bytes:
    """The instructions as the kernel's array of struct sock_filter."""
    return b"".join(struct.pack("<HBBI", step.code, step.yes, step.no, step.value) for step in steps)


def program(machine: str) -> list[Step]:
    """The filter for an architecture; OWN_PID stands where the process id goes."""
    steps = [
        Step(LOAD, ARCHITECTURE),
        Step(JUMP_EQ, calls.AUDIT_ARCH[machine], yes=1),
        Step(RETURN, KILL),
        Step(LOAD, NUMBER),
    ]
    if machine == "x86_64":
        steps += [Step(JUMP_BITS, calls.X32_BIT, no=1), Step(RETURN, KILL)]
    for call in calls.CHECKED:
        steps += _checked(call, call.x86_64 if machine == "x86_64" else call.aarch64)
    return [*steps, *_plain(machine)]


def _checked(call: calls.Checked, number: int | None) -> list[Step]:
    if number is None:
        return []
    values = [OWN_PID if value == calls.OWN_PID else value for value in call.values]
    body = [Step(LOAD, ARGUMENTS + 8 * call.argument), Step(AND, call.mask)]
    body += [Step(JUMP_EQ, value, yes=len(values) - index) for index, value in enumerate(values)]
    body += [Step(RETURN, REFUSE), Step(RETURN, ALLOW)]
    return [Step(JUMP_EQ, number, no=len(body)), *body]


@cache
def _plain(machine: str) -> tuple[Step, ...]:
    newer = (Step(JUMP_GT, calls.HIGHEST, no=1), Step(RETURN, UNKNOWN))
    return (*newer, *_search(_intervals(calls.allowed_on(machine))))


def _intervals(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Runs of neighbours in a sorted sequence, as first and last."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def _search(intervals: Sequence[tuple[int, int]]) -> list[Step]:
    """Allow what lies in an interval, refuse the rest: a binary search, since each step costs every call."""
    if len(intervals) == 1:
        first, last = intervals[0]
        return [
            Step(JUMP_GE, first, no=2),
            Step(JUMP_GT, last, yes=1),
            Step(RETURN, ALLOW),
            Step(RETURN, REFUSE),
        ]
    middle = len(intervals) // 2
    lower, upper = _search(intervals[:middle]), _search(intervals[middle:])
    return [Step(JUMP_GE, intervals[middle][0], yes=len(lower)), *lower, *upper]
