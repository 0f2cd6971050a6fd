"""A filter of system calls for contained programs: it fills the gaps of bubblewrap and Landlock.

With both it refuses calls that no program needs to play a game. Without bubblewrap, the files,
processes and network of the machine are there, and Landlock only keeps programs from opening files.
Then the filter also refuses calls that change a file without opening it, calls that act on other
processes, and all sockets but Unix ones.

The supervisor loads this file by itself: it needs only the standard library, and only what is cheap
to import.
"""

import ctypes
import errno
import os
import struct

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
LOAD, MASK, RETURN = 0x20, 0x54, 0x06
JUMP_IF_EQUAL, JUMP_IF_AT_LEAST = 0x15, 0x35
"""The instructions: load a word, keep some of its bits, return; jump if equal, or not less."""
NUMBER_AT, MACHINE_AT, ARGUMENTS_AT = 0, 4, 16
ALLOW, FORBID, NO_SUCH_CALL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS

X86_64, I386, ARM = 0xC000003E, 0x40000003, 0x40000028
AARCH64, RISCV64, LOONGARCH64 = 0xC00000B7, 0xC00000F3, 0xC0000102
X32_BIT = 0x40000000
"""Set in the numbers of calls of a third kind of program on x86-64, which is out of use."""
X86, ARMS = ((X86_64, 0), (I386, 1)), ((AARCH64, 3), (ARM, 2))
MACHINES = {
    **dict.fromkeys(("x86_64", "i386", "i486", "i586", "i686"), X86),
    **dict.fromkeys(("aarch64", "armv6l", "armv7l", "armv8l"), ARMS),
    "riscv64": ((RISCV64, 3),),
    "loongarch64": ((LOONGARCH64, 3),),
}
"""Kinds of program that a machine of this name can run, with their columns in the tables below."""

Numbers = tuple[int, int, int, int]
Check = tuple[int, int, tuple[int, ...]]
Condition = tuple[Numbers, tuple[Check, ...]]
Word = tuple[int, int, int, int]
"""An instruction: code, words to skip if true and if false, and its number."""
NONE = -1
GONE: dict[str, Numbers] = {  # System V: what is in it belongs to no process
    "shmget": (29, 395, 307, 194),
    "shmat": (30, 397, 305, 196),
    "shmctl": (31, 396, 308, 195),
    "semget": (64, 393, 299, 190),
    "semop": (65, NONE, 298, 193),
    "semctl": (66, 394, 300, 191),
    "semtimedop": (220, NONE, 312, 192),
    "semtimedop_time64": (NONE, 420, 420, NONE),
    "msgget": (68, 399, 303, 186),
    "msgsnd": (69, 400, 301, 189),
    "msgrcv": (70, 401, 302, 188),
    "msgctl": (71, 402, 304, 187),
    "ipc": (NONE, 117, NONE, NONE),
}
"""Calls that the system seems not to have: on x86-64, i386, ARM, and on later machines."""
FORBIDDEN: dict[str, Numbers] = {
    "add_key": (248, 286, 309, 217),
    "request_key": (249, 287, 310, 218),
    "keyctl": (250, 288, 311, 219),
    "perf_event_open": (298, 336, 364, 241),
    "open_by_handle_at": (304, 342, 371, 265),
    "bpf": (321, 357, 386, 280),
    "io_uring_setup": (425, 425, 425, 425),  # what is asked for through it passes by every filter
    "io_uring_enter": (426, 426, 426, 426),
    "io_uring_register": (427, 427, 427, 427),
}
"""Calls that give EPERM in all contained programs."""
CHANGES: dict[str, Numbers] = {
    "chmod": (90, 15, 15, NONE),
    "fchmod": (91, 94, 94, 52),
    "fchmodat": (268, 306, 333, 53),
    "fchmodat2": (452, 452, 452, 452),
    "chown": (92, 182, 182, NONE),
    "chown32": (NONE, 212, 212, NONE),
    "fchown": (93, 95, 95, 55),
    "fchown32": (NONE, 207, 207, NONE),
    "lchown": (94, 16, 16, NONE),
    "lchown32": (NONE, 198, 198, NONE),
    "fchownat": (260, 298, 325, 54),
    "utime": (132, 30, NONE, NONE),
    "utimes": (235, 271, 269, NONE),
    "futimesat": (261, 299, 326, NONE),
    "utimensat": (280, 320, 348, 88),
    "utimensat_time64": (NONE, 412, 412, NONE),
    "setxattr": (188, 226, 226, 5),
    "lsetxattr": (189, 227, 227, 6),
    "fsetxattr": (190, 228, 228, 7),
    "setxattrat": (463, 463, 463, 463),
    "removexattr": (197, 235, 235, 14),
    "lremovexattr": (198, 236, 236, 15),
    "fremovexattr": (199, 237, 237, 16),
    "removexattrat": (466, 466, 466, 466),
    "file_setattr": (469, 469, 469, 469),
}
"""Calls that change a file or its attributes without opening it.

They give EPERM without bubblewrap.
"""

