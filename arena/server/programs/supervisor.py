"""The supervisor of one launched program: a small program between the arena and the bot.

    MEMORY_MIB CPU_MS PROCESSES OPEN_FILES FILE_MIB PONDERING AWAITED GROUPS WRAPPERS
        RULES [RULE ...] PROGRAM [ARGUMENT ...]

It ends PROGRAM with all that it has started when PROGRAM ends, when the arena says so, or when the
arena is gone. PONDERING (0 or 1) and AWAITED, a descriptor or -1, are for cpu_share.py. GROUPS is
the folder for control groups (cgroups.py); empty if there is none. WRAPPERS counts the processes at
the top that are the sandbox's. RULES counts the rules of Landlock that follow (landlock.py);
folders that they allow to write to are removed at the end.

It is a separate process because the arena may be killed by a signal that it cannot catch: the
supervisor then cleans up. The arena itself cannot set limits between fork and exec: code there may
wait for ever for a lock of another thread, and "kill me when my parent ends" is bound to the thread
that forked, in trio a thread that ends when it is idle.

Its standard input is a socket to the arena. The arena sends `t` (ask all processes to end: SIGTERM)
and `k` (the verdict is known, end them); to close the socket means `k`. The supervisor sends lines:

    started NUMBER              the number of its own process
    failed REASON               PROGRAM could not be started
    broke TRACEBACK             the supervisor itself has failed (JSON); only `ended` may follow
    breach LIMIT NUMBER         a limit was passed; all is stopped until the arena answers
    unbegun                     the sandbox has ended before it was PROGRAM
    ended CODE MIB CPU_MS       all is over: exit status (negative: a signal), most memory, CPU time

It imports only the standard library and the files beside it that allow it. On Linux it is a
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
"""Memory that a program might take in a second: the next look comes before it is at its limit."""
LEAST_LOOK_SECONDS, MOST_LOOK_SECONDS = 0.02, 0.1
"""The shortest and the longest time between two looks."""
LEASH_SECONDS = 0.005
"""Time until a program that owes much CPU time is stopped, or goes on when it is awaited."""
HIDDEN_CPU_MS = 200
"""CPU time of a program and its sandbox during which its memory may be hidden."""
ANSWER_SECONDS = 2.0
"""How long the arena may take to note a breach before the program is ended."""
KILL_SECONDS = 10.0
"""Time to go on killing; only a process that hangs in the system itself outlives it."""
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


class Usage:
    """Usage of a program at one look."""

    memory_bytes = cpu_ms = processes = threads = 0
    hides = False


class Supervisor:
    """Watches one program from its start to the end of its last child."""

    def __init__(self, words: list[str]) -> None:
        memory_mib, cpu_ms, processes, open_files, file_mib, pondering = map(int, words[:6])
        awaited, groups, wrappers, rules = words[6:10]
        command_start = 10 + int(rules)
        self._memory_limit = memory_mib * MIB
        """Of the program and everything it starts, all together."""
        self._cpu_limit_ms = cpu_ms
        self._most_processes = processes
        self._open_files = open_files
        """Of each process."""
        self._file_bytes = file_mib * MIB
        """Of each file."""
        self._wrappers = int(wrappers)
        self._rules = words[10:command_start]
        self._command = words[command_start:]
        self._arena = os.dup(0)
        self._family = ProcessFamily()
        is_contained = bool(self._wrappers or self._rules)
        self._memory = HeldMemory(self._wrappers, is_contained=is_contained)
        self._side = SupervisorsSide(int(awaited))
        self._share = CpuShare(
            self._family,
            self._wrappers,
            self._side,
            may_ponder=bool(pondering),
        )
        self._group = None
        if groups:
            try:
                self._group = Group(
                    groups, memory_bytes=self._memory_limit, processes=self._most_processes
                )
            except OSError:
                pass  # the limits of this supervisor hold all the same
        self._starvation = Starvation()
        self._looked_ns = time.monotonic_ns()
        self._awaited_ns = 0
        self._is_asked_to_end = False
        self._program = 0
        self._sandbox_status = -1
        """A pipe in which the sandbox reports the end of PROGRAM, if it has started."""
        self._status: int | None = None
        self._most_bytes = 0
        self._cpu_ms = 0
        self._is_over = False

    def run(self) -> None:
        """Start the program and watch it until its last process has ended."""
        self._tell(f"started {os.getpid()}")
        wake, waker = os.pipe()
        os.set_blocking(waker, False)
        signal.set_wakeup_fd(waker)  # the end of a child, or a signal to us, ends `select` below
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._told_to_end)
        _control(PR_SET_CHILD_SUBREAPER, 1)
        self._program = self._start()
        try:
            self._watch(wake)
        finally:
            self._end_all()
        code = 0
        if self._status is not None:
            code = os.waitstatus_to_exitcode(self._status)
        if self._wrappers and not self._has_program_ended():
            self._tell("unbegun")
        self._tell(f"ended {code} {self._most_bytes // MIB} {self._cpu_ms}")

    def _watch(self, wake: int) -> None:
        """Look at the family now and then until it is over; `wake` is readable after a signal."""
        due = time.monotonic() + self._pause(0)
        while not self._is_over:
            pause = max(0.0, due - time.monotonic())
            if self._share.is_leashed:
                pause = min(pause, LEASH_SECONDS)
            ready, _, _ = select.select([self._arena, wake], [], [], pause)
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

    def _told_to_end(self, *_: object) -> None:
        self._is_over = True

    def _start(self) -> int:
        """Fork the process of the program; return its id."""
        supervisor = os.getpid()
        status_reader = status_writer = -1
        if self._wrappers:
            status_reader, status_writer = os.pipe()
        child = os.fork()
        if child:
            if self._wrappers:
                self._sandbox_status = status_reader
                os.set_blocking(status_reader, False)
                os.close(status_writer)
            return child
        try:
            self._become_program(supervisor, status_writer)
        except BaseException:  # noqa: BLE001 - each failure is reported to the arena
            tell_failure(self._arena)
        finally:
            os._exit(127)  # there must never be two supervisors

    def _become_program(self, supervisor: int, status_writer: int) -> None:
        """Set the limits of this process, which was forked just now, and execute the program."""
        os.setsid()
        _control(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != supervisor:
            os._exit(1)  # too late: the supervisor has been killed already
        if self._group is not None:
            self._group.enter()
        self._confine()
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them; it is inherited
            signal.signal(number, signal.SIG_DFL)
        if self._wrappers:
            os.set_inheritable(status_writer, True)
            self._command[1:1] = [
                "--json-status-fd",
                str(status_writer),
                *syscall_filter.for_bubblewrap(),
            ]
        if self._rules:
            syscall_filter.install()
            landlock.restrict(self._rules)
        self._execute()

    def _has_program_ended(self) -> bool:
        """Return whether the sandbox has seen the end of the program, and so has become it."""
        try:
            return b"exit-code" in os.read(self._sandbox_status, 4096)
        except BlockingIOError:  # a process that could not be ended still holds the other end
            return True

    def _execute(self) -> None:
        try:
            os.execvp(self._command[0], self._command)  # noqa: S606 - the purpose of a supervisor
        except OSError as error:
            self._tell(f"failed {error.strerror or error}")

    def _hear(self) -> None:
        """Obey the arena: end all at once, or ask the program to end."""
        try:
            orders = os.read(self._arena, 64)
        except ConnectionResetError:
            orders = b""  # the arena is gone, and has not read our last word
        if not orders or b"k" in orders:
            self._is_over = True
        elif b"t" in orders:
            self._is_asked_to_end = True
            self._share.let_go()
            send_signal(list(self._family.look())[self._wrappers :], signal.SIGTERM)
            if not HAS_PROC:
                _signal_group(self._program, signal.SIGTERM)

    def _tell(self, line: str) -> None:
        try:
            os.write(self._arena, f"{line}\n".encode())
        except BrokenPipeError:
            pass  # the arena is gone

    def _reap(self) -> bool:
        """Collect all children that have ended; return whether others live."""
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
        """Measure the program; return the seconds until the next look.

        If the program is beyond a limit, stop it and report that.
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
        """Publish how long the program had no processor, if the arena has waited for it."""
        now_ns = time.monotonic_ns()
        passed_ns = now_ns - self._looked_ns
        self._looked_ns = now_ns
        awaited_ns, _ = self._side.read(now_ns)
        if awaited_ns <= self._awaited_ns:
            return
        self._awaited_ns = awaited_ns
        starved_before_ns = self._starvation.starved_ns
        without_wrappers = dict(list(family.items())[self._wrappers :])
        self._starvation.look(without_wrappers, passed_ns)
        starved_ns = self._starvation.starved_ns - starved_before_ns
        figures = [
            cpu_ms * 10**6,
            self._starvation.starved_ns,
            self._starvation.steal_ns,
            machine_pressure_ns(),
            now_ns,
            starved_ns * 10**6 // max(1, passed_ns),
        ]
        self._side.publish(figures)

    def _pause(self, used_bytes: int) -> float:
        """Return the seconds in which the program cannot fill its memory, within bounds."""
        seconds = (self._memory_limit - used_bytes) / FILL_BYTES
        return min(max(seconds, LEAST_LOOK_SECONDS), MOST_LOOK_SECONDS)

    def _measure(self, family: dict[int, list[str]]) -> Usage:
        """Return what the family uses, and keep the most."""
        usage = Usage()
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        ticks = 0
        for fields in family.values():
            # user and system time of the process and of children that it has waited for
            ticks += sum(map(int, fields[CPU_FROM:CPU_TO]))
            usage.threads += int(fields[THREADS])
        usage.processes = max(0, len(family) - self._wrappers)
        usage.cpu_ms = int((ended.ru_utime + ended.ru_stime + ticks / TICKS) * 1000)
        try:
            usage.memory_bytes = self._memory.measure(family, self._memory_limit)
        except HiddenError:
            # The sandbox itself hides until it has become the program. No program fills much
            # memory with so little CPU time.
            usage.hides = usage.cpu_ms > HIDDEN_CPU_MS
        if self._group is not None:
            usage.memory_bytes = max(usage.memory_bytes, self._group.memory_bytes())
            usage.cpu_ms = max(usage.cpu_ms, self._group.cpu_ms())
        self._most_bytes = max(self._most_bytes, usage.memory_bytes)
        self._cpu_ms = max(self._cpu_ms, usage.cpu_ms)
        return usage

    def _stop(self, reason: str) -> None:
        """Stop all processes until the arena has noted the reason, before a connection is lost."""
        for _ in range(2):  # the second round finds processes started during the first
            send_signal(list(self._family.look()), signal.SIGSTOP)
        self._tell(f"breach {reason}")
        end = time.monotonic() + ANSWER_SECONDS
        seconds = ANSWER_SECONDS
        while not self._is_over and seconds > 0:
            ready, _, _ = select.select([self._arena], [], [], seconds)
            if ready:
                self._hear()
            seconds = end - time.monotonic()
        self._is_over = True

    def _end_all(self) -> None:
        """Kill all processes, again and again until there are none: they may start new ones."""
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
        """Return the limit that was passed, by the last part of its code, and its number."""
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
        """Set the limits of a process, which holds them for all that it starts."""
        # of each process; on Linux `_look` comes first
        cpu_seconds = self._cpu_limit_ms // 1000 + 2
        for kind, most in (
            (resource.RLIMIT_NOFILE, self._open_files),
            (resource.RLIMIT_FSIZE, self._file_bytes),
            (resource.RLIMIT_CPU, cpu_seconds),
            (resource.RLIMIT_CORE, 0),
        ):
            _, hard = resource.getrlimit(kind)
            if hard != resource.RLIM_INFINITY:
                most = min(most, hard)
            resource.setrlimit(kind, (most, most))
        if HAS_PROC:
            try:
                # If memory runs out all the same, the system ends this process first.
                with open("/proc/self/oom_score_adj", "wb") as file:
                    file.write(b"1000")
            except OSError:
                pass  # not allowed in some containers; it is a precaution, not a limit


def tell_failure(arena: int) -> None:
    """Report the exception that is handled now to the arena, with its traceback."""
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
