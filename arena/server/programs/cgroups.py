"""Control groups (cgroup v2), where the system lets the arena make some: then the system itself counts and limits.

Each bot gets a group of its own. In it nothing escapes: memory counts however it is held, processes
however short they live, and every group has the same share of the processors. The limits of the
supervisor hold as well, and come first: they say what happened.

The supervisor loads this file by itself: it needs only the standard library, and only what is cheap
to import.
"""

import os

NEEDED, WANTED = {"memory", "pids"}, {"cpu"}
"""What must be there to be used, and what is used if it is there."""
ARENA = "arena"
"""The group of the arena itself: only a group without groups of its own may hold processes."""
SPARE_BYTES = 64 << 20
"""How much more memory the system allows: the supervisor is to find out first."""
THREADS_PER_PROCESS, SPARE_THREADS = 16, 16
"""The system counts threads: those allowed for each process allowed, and likewise some more."""


def find_base() -> str:
    """The folder in which this process may make groups; empty if there is none.

    It may move to a group below.
    """
    own = _own_folder()
    if not own:
        return ""
    base = os.path.dirname(own) if os.path.basename(own) == ARENA else own
    leaf = os.path.join(base, ARENA)
    try:
        there = set(_read(base, "cgroup.controllers").split())
        if not there >= NEEDED:
            return ""
        if not set(_read(base, "cgroup.subtree_control").split()) >= NEEDED:
            os.makedirs(leaf, exist_ok=True)
            _write(leaf, "cgroup.procs", "0")
            try:
                _write(
                    base,
                    "cgroup.subtree_control",
                    " ".join(f"+{one}" for one in sorted(there & (NEEDED | WANTED))),
                )
            except OSError:  # others are in it
                _write(base, "cgroup.procs", "0")
                os.rmdir(leaf)
                return ""
        probe = os.path.join(base, f"probe-{os.getpid()}")
        os.mkdir(probe)
        os.rmdir(probe)
    except OSError:
        return ""
    return base


def _own_folder() -> str:
    """The folder of the group this process is in; empty where there are no such groups."""
    try:
        with open("/proc/self/cgroup", encoding="utf-8") as file:
            [own] = [line.rstrip("\n")[3:] for line in file if line.startswith("0::")]
        with open("/proc/self/mountinfo", encoding="utf-8") as file:
            places = [line.split(" ")[4] for line in file if " - cgroup2 " in line]
    except (OSError, ValueError):
        return ""
    return os.path.join(places[0], own.lstrip("/")).rstrip("/") if places else ""


class Group:
    """The group of one bot."""

    def __init__(self, base: str, *, memory_bytes: int, processes: int) -> None:
        """Make it. Raises `OSError`."""
        self._folder = os.path.join(base, f"bot-{os.getpid()}")
        _remove(self._folder)  # of a supervisor that was killed, whose number is ours now
        os.mkdir(self._folder)
        limits = {
            "memory.max": str(memory_bytes + SPARE_BYTES),
            "memory.swap.max": "0",
            "memory.oom.group": "1",
            "pids.max": str(processes * THREADS_PER_PROCESS + SPARE_THREADS),
        }
        for name, value in limits.items():
            if os.path.exists(os.path.join(self._folder, name)):
                _write(self._folder, name, value)

    def enter(self) -> None:
        """Move this process into it, and so all that it will start."""
        _write(self._folder, "cgroup.procs", "0")

    def cpu_ms(self) -> int:
        """The CPU time used in it, by whatever has ended as well."""
        for line in _read(self._folder, "cpu.stat").splitlines():
            if line.startswith("usage_usec "):
                return int(line.split()[1]) // 1000
        return 0

    def memory_bytes(self) -> int:
        """The memory that cannot be taken back from it; 0 if the system does not tell."""
        try:
            figures = dict(line.split() for line in _read(self._folder, "memory.stat").splitlines())
        except FileNotFoundError:
            return 0
        return sum(
            int(figures.get(name, 0))
            for name in ("anon", "shmem", "kernel_stack", "pagetables", "sock")
        )

    def remove(self) -> None:
        """Kill what is in it, and remove it."""
        try:
            _write(self._folder, "cgroup.kill", "1")
        except OSError:
            pass  # before Linux 5.14; the supervisor has killed all it found
        _remove(self._folder)


def _remove(folder: str) -> None:
    try:
        os.rmdir(folder)
    except OSError:
        pass  # there is none, or its last process is just ending


def _read(folder: str, name: str) -> str:
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()


def _write(folder: str, name: str, value: str) -> None:
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(value)