ALL, IOCTL_KIND = 0xFFFFFFFF, 0xFF00
AF_UNIX, AF_INET, AF_INET6, AF_NETLINK = 1, 2, 10, 16
TERMINALS, SOCKETS = 0x5400, 0x8900
"""The kinds of `ioctl` for terminals, pipes and sockets; those for files change flags, attributes
and whole trees."""
SOCKET = (41, 359, 281, 198)
SOCKETCALL = ((NONE, 102, NONE, NONE), ((0, ALL, tuple(range(2, 21))),))
"""All calls of i386 for sockets in one; its first function makes a socket of any kind."""
ONESELF = (0, ALL, (0,))
ANYWHERE: tuple[Condition, ...] = (
    SOCKETCALL,
    (SOCKET, ((0, ALL, (AF_UNIX, AF_INET, AF_INET6, AF_NETLINK)),)),
)
"""Calls that give EPERM unless an argument has one of some values.

A check has the argument, its bits that count, and the values.
"""
WITHOUT_BUBBLEWRAP: tuple[Condition, ...] = (
    SOCKETCALL,
    (SOCKET, ((0, ALL, (AF_UNIX,)),)),
    ((16, 54, 54, 29), ((1, IOCTL_KIND, (TERMINALS, SOCKETS)),)),  # ioctl
    ((302, 340, 369, 261), (ONESELF,)),  # prlimit64: a limit of CPU time ends another process
    ((142, 154, 154, 118), (ONESELF,)),  # sched_setparam
    ((144, 156, 156, 119), (ONESELF,)),  # sched_setscheduler
    ((203, 241, 241, 122), (ONESELF,)),  # sched_setaffinity
    ((314, 351, 380, 274), (ONESELF,)),  # sched_setattr
    (
        (141, 97, 97, 140),
        (ONESELF, (1, ALL, (0,))),
    ),  # setpriority: of a process, not of a group or a user
    ((251, 289, 314, 30), ((0, ALL, (1,)), (1, ALL, (0,)))),  # ioprio_set, likewise
)
"""The same for programs that share the processes and the network of the machine."""


def is_there() -> bool:
    """Return whether this system has such filters, and runs programs of a kind known here."""
    if os.uname().machine not in MACHINES:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    # It cannot read a filter at address 0. It tries only if it has filters.
    libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, None)
    return ctypes.get_errno() == errno.EFAULT


def program(kinds: tuple[tuple[int, int], ...], *, in_bubblewrap: bool) -> bytes:
    """Return the filter for these kinds of program, in the system's form.

    Programs of other kinds cannot make any call.
    """
    refused = [(GONE, NO_SUCH_CALL), (FORBIDDEN, FORBID)]
    conditions = ANYWHERE
    if not in_bubblewrap:
        refused.append((CHANGES, FORBID))
        conditions = WITHOUT_BUBBLEWRAP
    words: list[Word] = [(LOAD, 0, 0, MACHINE_AT)]
    for machine, column in kinds:
        block: list[Word] = [(LOAD, 0, 0, NUMBER_AT)]
        if machine == X86_64:
            block.append((JUMP_IF_AT_LEAST, 0, 1, X32_BIT))
            block.append((RETURN, 0, 0, NO_SUCH_CALL))
        for calls, answer in refused:
            block += _refuse(calls, column, answer)
        for numbers, checks in conditions:
            if numbers[column] != NONE:
                block += _refuse_by_arguments(numbers[column], checks)
        block.append((RETURN, 0, 0, ALLOW))
        words.append((JUMP_IF_EQUAL, 0, len(block), machine))
        words += block
    words.append((RETURN, 0, 0, NO_SUCH_CALL))
    return b"".join([struct.pack("=HBBI", *word) for word in words])


def _refuse(
    calls: dict[str, Numbers],
    column: int,
    answer: int,
) -> list[Word]:
    """Return the words that give this answer to the calls, and otherwise go on behind them."""
    *others, last = [numbers[column] for numbers in calls.values() if numbers[column] != NONE]
    words = _jumps_over_last(others)
    words.append((JUMP_IF_EQUAL, 0, 1, last))
    words.append((RETURN, 0, 0, answer))
    return words


def _refuse_by_arguments(number: int, checks: tuple[Check, ...]) -> list[Word]:
    """Return the words that allow a call if its arguments pass the checks, and else refuse it."""
    words: list[Word] = []
    for argument, bits, allowed in checks:
        words.append((LOAD, 0, 0, ARGUMENTS_AT + 8 * argument))  # the system, too, reads 32 bits
        words.append((MASK, 0, 0, bits))
        words += _jumps_over_last(list(allowed))
        words.append((RETURN, 0, 0, FORBID))
    words.append((RETURN, 0, 0, ALLOW))
    return [(JUMP_IF_EQUAL, 0, len(words), number), *words]


def _jumps_over_last(numbers: list[int]) -> list[Word]:
    """Return a jump for each number, over the jumps after it and one word more."""
    words: list[Word] = []
    for index, number in enumerate(numbers):
        words.append((JUMP_IF_EQUAL, len(numbers) - index, 0, number))
    return words


def install() -> None:
    """Hold this process, and all it starts, to the filter without bubblewrap, if `is_there`."""
    if not is_there():
        return
    code = program(MACHINES[os.uname().machine], in_bubblewrap=False)
    buffer = ctypes.create_string_buffer(code, len(code))
    whole = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, whole):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def for_bubblewrap() -> list[str]:
    """Return the options that make bubblewrap read the filter from a pipe, if `is_there`."""
    if not is_there():
        return []
    read, write = os.pipe()
    os.write(write, program(MACHINES[os.uname().machine], in_bubblewrap=True))
    os.close(write)
    os.set_inheritable(read, True)
    return ["--seccomp", str(read)]
