"""A filter of system calls for contained programs: it refuses what neither bubblewrap nor Landlock keeps from them.

In both, calls that no program needs to play a game. Without bubblewrap, the files, processes and
network of the machine are there, and Landlock only keeps programs from opening files. So the filter
then also refuses calls that change a file without opening it, calls that act on other processes,
and all sockets but Unix ones.

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
"""The instructions used: load a word, keep some of its bits, return; jump if it is equal, or not
less."""
NUMBER_AT, MACHINE_AT, ARGUMENTS_AT = 0, 4, 16
ALLOW, FORBID, NO_SUCH_CALL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS

X86_64, I386, ARM = 0xC000003E, 0x40000003, 0x40000028
AARCH64, RISCV64, LOONGARCH64 = 0xC00000B7, 0xC00000F3, 0xC0000102
X32_BIT = 0x40000000
"""Set in the numbers of calls of a third kind of program on x86-64, which nobody uses any more."""
X86, ARMS = ((X86_64, 0), (I386, 1)), ((AARCH64, 3), (ARM, 2))
MACHINES = {
    **dict.fromkeys(("x86_64", "i386", "i486", "i586", "i686"), X86),
    **dict.fromkeys(("aarch64", "armv6l", "armv7l", "armv8l"), ARMS),
    "riscv64": ((RISCV64, 3),),
    "loongarch64": ((LOONGARCH64, 3),),
}
"""By what a system calls its machine, the kinds of program it can run, each with its column of the
tables below."""

Numbers = tuple[int, int, int, int]
Condition = tuple[Numbers, tuple[tuple[int, int, tuple[int, ...]], ...]]
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
"""Calls that the system seems not to have: on x86-64, i386, ARM, and on the machines that came
later."""
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
"""Calls that give EPERM in every program that is contained."""
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
"""Calls that change a file, or what is known of it, without opening it; they give EPERM without
bubblewrap."""

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
"""Calls that give EPERM unless an argument has one of some values: which argument, its bits that
count, the values."""
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
"""Likewise for programs that bubblewrap does not keep from the processes and the network of the
machine."""


def is_there() -> bool:
    """True if this system has such filters, and runs programs of a kind that is known here."""
    if os.uname().machine not in MACHINES:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(
        PR_SET_SECCOMP, SECCOMP_MODE_FILTER, None
    )  # it cannot read a filter there; it tries if it has filters
    return ctypes.get_errno() == errno.EFAULT


def program(kinds: tuple[tuple[int, int], ...], *, in_bubblewrap: bool) -> bytes:
    """The filter for these kinds of program, as the system takes it; no other kind can do anything."""
    refused = (
        (GONE, NO_SUCH_CALL),
        (FORBIDDEN, FORBID),
        *(() if in_bubblewrap else ((CHANGES, FORBID),)),
    )
    conditions = ANYWHERE if in_bubblewrap else WITHOUT_BUBBLEWRAP
    words = [(LOAD, 0, 0, MACHINE_AT)]
    for machine, column in kinds:
        block = [(LOAD, 0, 0, NUMBER_AT)]
        if machine == X86_64:
            block += [(JUMP_IF_AT_LEAST, 0, 1, X32_BIT), (RETURN, 0, 0, NO_SUCH_CALL)]
        for calls, answer in refused:
            *most, last = [numbers[column] for numbers in calls.values() if numbers[column] != NONE]
            block += [(JUMP_IF_EQUAL, len(most) - at, 0, number) for at, number in enumerate(most)]
            block += [(JUMP_IF_EQUAL, 0, 1, last), (RETURN, 0, 0, answer)]
        for numbers, checks in conditions:
            if numbers[column] != NONE:
                judged = [word for check in checks for word in _refuse_unless(*check)]
                block += [
                    (JUMP_IF_EQUAL, 0, len(judged) + 1, numbers[column]),
                    *judged,
                    (RETURN, 0, 0, ALLOW),
                ]
        block.append((RETURN, 0, 0, ALLOW))
        words += [(JUMP_IF_EQUAL, 0, len(block), machine), *block]
    words.append((RETURN, 0, 0, NO_SUCH_CALL))
    return b"".join([struct.pack("=HBBI", *word) for word in words])


def _refuse_unless(
    argument: int, bits: int, values: tuple[int, ...]
) -> list[tuple[int, int, int, int]]:
    """Go on behind these words if an argument has one of the values; the system looks at its low 32 bits only, too."""
    words = [(LOAD, 0, 0, ARGUMENTS_AT + 8 * argument), (MASK, 0, 0, bits)]
    words += [(JUMP_IF_EQUAL, len(values) - at, 0, value) for at, value in enumerate(values)]
    return [*words, (RETURN, 0, 0, FORBID)]


def install() -> None:
    """Hold this process, and all it starts, to the filter for programs without bubblewrap, if there `is_there` one."""
    if not is_there():
        return
    code = program(MACHINES[os.uname().machine], in_bubblewrap=False)
    kept = ctypes.create_string_buffer(code, len(code))
    whole = struct.pack("@HP", len(code) // 8, ctypes.addressof(kept))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, whole):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def for_bubblewrap() -> list[str]:
    """The options that make bubblewrap hold a program to the filter, if `is_there` one; it reads it from a pipe."""
    if not is_there():
        return []
    read, write = os.pipe()
    os.write(write, program(MACHINES[os.uname().machine], in_bubblewrap=True))
    os.close(write)
    os.set_inheritable(read, True)
    return ["--seccomp", str(read)]
