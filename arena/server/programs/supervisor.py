"""The supervisor of one launched program: a small program of its own that stands between the arena and the bot.

    MEMORY_MIB CPU_MS PROCESSES OPEN_FILES FILE_MIB PONDERING AWAITED GROUPS WRAPPERS
        RULES [RULE ...] PROGRAM [ARGUMENT ...]

It ends PROGRAM with all that it has started when PROGRAM ends, when the arena says so, or when the
arena is gone. PONDERING (0 or 1) and AWAITED, a descriptor or -1, are for cpu_share.py. GROUPS is
the folder for control groups (cgroups.py); empty if there is none. WRAPPERS counts the processes at
the top that are the sandbox's. RULES counts the rules of Landlock that follow (landlock.py);
folders that they allow to write to are removed at the end.

Why a process of its own: the arena may be killed by a signal that it cannot catch, and then
somebody must clean up. Between fork and exec in the arena no limits can be set: code there may wait
for ever for a lock of one of its other threads, and "kill me when my parent ends" is bound to the
thread that forked, in trio one that ends when it is idle.

Its standard input is a socket to the arena. The arena says `t` (ask everybody to end: SIGTERM), `k`
(the verdict is known, end them), and closing means the same as `k`. The supervisor says lines:

    begun NUMBER                the number of its own process
    failed REASON               PROGRAM could not be started
    broke TRACEBACK             the supervisor itself has failed (JSON); it is the last line, or `ended` follows
    breach LIMIT NUMBER         a limit was passed; everything stands still until the arena has answered
    unbegun                     the sandbox has ended before it was PROGRAM
    ended CODE MIB CPU_MS       all is over: exit status (negative: a signal), most memory seen, CPU time used

It imports only the standard library and the files beside it that say so. On Linux it is a
"subreaper", the parent of every process whose parent exits, and so finds those that leave the group
and the session. Elsewhere only the limits that the system keeps remain, and only the process group
is ended.
"""

import os
import resource
import select
import signal
import time

from arena.server.programs import landlock, syscall_filter
from arena.server.programs.cgroups import THREADS_PER_PROCESS, Group
from arena.server.programs.cpu_share import (
    CpuShare,
    Starvation,
    SupervisorsSide,
    machine_pressure_ns,
)
from arena.server.programs.family import (
    CPU_FROM,
    CPU_TO,
    HAS_PROC,
    THREADS,
    HeldMemory,
    HiddenError,
    ProcessFamily,
    send_signal,
)

MIB = 1024 * 1024
TICKS = os.sysconf("SC_CLK_TCK")
FILL_BYTES = 4 << 30
"""What a program might take of memory in a second; so long before it could reach its limit it is
looked at again."""
LOOK_SECONDS = (0.02, 0.1)
"""The shortest and the longest time between two looks."""
LEASH_SECONDS = 0.005
"""How soon a program that owes much CPU time is stopped when it is not awaited any more, and goes
on when it is."""
HIDDEN_CPU_MS = 200
"""CPU time of a program and its sandbox during which what it holds may be hidden."""
ANSWER_SECONDS = 2.0
"""How long the arena may take to note a breach before the program is ended."""
KILL_SECONDS = 10.0
"""How long to go on killing; only a process that hangs in the system itself outlives it."""
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


class Usage:
    """Findings of one look."""

    memory_bytes = cpu_ms = processes = threads = 0
    hides = False


