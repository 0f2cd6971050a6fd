"""The share of the machine that a launched bot may take: little while the arena awaits nothing.

* CPU time used while it is not awaited is a debt: all that it used, minus all cores for the time it
  was awaited. A bot that owes too much is stopped until it is awaited again or the debt is paid.
* Busy processes beyond one for each core have together the weight of one. So have busy sessions of
  processes beyond the first: the system may give each session its own share (`autogroup`),
  whatever its priorities.

`Starvation` is the time that the bot has waited for a processor through no fault of its own: the
longest time that a thread was ready to run and did not, minus the time that the other threads used
meanwhile, so that a bot gains nothing by starving itself. It also counts steal time, processor time
that the host gave to other machines, up to the steal time of one core.

The supervisor loads this file by itself: only the standard library, and only what is cheap to
import.
"""

import math
import mmap
import os
import signal
import struct
import time

from arena.server.programs.family import NICE, SESSION, STATE, ProcessFamily, send_signal

CORES = os.cpu_count() or 1
if hasattr(os, "sched_getaffinity"):
    CORES = len(os.sched_getaffinity(0))
BURST_MS = 250.0
"""CPU time that a bot may use at once while not awaited: a runtime tidies up after a turn."""
RATE, PONDERING_RATE = 0.1, 1.0
"""Share of one core that it may use while not awaited; the second where bots may ponder."""
BLUR_MS = 20.0
"""Resolution of CPU time: two ticks, for user and system."""
BUSY_ACCOUNT_MS, IDLE_ACCOUNT_MS = 90.0, 900.0
"""The shortest times to account for at this resolution: if much was used, and if little."""
STEP = 1.25
"""The factor between the shares of two neighbouring levels of priority."""
LOWEST = 19
TICKS = os.sysconf("SC_CLK_TCK")
STEAL = 8
"""The place of steal in the first line of /proc/stat."""

TOTAL, SINCE, FIGURES, NUMBERS = 0, 1, 2, 8
"""The two numbers, in nanoseconds of the machine's monotonic clock; the second is 0 while the bot
is not awaited.

Then the figures of the supervisor, which only grow, in nanoseconds: CPU time that the bot used,
time it was starved, steal and pressure of the machine. Last the time of the look, and the share of
the time before it in which the bot was starved, in millionths.
"""
STALE_NS = 500_000_000
"""Time for which the figures of a look hold: the next one may be late on a busy machine."""
WORD_BYTES = 8
SIZE_BYTES = NUMBERS * WORD_BYTES


