"""Landlock limits the files that a process and its children may open, where bubblewrap is missing.

The supervisor of a launched program loads this file by itself, between fork and exec: it needs only
the standard library, and only what is cheap to import.

A rule is a letter and a path, and also holds below the path. `r` allows to read and run files, `w`
to write them as well, `l` to list a folder, `d` to use a device.
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
"""The rights to remove and to make entries of every kind."""
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
"""The rights that a rule of a single file may give."""
BIND_TCP, CONNECT_TCP = 1 << 0, 1 << 1
SCOPE_ABSTRACT_SOCKETS, SCOPE_SIGNALS = 1 << 0, 1 << 1
ABI_TRUNCATE, ABI_TCP, ABI_SCOPES = 3, 4, 6
"""The versions of Landlock that this arena distinguishes."""


def version() -> int:
    """Return the version of Landlock's interface; 0 if this kernel has none, or it is off."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        return max(0, _call(libc, SYS_CREATE, None, 0, VERSION_FLAG))
    except (OSError, AttributeError):  # no such call; no such system
        return 0


def handled(abi: int) -> tuple[int, int, int]:
    """Return what a ruleset forbids without a rule: rights to files, network uses, scopes."""
    files = EXECUTE | WRITE_FILE | READ_FILE | READ_DIR | CHANGE_FOLDERS
    network = scopes = 0
    if abi >= 2:
        files |= REFER
    if abi >= ABI_TRUNCATE:
        files |= TRUNCATE
    if abi >= ABI_TCP:
        network = BIND_TCP | CONNECT_TCP
    if abi >= 5:
        files |= IOCTL_DEV
    if abi >= ABI_SCOPES:
        scopes = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS
    return files, network, scopes


def rights(
    kind: str,
    abi: int,
    *,
    is_folder: bool,
) -> int:
    """Return the rights to files that a rule of a kind gives."""
    all_rights, _, _ = handled(abi)
    rights_by_kind = {
        "l": READ_DIR,
        "r": EXECUTE | READ_FILE | READ_DIR,
        "w": all_rights & ~IOCTL_DEV & ~EXECUTE,
        "d": READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV,
    }
    allowed = rights_by_kind[kind] & all_rights
    if not is_folder:
        allowed &= OF_FILES
    return allowed


def restrict(rules: list[str]) -> None:
    """Let this process, and all it starts, open only the paths of the rules. Raises `OSError`.

    Missing paths are skipped. The user root loses all privileges.
    """
    abi = version()
    files, network, scopes = handled(abi)
    attributes = (ctypes.c_uint64 * 3)(files, network, scopes)
    size = ctypes.sizeof(attributes)
    if abi < ABI_TCP:
        size = 8
    elif abi < ABI_SCOPES:
        size = 16
    libc = ctypes.CDLL(None, use_errno=True)  # once: to make it takes as long as twenty calls
    ruleset = _call(libc, SYS_CREATE, ctypes.byref(attributes), size, 0)
    for rule in rules:
        try:
            file = os.open(rule[1:], O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        is_folder = stat.S_ISDIR(os.fstat(file).st_mode)
        allowed = rights(rule[0], abi, is_folder=is_folder)
        beneath = _PathBeneath(allowed, file)
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
    """A rule of a path; the kernel reads these 12 bytes, and not the 4 of padding."""

    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def _call(libc: ctypes.CDLL, number: int, *arguments: object) -> int:
    words: list[object] = [ctypes.c_long(number)]
    for argument in arguments:
        if isinstance(argument, int):
            words.append(ctypes.c_long(argument))
        else:
            words.append(argument)
    answer: int = libc.syscall(*words)
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer
