"""Control groups (cgroup v2): where the arena may make some, the system itself counts and limits.

Each bot gets its own group. Nothing in it escapes: memory counts however a process holds it,
processes count however short they live, and all groups have the same share of the processors. The
limits of the supervisor hold as well, and come first: they say what happened.

The supervisor loads this file by itself: it needs only the standard library, and only what is cheap
to import.
"""

import os

NEEDED, WANTED = {"memory", "pids"}, {"cpu"}
"""Controllers that must be there, and one that is used if it is there."""
ARENA = "arena"
"""The group of the arena itself: only a group without groups of its own may hold processes."""
SPARE_BYTES = 64 << 20
"""Memory that the system allows beyond the limit: the supervisor must notice first."""
THREADS_PER_PROCESS, SPARE_THREADS = 16, 16
"""Threads that the system allows for each process, and in addition to all of them."""
HELD = ("anon", "shmem", "kernel_stack", "pagetables", "sock")
"""The figures of memory that cannot be taken back."""


def find_base() -> str:
    """Return the folder in which this process may make groups; empty if there is none.

    The process may be moved to a group below.
    """
    base = _group_of_this_process()
    if not base:
        return ""
    if os.path.basename(base) == ARENA:
        base = os.path.dirname(base)
    try:
        if not _has_limits(base):
            return ""
        probe = os.path.join(base, f"probe-{os.getpid()}")
        os.mkdir(probe)
        os.rmdir(probe)
    except OSError:
        return ""
    return base


def _has_limits(base: str) -> bool:
    """Return whether groups in this folder can have limits; switch them on if they are off.

    Raises `OSError`.
    """
    available = set(_read(base, "cgroup.controllers").split())
    if not available >= NEEDED:
        return False
    enabled = set(_read(base, "cgroup.subtree_control").split())
    if enabled >= NEEDED:
        return True
    leaf = os.path.join(base, ARENA)
    os.makedirs(leaf, exist_ok=True)
    _write(leaf, "cgroup.procs", "0")
    controllers = sorted(available & (NEEDED | WANTED))
    try:
        _write(base, "cgroup.subtree_control", " ".join(f"+{name}" for name in controllers))
    except OSError:  # other processes are in the group
        _write(base, "cgroup.procs", "0")
        os.rmdir(leaf)
        return False
    return True


def _group_of_this_process() -> str:
    """Return the folder of the group of this process; empty where there are no such groups."""
    try:
        with open("/proc/self/cgroup", encoding="utf-8") as file:
            [group] = [line.rstrip("\n")[3:] for line in file if line.startswith("0::")]
        with open("/proc/self/mountinfo", encoding="utf-8") as file:
            mounts = [line for line in file if " - cgroup2 " in line]
    except (OSError, ValueError):
        return ""
    if not mounts:
        return ""
    place = mounts[0].split(" ")[4]
    return os.path.join(place, group.lstrip("/")).rstrip("/")


class Group:
    """The group of one bot."""

    def __init__(
        self,
        base: str,
        *,
        memory_bytes: int,
        processes: int,
    ) -> None:
        """Make the group. Raises `OSError`."""
        self._folder = os.path.join(base, f"bot-{os.getpid()}")
        _remove(self._folder)  # a supervisor with our number was killed
        os.mkdir(self._folder)
        limits = {
            "memory.max": str(memory_bytes + SPARE_BYTES),
            "memory.swap.max": "0",
            "memory.oom.group": "1",
            "pids.max": str(processes * THREADS_PER_PROCESS + SPARE_THREADS),
        }
        for name, limit in limits.items():
            if os.path.exists(os.path.join(self._folder, name)):
                _write(self._folder, name, limit)

    def enter(self) -> None:
        """Move this process into the group, with everything that it will start."""
        _write(self._folder, "cgroup.procs", "0")

    def cpu_ms(self) -> int:
        """Return the CPU time used in the group, by ended processes as well."""
        for line in _read(self._folder, "cpu.stat").splitlines():
            if line.startswith("usage_usec "):
                return int(line.split()[1]) // 1000
        return 0

    def memory_bytes(self) -> int:
        """Return the memory that cannot be taken back from the group; 0 if unknown."""
        try:
            lines = _read(self._folder, "memory.stat").splitlines()
        except FileNotFoundError:
            return 0
        total = 0
        for line in lines:
            name, figure = line.split()
            if name in HELD:
                total += int(figure)
        return total

    def remove(self) -> None:
        """Kill the processes in the group, and remove it."""
        try:
            _write(self._folder, "cgroup.kill", "1")
        except OSError:
            pass  # before Linux 5.14; the supervisor has killed all processes it found
        _remove(self._folder)


def _remove(folder: str) -> None:
    try:
        os.rmdir(folder)
    except OSError:
        pass  # there is no such group, or its last process is ending


def _read(folder: str, name: str) -> str:
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()


def _write(
    folder: str,
    name: str,
    text: str,
) -> None:
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)