class AwaitedTime:
    """The arena's side of the memory that tells a supervisor how long its bot has been awaited.

    A bot is awaited while it has a turn to answer or has to get ready for a match, and from its
    start on. A turn is too short for a message. In the same memory the supervisor gives its
    measurements, for the moment a flag falls.
    """

    def __init__(self) -> None:
        # The supervisor does not need it, and it takes longer to import than all else.
        import tempfile

        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._file.truncate(SIZE_BYTES)
        self.descriptor = self._file.fileno()
        """To be inherited by the supervisor."""
        self._map = mmap.mmap(self.descriptor, SIZE_BYTES)
        self._numbers = memoryview(self._map).cast("q")
        self._numbers[SINCE] = time.monotonic_ns()

    def tell(self, is_awaited: bool) -> None:  # noqa: FBT001 - called twice a turn
        """Tell whether the bot is awaited from now on."""
        since = self._numbers[SINCE]
        if is_awaited and not since:
            self._numbers[SINCE] = time.monotonic_ns()
        elif since and not is_awaited:
            self._numbers[TOTAL] += time.monotonic_ns() - since
            self._numbers[SINCE] = 0

    def figures(self) -> list[int]:
        """Return the measurements of the supervisor up to now.

        Since its last look the bot counts as starved as before.
        """
        cpu_ns, starved_ns, steal_ns, pressure_ns, looked_ns, share = self._numbers[
            FIGURES:NUMBERS
        ].tolist()
        since_ns = min(time.monotonic_ns() - looked_ns, STALE_NS)
        return [cpu_ns, starved_ns + since_ns * share // 10**6, steal_ns, pressure_ns]

    def close(self) -> None:
        """Close the memory; later calls of `tell` have no effect."""
        self._numbers.release()
        self._numbers = memoryview(bytearray(SIZE_BYTES)).cast("q")
        self._map.close()
        self._file.close()


class SupervisorsSide:
    """Side of the supervisor: what it reads and writes."""

    def __init__(self, descriptor: int) -> None:
        """Open the memory. Without a descriptor (-1) the bot is always awaited."""
        self._map: mmap.mmap | None = None
        if descriptor >= 0:
            self._map = mmap.mmap(descriptor, SIZE_BYTES)
            os.close(descriptor)

    def read(self, now_ns: int) -> tuple[int, bool]:
        """Return how long the bot has been awaited until now, in nanoseconds, and whether it is."""
        if self._map is None:
            return now_ns, True
        times = slice(0, FIGURES * WORD_BYTES)
        content = self._map[times]
        while content != self._map[times]:  # the arena has changed it in between
            content = self._map[times]
        total_ns, since_ns = memoryview(content).cast("q")
        if not since_ns:
            return total_ns, False
        return total_ns + max(0, now_ns - since_ns), True

    def publish(self, figures: list[int]) -> None:
        """Give the arena the figures as they are now."""
        if self._map is not None:
            self._map[FIGURES * WORD_BYTES :] = struct.pack(f"={len(figures)}q", *figures)


class CpuShare:
    """Holds one bot to its share."""

    def __init__(
        self, family: ProcessFamily, wrappers: int, awaited: SupervisorsSide, *, may_ponder: bool
    ) -> None:
        self._family = family
        self._wrappers = wrappers
        self._awaited = awaited
        self._rate = PONDERING_RATE if may_ponder else RATE
        self._looked_ns = time.monotonic_ns()
        self._awaited_ns, _ = awaited.read(self._looked_ns)
        self._used_ms = 0
        self._debt_ms = 0.0
        self._frozen: list[int] = []
        self._own_nice = os.nice(0)

    @property
    def is_leashed(self) -> bool:
        """True if its debt is above the limit: it is stopped while it is not awaited."""
        return self._debt_ms > BURST_MS

    def measured(
        self,
        used_ms: int,
        family: dict[int, list[str]],
    ) -> None:
        """Note the CPU time that the bot has used until now, with everything it has started."""
        self._lower(family)
        now_ns = time.monotonic_ns()
        passed_ms = (now_ns - self._looked_ns) / 1e6
        awaited_ns, _ = self._awaited.read(now_ns)
        awaited_ms = (awaited_ns - self._awaited_ns) / 1e6
        excess_ms = max(0.0, used_ms - self._used_ms - CORES * awaited_ms - BLUR_MS)
        account_ms = BUSY_ACCOUNT_MS if excess_ms > BLUR_MS else IDLE_ACCOUNT_MS
        if passed_ms > account_ms:
            paid_ms = self._rate * max(0.0, passed_ms - awaited_ms)
            debt_ms = self._debt_ms + excess_ms - paid_ms
            self._debt_ms = min(max(0.0, debt_ms), 2 * BURST_MS)
            self._looked_ns = now_ns
            self._awaited_ns = awaited_ns
            self._used_ms = used_ms
        self.hold(is_thorough=True)

    def hold(self, *, is_thorough: bool = False) -> None:
        """Stop the bot if it owes too much and is not awaited; otherwise let it go on.

        A thorough look finds processes that were started since it was stopped.
        """
        if not self.is_leashed:
            self.let_go()
            return
        _, is_awaited = self._awaited.read(time.monotonic_ns())
        if is_awaited:
            self.let_go()
        elif is_thorough or not self._frozen:
            for _ in range(2):  # the second round finds processes started during the first
                family = list(self._family.look().items())[self._wrappers :]
                going = [pid for pid, fields in family if fields[STATE] not in "Tt"]
                send_signal(going, signal.SIGSTOP)
                self._frozen += going

    def let_go(self) -> None:
        """Let the bot go on."""
        if self._frozen:
            send_signal(self._frozen, signal.SIGCONT)
            self._frozen = []

    def _lower(self, family: dict[int, list[str]]) -> None:
        """Lower the priorities of busy sessions beyond the first, and of processes beyond cores."""
        processes = list(family.items())[self._wrappers :]
        busy = [(pid, int(fields[SESSION])) for pid, fields in processes if fields[STATE] == "R"]
        if len(busy) < 2:
            return
        _, first_fields = processes[0]
        first_session = int(first_fields[SESSION])
        sessions = {session: pid for pid, session in busy if session != first_session}
        for pid in sessions.values():
            lower_session(pid, level_of(len(sessions)))
        beyond_cores = [pid for pid, _ in busy[CORES:]]
        # An arena started by `nice` has a lower priority itself.
        level = min(LOWEST, self._own_nice + level_of(len(beyond_cores)))
        for pid in beyond_cores:
            if int(family[pid][NICE]) < level:
                _lower_process(pid, level)


def _lower_process(pid: int, level: int) -> None:
    """Lower a process, and all that it starts from now on."""
    try:
        os.setpriority(os.PRIO_PROCESS, pid, level)
    except OSError:
        pass  # it has ended


def lower_session(pid: int, level: int) -> None:
    """Raise the nice level of a process's session, if it is lower."""
    try:
        with open(f"/proc/{pid}/autogroup", "r+", encoding="ascii") as file:
            if int(file.read().split()[-1]) < level:
                file.write(str(level))
    except (OSError, IndexError):
        # The process has ended, or the system has no such groups. Or the group was changed too
        # often, and the next look tries again.
        pass


def level_of(number: int) -> int:
    """Return the priority (0 to 19, the lowest) at which this number has the weight of one."""
    if number <= 1:
        return 0
    return min(LOWEST, math.ceil(math.log(number) / math.log(STEP)))


class Starvation:
    """Measures one bot; all figures grow from its start, in nanoseconds."""

    def __init__(self) -> None:
        self.starved_ns = self.steal_ns = 0
        self._own_nice = os.nice(0)
        self._known: dict[str, tuple[int, int]] = {}
        self._machine_steal_ns = machine_steal_ns()

    def look(
        self,
        family: dict[int, list[str]],
        passed_ns: int,
    ) -> None:
        """Look at the processes of the bot; `passed_ns` is the time since the last look."""
        threads: dict[str, tuple[int, int]] = {}
        all_used_ns = longest_ns = 0
        for pid, fields in family.items():
            # A process that has lowered its own priority waits by its own will.
            has_full_weight = int(fields[NICE]) <= self._own_nice
            for name, path in _threads(pid):
                cpu_ns, wait_ns = _schedule(path)
                threads[name] = (cpu_ns, wait_ns)
                cpu_before_ns, wait_before_ns = self._known.get(name, (0, 0))
                used_ns = max(0, cpu_ns - cpu_before_ns)
                all_used_ns += used_ns
                if has_full_weight:
                    waited_ns = max(0, wait_ns - wait_before_ns)
                    longest_ns = max(longest_ns, used_ns + waited_ns)
        self._known = threads
        machine_ns = machine_steal_ns()
        steal_ns = machine_ns - self._machine_steal_ns
        self._machine_steal_ns = machine_ns
        self.steal_ns += steal_ns
        starved_ns = max(0, longest_ns - all_used_ns)
        if all_used_ns < passed_ns:
            starved_ns += steal_ns // CORES
        self.starved_ns += min(passed_ns, starved_ns)


def _threads(pid: int) -> list[tuple[str, str]]:
    """Return number and schedule file of each thread of a process; empty if it has ended."""
    try:
        names = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
    return [(name, f"/proc/{pid}/task/{name}/schedstat") for name in names]


def _schedule(path: str) -> tuple[int, int]:
    """Return how long a thread has run, and how long it was ready to run; 0 if unknown."""
    words = _first_line(path).split()
    if len(words) != 3:
        return 0, 0
    return int(words[0]), int(words[1])


def machine_steal_ns() -> int:
    """Return the time that the host has kept from this machine since its start; 0 if unknown."""
    words = _first_line("/proc/stat").split()
    if len(words) <= STEAL:
        return 0
    return int(words[STEAL]) * 10**9 // TICKS


def machine_pressure_ns() -> int:
    """Return how long some process here has waited for a processor; 0 if unknown."""
    _, _, total_us = _first_line("/proc/pressure/cpu").rpartition(b"total=")
    return int(total_us or 0) * 1000


def _first_line(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.readline()
    except OSError:
        return b""
