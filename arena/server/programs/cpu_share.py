"""The share of the machine that a launched bot may take from others: little while it is not awaited.

* CPU time used while it is not awaited is a debt: all that it used, less every core for as long as it was awaited. A
  bot that owes too much stands still until it is awaited again or the debt is paid off.
* Busy processes beyond one for each core have together the weight of one, and so have its busy sessions of processes
  beyond the first: the system may give every session its own share (`autogroup`), whatever its priorities.

`Starvation` is the time the bot has waited for a processor through no fault of its own: the longest
time that a thread was ready to run and did not, less what the other threads used meanwhile, so that
a bot gains nothing by starving itself. Steal time also counts (what the host of a virtual machine
gave to others), as far as it is one core's.

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

TOTAL, SINCE, FIGURES, NUMBERS = 0, 1, 2, 8
"""The two numbers, in nanoseconds of the machine's monotonic clock; the second is 0 while the bot
is not awaited.

Then the figures of the supervisor, which only grow, in nanoseconds: CPU time that the bot used,
time it was starved, steal and pressure of the machine. At last the time of the look, and how much
of the time before it the bot was starved, in millionths.
"""
STALE_NS = 500_000_000
"""For so long after a look what it saw is held to go on: looks may come late where the machine is
busy."""
WORD_BYTES = 8
SIZE_BYTES = NUMBERS * WORD_BYTES


class AwaitedTime:
    """Tells a supervisor through shared memory how long its bot has been awaited; the side of the arena.

    A bot is awaited while it has a turn to answer or has to get ready for a match, and from its
    start on. A turn is too short for a message. In the same way the supervisor tells what it has
    measured, for the moment a flag falls.
    """

    def __init__(self) -> None:
        # the supervisor has no use for it, and it takes longer to import than all else
        import tempfile

        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._file.truncate(SIZE_BYTES)
        self.descriptor = self._file.fileno()
        """To be inherited by the supervisor."""
        self._map = mmap.mmap(self.descriptor, SIZE_BYTES)
        self._numbers = memoryview(self._map).cast("q")
        self._numbers[SINCE] = time.monotonic_ns()

    def tell(self, is_awaited: bool) -> None:  # noqa: FBT001 - a question with one answer, asked twice a turn
        """Tell whether the bot is awaited from now on."""
        since = self._numbers[SINCE]
        if is_awaited and not since:
            self._numbers[SINCE] = time.monotonic_ns()
        elif since and not is_awaited:
            self._numbers[TOTAL] += time.monotonic_ns() - since
            self._numbers[SINCE] = 0

    def figures(self) -> list[int]:
        """Return what the supervisor has measured up to now; since its last look the bot is starved as before."""
        cpu_ns, starved_ns, steal_ns, pressure_ns, looked_ns, share = self._numbers[
            FIGURES:NUMBERS
        ].tolist()
        since_ns = min(time.monotonic_ns() - looked_ns, STALE_NS)
        return [cpu_ns, starved_ns + since_ns * share // 10**6, steal_ns, pressure_ns]

    def close(self) -> None:
        """Nobody looks any more; what is told from now on goes nowhere."""
        self._numbers.release()
        self._numbers = memoryview(bytearray(SIZE_BYTES)).cast("q")
        self._map.close()
        self._file.close()


class SupervisorsSide:
    """Side of the supervisor: what it reads and writes."""

    def __init__(self, descriptor: int) -> None:
        """Without a descriptor (-1) the bot is always awaited."""
        self._map = None if descriptor < 0 else mmap.mmap(descriptor, SIZE_BYTES)
        if descriptor >= 0:
            os.close(descriptor)

    def read(self, now_ns: int) -> tuple[int, bool]:
        """Return how long the bot has been awaited until now, in nanoseconds, and whether it is."""
        if self._map is None:
            return now_ns, True
        told = slice(0, FIGURES * WORD_BYTES)
        while (found := self._map[told]) != self._map[told]:
            pass  # it was changed in between
        total, since = memoryview(found).cast("q")
        return total + (max(0, now_ns - since) if since else 0), bool(since)

    def publish(self, figures: list[int]) -> None:
        """Tell the arena the figures as they are now."""
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
        self._awaited_ns = awaited.read(self._looked_ns)[0]
        self._used_ms = 0
        self._debt_ms = 0.0
        self._frozen: list[int] = []
        self._own_nice = os.nice(0)

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
            level = min(
                LOWEST, self._own_nice + level_of(len(extra))
            )  # an arena started by `nice` stands lower itself
            if int(family[pid][NICE]) < level:
                try:
                    os.setpriority(
                        os.PRIO_PROCESS, pid, level
                    )  # what it starts from now on inherits it
                except OSError:
                    pass  # it has ended


def _lower_session(pid: int, level: int) -> None:
    try:
        with open(f"/proc/{pid}/autogroup", "r+", encoding="ascii") as file:
            if int(file.read().split()[-1]) < level:
                file.write(str(level))
    except (OSError, IndexError):
        # it has ended; there is no such thing here; or not so often, and then the next look tries
        # again
        pass


def level_of(number: int) -> int:
    """The priority (0 to 19, the lowest) at which so many have together the weight of one."""
    return min(LOWEST, math.ceil(math.log(number) / math.log(STEP))) if number > 1 else 0


class Starvation:
    """Measures one bot; all figures grow from its start, in nanoseconds."""

    def __init__(self) -> None:
        self.starved_ns = self.steal_ns = 0
        self._own_nice = os.nice(0)
        self._known: dict[str, tuple[int, int]] = {}
        self._machine_steal_ns = machine_steal_ns()

    def look(self, own: dict[int, list[str]], passed_ns: int) -> None:
        """Look at the processes of the bot; so much time has passed since the last look."""
        found: dict[str, tuple[int, int]] = {}
        all_used_ns = longest_ns = 0
        for pid, fields in own.items():
            for name, path in _threads(pid):
                cpu_ns, wait_ns = found[name] = _schedule(path)
                known = self._known.get(name, (0, 0))
                used_ns = max(0, cpu_ns - known[0])
                all_used_ns += used_ns
                if (
                    int(fields[NICE]) <= self._own_nice
                ):  # who has made himself less important waits by his own will
                    longest_ns = max(longest_ns, used_ns + max(0, wait_ns - known[1]))
        self._known = found
        before, self._machine_steal_ns = self._machine_steal_ns, machine_steal_ns()
        self.steal_ns += self._machine_steal_ns - before
        stolen = (self._machine_steal_ns - before) // CORES if all_used_ns < passed_ns else 0
        self.starved_ns += min(passed_ns, max(0, longest_ns - all_used_ns) + stolen)


def _threads(pid: int) -> list[tuple[str, str]]:
    """Each thread of a process: its number, and the file that tells of it; none if it has ended."""
    try:
        return [
            (name, f"/proc/{pid}/task/{name}/schedstat") for name in os.listdir(f"/proc/{pid}/task")
        ]
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
    try:
        with open(path, "rb") as file:
            return file.readline()
    except OSError:
        return b""
