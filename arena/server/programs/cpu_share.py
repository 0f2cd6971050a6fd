"""The share of the machine that a launched bot may take from others: little while it is not awaited.

Two things are held down, without any help of the system's administrator:

* What a bot uses while it is not awaited (`awaited_time.py`) runs up a debt. A bot that owes too much stands still
  until it is awaited again or the debt is paid off. The debt is what it must have used in that time: all that it used,
  less every core for as long as it was awaited.
* Busy processes beyond one for each core have together the weight of one, and so have its busy sessions of processes
  beyond the first. The system may give every session its own share of the machine (`autogroup`), whatever the
  priorities of the processes in it are.

`Starvation` is the other side: the time the bot has waited for a processor through no fault of its own. The system
tells for every thread how long it was ready to run and did not. The longest of these waits counts, less what the other
threads of the bot used meanwhile: a bot that starves itself gains nothing by it. Steal time also counts (processor time
that the host of a virtual machine gave to others), as far as it is one core's.

The supervisor loads this file by itself: it needs only the standard library, and only what is cheap to import.
"""

from __future__ import annotations

import math
import os
import signal
import time

from arena.server.programs.awaited_time import SupervisorsSide
from arena.server.programs.family import NICE, SESSION, STATE, ProcessFamily, send_signal

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
BURST_MS = 250.0
"""What a bot that is not awaited may use at once: a runtime tidies up after a turn."""
RATE, PONDERING_RATE = 0.1, 1.0
"""How much of one core it may use all the time it is not awaited; more where bots may ponder."""
BLUR_MS = 20.0
"""How exactly the system tells CPU time: two ticks, for user and system,"""
ACCOUNT_MS = (90.0, 900.0)
"""so that it is not asked about less time than this, and about more if little was used."""
STEP = 1.25
"""The factor between the shares of two neighbouring levels of priority."""
LOWEST = 19
TICKS = os.sysconf("SC_CLK_TCK")
STEAL = 8
"""The place of steal in the first line of /proc/stat."""


class CpuShare:
    """Holds one bot to its share."""

    def __init__(self, family: ProcessFamily, wrappers: int, awaited: SupervisorsSide, *, may_ponder: bool) -> None:
        self._family = family
        self._wrappers = wrappers
        self._awaited = awaited
        self._rate = PONDERING_RATE if may_ponder else RATE
        self._looked_ns = time.monotonic_ns()
        self._awaited_ns = awaited.read(self._looked_ns)[0]
        self._used_ms = 0
        self._debt_ms = 0.0
        self._frozen: list[int] = []

    @property
    def is_leashed(self) -> bool:
        """True if it owes so much that it stands still whenever it is not awaited."""
        return self._debt_ms > BURST_MS

    def measured(self, used_ms: int, family: dict[int, list[str]]) -> None:
        """Note the CPU time it has used until now, with everything it has started."""
        self._lower(family)
        now_ns = time.monotonic_ns()
        passed_ms = (now_ns - self._looked_ns) / 1e6
        awaited_ns, _ = self._awaited.read(now_ns)
        awaited_ms = (awaited_ns - self._awaited_ns) / 1e6
        excess_ms = max(0.0, used_ms - self._used_ms - CORES * awaited_ms - BLUR_MS)
        if passed_ms > ACCOUNT_MS[0 if excess_ms > BLUR_MS else 1]:
            owed_ms = self._debt_ms + excess_ms - self._rate * max(0.0, passed_ms - awaited_ms)
            self._debt_ms = min(max(0.0, owed_ms), 2 * BURST_MS)
            self._looked_ns, self._awaited_ns, self._used_ms = now_ns, awaited_ns, used_ms
        self.hold(is_thorough=True)

    def hold(self, *, is_thorough: bool = False) -> None:
        """Let it stand still if it owes too much and is not awaited, and go on if not.

        A thorough look finds what was started since it stands still.
        """
        is_held = self.is_leashed and not self._awaited.read(time.monotonic_ns())[1]
        if not is_held:
            self.let_go()
        elif is_thorough or not self._frozen:
            for _ in range(2):  # what was started during the first round is found in the second
                family = list(self._family.look().items())[self._wrappers :]
                going = [pid for pid, fields in family if fields[STATE] not in "Tt"]
                send_signal(going, signal.SIGSTOP)
                self._frozen += going

    def let_go(self) -> None:
        """Let it go on."""
        if self._frozen:
            send_signal(self._frozen, signal.SIGCONT)
            self._frozen = []

    def _lower(self, family: dict[int, list[str]]) -> None:
        """Lower the priority of what is busy beyond what a bot may be."""
        own = list(family.items())[self._wrappers :]
        busy = [(pid, int(fields[SESSION])) for pid, fields in own if fields[STATE] == "R"]
        if len(busy) < 2:
            return
        first = int(own[0][1][SESSION])
        sessions = {session: pid for pid, session in busy if session != first}
        for pid in sessions.values():
            _lower_session(pid, level_of(len(sessions)))
        extra = [pid for pid, _ in busy[CORES:]]
        for pid in extra:
            _lower_process(pid, int(family[pid][NICE]), level_of(len(extra)))


def _lower_session(pid: int, level: int) -> None:
    """Lower the share of the session of a process, where sessions have one."""
    try:
        with open(f"/proc/{pid}/autogroup", "r+", encoding="ascii") as file:
            if int(file.read().split()[-1]) < level:
                file.write(str(level))
    except (OSError, IndexError):
        pass  # it has ended; there is no such thing here; or not so often, and then the next look tries again


def _lower_process(pid: int, known: int, level: int) -> None:
    """Lower the priority of a process; what it starts from now on inherits it."""
    try:
        if known < level:
            os.setpriority(os.PRIO_PROCESS, pid, level)
    except OSError:
        pass  # it has ended


def level_of(number: int) -> int:
    """The priority (0 to 19, the lowest) at which so many have together the weight of one."""
    return min(LOWEST, math.ceil(math.log(number) / math.log(STEP))) if number > 1 else 0


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
    words = _first_line(path).split()
    return (int(words[0]), int(words[1])) if len(words) == 3 else (0, 0)


def machine_steal_ns() -> int:
    """Return the time the host has kept from this machine since it was started; 0 if the system does not tell."""
    words = _first_line("/proc/stat").split()
    return int(words[STEAL]) * 10**9 // TICKS if len(words) > STEAL else 0


def machine_pressure_ns() -> int:
    """Return how long some process of this machine had to wait for a processor; 0 if the system does not tell."""
    return int(_first_line("/proc/pressure/cpu").rpartition(b"total=")[2] or 0) * 1000


def _first_line(path: str) -> bytes:
    """Return the first line of a file of the system; empty if there is none."""
    try:
        with open(path, "rb") as file:
            return file.readline()
    except OSError:
        return b""
