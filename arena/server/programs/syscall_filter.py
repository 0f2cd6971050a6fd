"""A filter of system calls that keeps contained programs from what nobody could measure or would clean up.

That is the old kind of shared memory, of message queues and of semaphores (System V): what is in it belongs to no
process, and only processes of the same sandbox can see it. Programs are told that the system has no such thing.

The supervisor loads this file by itself: it needs only the standard library, and only what is cheap to import.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
LOAD, JUMP_IF_EQUAL, MASK, RETURN = 0x20, 0x15, 0x54, 0x06
"""The instructions used: load a word, jump if it is equal, keep some of its bits, return."""
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.ENOSYS
NUMBER_AT, MACHINE_AT = 0, 4
X32_BIT = 0x40000000
"""Set in the numbers of calls of a third kind of program on x86-64, which are otherwise the same."""
REFUSED = {
    0xC000003E: (29, 64, 68),  # x86-64: shmget, semget, msgget
    0x40000003: (117, 395, 393, 399),  # i386: ipc, shmget, semget, msgget
    0xC00000B7: (194, 190, 186),  # AArch64
    0x40000028: (117, 307, 299, 303),  # ARM
    0xC00000F3: (194, 190, 186),  # RISC-V
}
"""By the machine a program is made for, the numbers of the calls that make such things."""


def program() -> bytes:
    """The filter, as the system takes it."""
    words = [(LOAD, 0, 0, MACHINE_AT)]
    for machine, calls in REFUSED.items():
        block = [(LOAD, 0, 0, NUMBER_AT), (MASK, 0, 0, 0xFFFFFFFF ^ X32_BIT)]
        block += [(JUMP_IF_EQUAL, len(calls) - at, 0, call) for at, call in enumerate(calls)]
        block += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE)]
        words += [(JUMP_IF_EQUAL, 0, len(block), machine), *block]
    words.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("=HBBI", *word) for word in words)


def install() -> None:
    """Hold this process, and all it starts, to the filter. Nothing happens where the system has no such filters."""
    code = program()
    kept = ctypes.create_string_buffer(code, len(code))
    whole = struct.pack("@HP", len(code) // 8, ctypes.addressof(kept))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, whole) and ctypes.get_errno() != errno.EINVAL:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