class Supervisor:
    """Watches one program from its start to the end of its last child."""

    def __init__(self, words: list[str]) -> None:
        numbers = list(map(int, words[:6]))
        self._memory_limit = (
            numbers[0] * MIB
        )  # of the program and everything it starts, all together
        self._cpu_limit_ms, self._most_processes = numbers[1:3]
        self._open_files, self._file_bytes = (
            numbers[3],
            numbers[4] * MIB,
        )  # of each process, of each file
        groups, self._wrappers, rules = words[7], int(words[8]), int(words[9])
        self._rules, self._command = words[10 : 10 + rules], words[10 + rules :]
        self._arena = os.dup(0)
        self._family = ProcessFamily()
        self._memory = HeldMemory(self._wrappers, is_contained=bool(self._wrappers or rules))
        self._side = SupervisorsSide(int(words[6]))
        self._share = CpuShare(
            self._family, self._wrappers, self._side, may_ponder=bool(numbers[5])
        )
        self._group = None
        if groups:
            try:
                self._group = Group(
                    groups, memory_bytes=self._memory_limit, processes=self._most_processes
                )
            except OSError:
                pass  # what is measured here holds all the same
        self._starvation = Starvation()
        self._looked_ns = time.monotonic_ns()
        self._awaited_ns = 0
        self._is_asked_to_end = False
        self._program = 0
        self._sandbox_status = -1
        """A pipe in which the sandbox tells how PROGRAM has ended, if it has begun."""
        self._status: int | None = None
        self._most_bytes = 0
        self._cpu_ms = 0
        self._is_over = False

    def run(self) -> None:
        """Start the program and see it, and everything it leaves behind, to its end."""
        self._tell(f"begun {os.getpid()}")
        wake, waker = os.pipe()
        os.set_blocking(waker, False)
        signal.set_wakeup_fd(
            waker
        )  # a child that ends, or a signal to us, ends the waiting below at once
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._told_to_end)
        _control(PR_SET_CHILD_SUBREAPER, 1)
        self._program = self._start()
        due = time.monotonic() + self._pause(0)
        while not self._is_over:
            pause = max(0.0, due - time.monotonic())
            ready, _, _ = select.select(
                [self._arena, wake],
                [],
                [],
                min(pause, LEASH_SECONDS) if self._share.is_leashed else pause,
            )
            if wake in ready:
                os.read(wake, 4096)
            if self._arena in ready:
                self._hear()
            self._reap()
            if self._is_over:
                break
            if time.monotonic() >= due:
                due = time.monotonic() + self._look()
            elif not self._is_asked_to_end:
                self._share.hold()
        self._end_all()
        code = 0 if self._status is None else os.waitstatus_to_exitcode(self._status)
        if self._wrappers and not self._has_program_ended():
            self._tell("unbegun")
        self._tell(f"ended {code} {self._most_bytes // MIB} {self._cpu_ms}")

    def _told_to_end(self, *_: object) -> None:
        self._is_over = True

    def _start(self) -> int:
        me = os.getpid()
        status = os.pipe() if self._wrappers else ()
        child = os.fork()
        if child:
            if status:
                self._sandbox_status = status[0]
                os.set_blocking(status[0], False)
                os.close(status[1])
            return child
        try:
            os.setsid()
            _control(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != me:
                os._exit(1)  # too late: we have been killed already
            if self._group is not None:
                self._group.enter()
            self._confine()
            null = os.open(os.devnull, os.O_RDONLY)
            os.dup2(null, 0)
            signal.set_wakeup_fd(-1)
            for number in (
                signal.SIGPIPE,
                signal.SIGXFSZ,
            ):  # Python ignores them, and that is inherited
                signal.signal(number, signal.SIG_DFL)
            if status:
                os.set_inheritable(status[1], True)
                self._command[1:1] = [
                    "--json-status-fd",
                    str(status[1]),
                    *syscall_filter.for_bubblewrap(),
                ]
            if self._rules:
                syscall_filter.install()
                landlock.restrict(self._rules)
            self._execute()
        except BaseException:  # noqa: BLE001 - whatever it is, the arena is told
            tell_failure(self._arena)
        finally:
            os._exit(127)  # whatever happens, there must not be two supervisors

    def _has_program_ended(self) -> bool:
        """Return whether the sandbox has seen the end of the program; if not, it has not become the program."""
        try:
            return b"exit-code" in os.read(self._sandbox_status, 4096)
        except BlockingIOError:  # something that could not be ended still holds the other end
            return True

    def _execute(self) -> None:
        try:
            os.execvp(self._command[0], self._command)  # noqa: S606 - to start it is what this program is for
        except OSError as error:
            self._tell(f"failed {error.strerror or error}")

    def _hear(self) -> None:
        said = os.read(self._arena, 64)
        if not said or b"k" in said:
            self._is_over = True
        elif b"t" in said:
            self._is_asked_to_end = True
            self._share.let_go()
            send_signal(list(self._family.look())[self._wrappers :], signal.SIGTERM)
            if not HAS_PROC:
                _signal_group(self._program, signal.SIGTERM)

    def _tell(self, line: str) -> None:
        try:
            os.write(self._arena, f"{line}\n".encode())
        except BrokenPipeError:
            pass  # the arena is gone; nobody is left who could want to know

    def _reap(self) -> bool:
        """Collect every child that has ended; whether any is left."""
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return True
                if pid == self._program:
                    self._status = status
                    self._is_over = True
        except ChildProcessError:
            return False

    def _look(self) -> float:
        """Measure; gives the seconds until the next look.

        Stops the program and tells when it is beyond a limit.
        """
        family = self._family.look()
        usage = self._measure(family)
        reason = self._breach(usage)
        if reason is not None:
            self._stop(reason)
            return 0.0
        if HAS_PROC:
            self._look_for_starvation(family, usage.cpu_ms)
        if not self._is_asked_to_end:
            self._share.measured(usage.cpu_ms, family)
        return self._pause(usage.memory_bytes)

    def _look_for_starvation(
        self,
        family: dict[int, list[str]],
        cpu_ms: int,
    ) -> None:
        before, self._looked_ns = self._looked_ns, time.monotonic_ns()
        awaited_ns, _ = self._side.read(self._looked_ns)
        if awaited_ns > self._awaited_ns:
            self._awaited_ns = awaited_ns
            passed_ns, starved_ns = self._looked_ns - before, self._starvation.starved_ns
            self._starvation.look(dict(list(family.items())[self._wrappers :]), passed_ns)
            share = (self._starvation.starved_ns - starved_ns) * 10**6 // max(1, passed_ns)
            figures = [
                cpu_ms * 10**6,
                self._starvation.starved_ns,
                self._starvation.steal_ns,
                machine_pressure_ns(),
            ]
            self._side.publish([*figures, self._looked_ns, share])

    def _pause(self, used_bytes: int) -> float:
        """Return how long the program needs at least for what is left of its memory, in seconds, within bounds."""
        room = (self._memory_limit - used_bytes) / FILL_BYTES
        return min(max(room, LOOK_SECONDS[0]), LOOK_SECONDS[1])

    def _measure(self, family: dict[int, list[str]]) -> Usage:
        usage = Usage()
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        ticks = 0
        for fields in family.values():
            ticks += sum(
                map(int, fields[CPU_FROM:CPU_TO])
            )  # own and waited-for children's, user and system
            usage.threads += int(fields[THREADS])
        usage.processes = max(0, len(family) - self._wrappers)
        usage.cpu_ms = int((ended.ru_utime + ended.ru_stime + ticks / TICKS) * 1000)
        try:
            usage.memory_bytes = self._memory.measure(family, self._memory_limit)
        except HiddenError:
            # The sandbox itself hides until it has become the program; with so little CPU time
            # nobody has filled much.
            usage.hides = usage.cpu_ms > HIDDEN_CPU_MS
        if self._group is not None:
            usage.memory_bytes = max(usage.memory_bytes, self._group.memory_bytes())
            usage.cpu_ms = max(usage.cpu_ms, self._group.cpu_ms())
        self._most_bytes = max(self._most_bytes, usage.memory_bytes)
        self._cpu_ms = max(self._cpu_ms, usage.cpu_ms)
        return usage

    def _stop(self, reason: str) -> None:
        """Let nothing move until the arena has noted why: else it would hear of a lost connection first."""
        for _ in range(2):  # what was started during the first round is found in the second
            send_signal(list(self._family.look()), signal.SIGSTOP)
        self._tell(f"breach {reason}")
        end = time.monotonic() + ANSWER_SECONDS
        while not self._is_over and (left := end - time.monotonic()) > 0:
            if select.select([self._arena], [], [], left)[0]:
                self._hear()
        self._is_over = True

    def _end_all(self) -> None:
        """Kill whatever is left, again and again until there is nothing: new ones may be started meanwhile."""
        end = time.monotonic() + KILL_SECONDS
        _signal_group(self._program, signal.SIGKILL)
        while self._reap() and time.monotonic() < end:
            family = list(self._family.look())
            send_signal(family, signal.SIGSTOP)
            send_signal(family, signal.SIGKILL)
            time.sleep(0.005)
        if HAS_PROC:
            self._measure({})
        if self._group is not None:
            self._group.remove()
        for rule in self._rules:
            if rule[0] == "w":
                import shutil

                shutil.rmtree(rule[1:], ignore_errors=True)

    def _breach(self, usage: Usage) -> str | None:
        """Name the limit that was passed and its number: the last part of a code of the catalogue, and its value."""
        threads = self._most_processes * THREADS_PER_PROCESS
        if usage.memory_bytes > self._memory_limit:
            return f"memory {self._memory_limit // MIB}"
        if usage.hides:
            return "hidden_memory 0"
        if usage.processes > self._most_processes:
            return f"processes {self._most_processes}"
        if usage.threads > threads:
            return f"threads {threads}"
        if usage.cpu_ms > self._cpu_limit_ms:
            return f"cpu {self._cpu_limit_ms}"
        return None

    def _confine(self) -> None:
        cpu_seconds = (
            self._cpu_limit_ms // 1000 + 2
        )  # of each process; on Linux the look above comes first
        for kind, most in (
            (resource.RLIMIT_NOFILE, self._open_files),
            (resource.RLIMIT_FSIZE, self._file_bytes),
            (resource.RLIMIT_CPU, cpu_seconds),
            (resource.RLIMIT_CORE, 0),
        ):
            hard = resource.getrlimit(kind)[1]
            allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (allowed, allowed))
        if HAS_PROC:
            try:
                # Should memory run out all the same, the system takes this before anything else.
                with open("/proc/self/oom_score_adj", "wb") as file:
                    file.write(b"1000")
            except OSError:
                pass  # not allowed in some containers; it is a precaution, not a limit


def tell_failure(arena: int) -> None:
    """Tell the arena of the exception that is being handled, with its traceback."""
    import json
    import traceback

    try:
        os.write(arena, f"broke {json.dumps(traceback.format_exc())}\n".encode())
    except BrokenPipeError:
        pass  # as in `Supervisor`


def _signal_group(pid: int, number: int) -> None:
    try:
        os.killpg(pid, number)
    except (ProcessLookupError, PermissionError):
        # all have ended; a group of nothing but ended processes gives the second error on some
        # systems
        pass


def _control(option: int, value: int) -> None:
    if HAS_PROC:
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
