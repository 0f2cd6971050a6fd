"""Landlock: what a process of this system, and all it starts, may open from now on; for machines without bubblewrap.

The supervisor of a launched program loads this file by itself, between fork and exec: it needs only
the standard library, and only what is cheap to import.

A rule is a letter and a path. It holds for all below the path, too: `r` for what may be read and
run, `w` for what may be written as well, `l` for folders that may be listed, `d` for a device.
"""

import ctypes
import os
import stat

SYS_CREATE, SYS_ADD_RULE, SYS_RESTRICT = 444, 445, 446
"""The same numbers on every architecture but Alpha."""
VERSION_FLAG, RULE_PATH_BENEATH = 1, 1
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38
O_PATH = 0o10000000

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
CHANGE_FOLDERS = sum(1 << bit for bit in range(4, 13))
"""To remove and to make entries of every kind."""
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
"""The rights that a rule of a single file may give."""
BIND_TCP, CONNECT_TCP = 1 << 0, 1 << 1
SCOPE_ABSTRACT_SOCKETS, SCOPE_SIGNALS = 1 << 0, 1 << 1
ABI_TRUNCATE, ABI_TCP, ABI_SCOPES = 3, 4, 6
"""The versions of Landlock that brought what this arena tells apart."""


def version() -> int:
    """The version of Landlock's interface that this kernel has; 0 if it has none, or it is switched off."""
    try:
        return max(0, _call(ctypes.CDLL(None, use_errno=True), SYS_CREATE, None, 0, VERSION_FLAG))
    except (OSError, AttributeError):  # no such call; no such system
        return 0


def handled(abi: int) -> tuple[int, int, int]:
    """Return what a ruleset forbids unless a rule allows it: rights to files, network uses, ways out of its scope."""
    files = EXECUTE | WRITE_FILE | READ_FILE | READ_DIR | CHANGE_FOLDERS
    files |= (
        (REFER if abi >= 2 else 0)
        | (TRUNCATE if abi >= ABI_TRUNCATE else 0)
        | (IOCTL_DEV if abi >= 5 else 0)
    )
    network = BIND_TCP | CONNECT_TCP if abi >= ABI_TCP else 0
    scopes = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS if abi >= ABI_SCOPES else 0
    return files, network, scopes


def rights(kind: str, abi: int, *, is_folder: bool) -> int:
    """The rights to files that a rule of a kind gives."""
    everything = handled(abi)[0]
    given = {
        "l": READ_DIR,
        "r": EXECUTE | READ_FILE | READ_DIR,
        "w": everything & ~IOCTL_DEV & ~EXECUTE,
        "d": READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV,
    }[kind]
    return given & everything & (~0 if is_folder else OF_FILES)


def restrict(rules: list[str]) -> None:
    """Let this process, and all it starts, open nothing but what the rules name. Raises `OSError`.

    What is not there is passed over. The user called root loses what sets him apart from others.
    """
    abi = version()
    files, network, scopes = handled(abi)
    attributes = (ctypes.c_uint64 * 3)(files, network, scopes)
    size = 8 if abi < ABI_TCP else 16 if abi < ABI_SCOPES else 24
    libc = ctypes.CDLL(None, use_errno=True)  # once: to make it takes as long as twenty calls
    ruleset = _call(libc, SYS_CREATE, ctypes.byref(attributes), size, 0)
    for rule in rules:
        try:
            file = os.open(rule[1:], O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        given = rights(rule[0], abi, is_folder=stat.S_ISDIR(os.fstat(file).st_mode))
        beneath = _PathBeneath(given, file)
        _call(libc, SYS_ADD_RULE, ruleset, RULE_PATH_BENEATH, ctypes.byref(beneath), 0)
        os.close(file)
    capability = 0
    while os.getuid() == 0 and libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0:
        capability += 1  # until there is no such capability
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs cannot be set")
    _call(libc, SYS_RESTRICT, ruleset, 0)
    os.close(ruleset)


class _PathBeneath(ctypes.Structure):
    """A rule of a path; the kernel reads these 12 bytes, and not the 4 that fill it up."""

    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def _call(libc: ctypes.CDLL, number: int, *arguments: object) -> int:
    words = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result: int = libc.syscall(ctypes.c_long(number), *words)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
