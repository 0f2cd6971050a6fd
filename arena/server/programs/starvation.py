"""Starvation: the time a launched bot has waited for a processor through no fault of its own.

The system tells for every thread how long it was ready to run and did not. The longest of these waits counts, less
what the other threads of the bot used meanwhile: a bot that starves itself gains nothing by it. Steal time also counts
(processor time that the host of a virtual machine gave to others), as far as it is one core's.

The supervisor loads this file by itself: it needs only the standard library, and only what is cheap to import.
"""

from __future__ import annotations

import os

from arena.server.programs.cpu_share import CORES
from arena.server.programs.family import NICE

TICKS = os.sysconf("SC_CLK_TCK")
STEAL = 8
"""The place of steal in the first line of /proc/stat."""


class Starvation:
    """Measures one bot; all figures grow from its start, in nanoseconds."""

    def __init__(self) -> None:
        self.starved_ns = 0
        self._own_nice = os.nice(0)
        self._known: dict[str, tuple[int, int]] = {}
        self._steal_ns = self._first_steal_ns = machine_steal_ns()

    @property
    def steal_ns(self) -> int:
        """The steal of all processors."""
        return self._steal_ns - self._first_steal_ns

    def look(self, own: dict[int, list[str]], passed_ns: int) -> None:
        """Look at the processes of the bot; so much time has passed since the last look."""
        found: dict[str, tuple[int, int]] = {}
        used: dict[str, int] = {}
        waited: dict[str, int] = {}
        for pid, fields in own.items():
            for name, path in _threads(pid):
                cpu_ns, wait_ns = found[name] = _schedule(path)
                known = self._known.get(name, (0, 0))
                used[name] = max(0, cpu_ns - known[0])
                if int(fields[NICE]) <= self._own_nice:  # who has made himself less important waits by his own will
                    waited[name] = max(0, wait_ns - known[1])
        self._known = found
        all_used = sum(used.values())
        longest = max((wait_ns - all_used + used[name] for name, wait_ns in waited.items()), default=0)
        before, self._steal_ns = self._steal_ns, machine_steal_ns()
        stolen = (self._steal_ns - before) // CORES if all_used < passed_ns else 0
        self.starved_ns += min(passed_ns, max(0, longest) + stolen)


def _threads(pid: int) -> list[tuple[str, str]]:
    """Each thread of a process: its number, and the file that tells of it; none if it has ended."""
    try:
        return [(name, f"/proc/{pid}/task/{name}/schedstat") for name in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []


def _schedule(path: str) -> tuple[int, int]:
    """Return how long a thread has run, and how long it was ready and did not run; 0 if the system does not tell."""
    try:
        with open(path, "rb") as file:
            cpu, wait, _ = file.read().split()
    except (OSError, ValueError):
        return 0, 0
    return int(cpu), int(wait)


def machine_steal_ns() -> int:
    """Return the time the host has kept from this machine since it was started; 0 if the system does not tell."""
    try:
        with open("/proc/stat", "rb") as file:
            return int(file.readline().split()[STEAL]) * 10**9 // TICKS
    except (OSError, IndexError, ValueError):
        return 0


def machine_pressure_ns() -> int:
    """Return how long some process of this machine had to wait for a processor; 0 if the system does not tell."""
    try:
        with open("/proc/pressure/cpu", "rb") as file:
            return int(file.readline().rpartition(b"total=")[2]) * 1000
    except (OSError, ValueError):
        return 0
