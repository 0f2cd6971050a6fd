"""Launched bots: when the arena starts and ends their programs, and what those that failed say of it."""

import os
import re
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import trio

from arena.own_programs import module_advice
from arena.server.io.event_loop import EventLoop
from arena.server.io.operator_log import Log
from arena.server.programs.containment import Containment
from arena.server.programs.cpu_share import AwaitedTime
from arena.server.programs.program import Ended, Program
from arena.server.setup.account import Account
from arena.words import Said

LAST_WORDS_BYTES: Final = 4096
"""How much of what a program that failed printed last is searched for the line that says why."""
LONGEST_WORDS: Final = 200
"""Characters of that line that the operator is shown."""
INTERPRETERS: Final = {".py": "python", ".js": "node", ".mjs": "node", ".sh": "sh", ".jar": "java -jar"}
"""How to start a file of a kind, for advice."""

_SAYS: Final = re.compile(
    r"""(?:Uncaught\ )?[\w.$]*(?:Error|Exception)(?:\ \[\w+\])?:\   # Node: above the stack
      | (?:Exception\ in\ thread|Caused\ by:)\                      # Java
      | (?:panic|fatal\ error):\                                    # Go
    """,
    re.VERBOSE,
)
"""The beginning of a line that says what went wrong."""
_PANICKED: Final = re.compile(r"thread '.*' .*panicked at ")
"""How Rust begins; what went wrong is in the next line."""
_STACK: Final = re.compile(
    r"""\s|[{}\[\]]|\.\.\.\ \d+\ more                               # deeper lines, and what Node shows of an error
      | Node\.js\ v                                                 # Node
      | goroutine\ |created\ by\ |exit\ status\ |[\w./*()]+\(.*\)$  # Go
      | stack\ backtrace:|note:\                                    # Rust
    """,
    re.VERBOSE,
)
"""The beginning of a line that only tells where it went wrong."""
_REFUSED: Final = re.compile(r"(?:No such file or directory|Permission denied): '([^'\n]+)'")
"""As Python says it."""


@dataclass(kw_only=True, eq=False, repr=False)
class Launched:
    """The program of one bot: `run` starts it, and again when the bot is wanted and gone."""

    loop: EventLoop
    account: Account
    command: Sequence[str]
    containment: Containment
    address: str
    reads: Sequence[str]
    """Files it may read beside its own."""
    output: Path
    """Where what it prints is kept, without the ending `.stdout` or `.stderr`."""
    log: Log
    _came: bool = False
    """Whether the program that runs now, or ran last, has logged in."""
    _lost_by: Said | None = None
    """Why it lost its connection while it was wanted at a table."""
    _is_running: bool = True
    _was_needed: bool = False
    """Whether it was called to a table; before that it has only been made ready."""
    _awaited: AwaitedTime | None = None
    """Of the program that runs now."""
    _end: Ended | None = None
    """How it ended; None while it runs, and before its first start."""

    def __post_init__(self) -> None:
        self._current = trio.CancelScope()
        self._wanted = trio.Event()
        self._token = self.account.token
        """The token the program was, or is first, started with; another is wanted once it cannot play any more."""
        self._waiting: list[Callable[[Ended], None]] = []
        self._stderr = self.output.with_name(f"{self.output.name}.stderr")
        """Keeps what it prints there, through all its starts."""

    def seen(self, lost: Said | None) -> None:
        """Its bot has logged in, or lost its connection for this reason."""
        if lost is None:
            self._came = True
        elif self.account.matches:
            self._lost_by = lost

    def tell_awaited(self, *, is_awaited: bool) -> None:
        """Tell the supervisor whether something is to come from the bot, from now on."""
        if self._awaited is not None:
            self._awaited.tell(is_awaited)

    def figures(self) -> list[int] | None:
        """Return what is measured of the bot and its machine, as `AwaitedTime.figures`; None before its start."""
        return None if self._awaited is None else self._awaited.figures()

    def call(self) -> None:
        """Its bot is needed and not here: start the program again unless it is on its way."""
        self._was_needed = True
        if self._token != self.account.token or not self._is_running:
            self._is_running = True
            self._wanted.set()
            self._current.cancel()

    async def run(self, ended: Callable[[Said | None, int], object]) -> None:
        """Keep the program going while it is wanted.

        `ended` is called with the reason and the time (ms) when it has ended; with no reason if the arena itself has
        failed over it, by an unexpected exception.
        """
        while True:
            try:
                with trio.CancelScope() as self._current:
                    how = await self._run_once()
                    if not self._wanted.is_set():
                        self._is_running = False
                        ended(Said("lost.program", {"how": how.reason}), self.loop.clock.now_ms())
                        self.loop.end_batch()
            except BaseExceptionGroup as errors:
                bugs, others = errors.split(Exception)
                if bugs is not None:
                    self._fail(bugs, ended)
                if others is not None:  # it was cancelled meanwhile
                    raise others from None
            except Exception as error:  # noqa: BLE001 - whatever it is, it is told, and harms no other bot
                self._fail(error, ended)
            await self._wanted.wait()
            self._wanted = trio.Event()

    def _fail(self, error: Exception, ended: Callable[[Said | None, int], object]) -> None:
        """The arena itself has failed over this program. Raises the exception again if the run must end."""
        self._is_running = False
        self.loop.failed(error)
        ended(None, self.loop.clock.now_ms())
        self.loop.end_batch()

    async def _run_once(self) -> Ended:
        """Run the program to its end. When cancelled it is ended, with everything it has started."""
        account = self.account
        self._token = account.token
        with closing(AwaitedTime()) as awaited:
            self._awaited = awaited
            program = Program(
                containment=self.containment,
                command=self.command,
                environment={"ARENA_ADDRESS": self.address, "ARENA_NAME": account.name, "ARENA_TOKEN": account.token},
                reads=self.reads,
                shared=[Path(self.address.removeprefix("unix:"))],
                output=self.output,
                on_breach=self._condemn,
                on_end=self._ended,
                awaited=awaited,
            )
            self._came, self._lost_by, self._end = False, None, None
            return await program.run()

    def _ended(self, how: Ended) -> None:
        """Its program is over: that is told where the bot should have played on."""
        self._end = how
        waiting, self._waiting = self._waiting, []
        for tell in waiting:
            tell(how)
        end = Said("lost.program", {"how": how.reason})
        if not self._came:
            if not self._was_needed or (self.account.matches and not how.is_by_itself):
                return  # it is started again when it is needed; or the whole run is being stopped
            self._failed("program_did_not_log_in", end if self.account.matches else Said("lost.too_slow"))
        elif self._lost_by is not None:
            is_more = how.is_by_itself and end != self._lost_by
            reason = Said("lost.twice", {"first": self._lost_by, "then": end}) if is_more else self._lost_by
            self._failed("program_lost", reason)

    def _failed(self, event: str, reason: Said) -> None:
        """Log it with the line of the program's last words that says why, and where all of it is."""
        lines = last_lines(self.last_words(LAST_WORDS_BYTES).decode(errors="replace"), 2)
        last = lines[-1].strip()[:LONGEST_WORDS] if lines else ""
        output = str(self._stderr)
        self.log.warning(event, name=self.account.name, reason=reason, last_words=last, output=output)

    def when_ended(self, tell: Callable[[Ended], None]) -> None:
        """Have this called once: when it has ended next, or at once if it has ended and was not started again."""
        if self._end is None:
            self._waiting.append(tell)
        else:
            tell(self._end)

    def last_words(self, most_bytes: int) -> bytes:
        """The end of its standard error, with stars in place of its token; empty if it said nothing."""
        if not self._stderr.exists():
            return b""
        token = self._token.encode()
        with self._stderr.open("rb") as file:  # read on by its length, so that it is not cut where the end begins
            file.seek(max(0, self._stderr.stat().st_size - most_bytes - len(token)))
            return file.read().replace(token, b"*" * len(token))[-most_bytes:]

    def _condemn(self, reason: Said) -> None:
        if self.account.connection is not None:
            self.account.connection.cut(reason)


def program_problems(commands: Mapping[str, Sequence[str]], directory: Path) -> list[str]:
    """Return why programs of bots cannot be started at all; an operator's mistake, told before anything begins."""
    problems = []
    for name, command in commands.items():
        program = command[0]
        path = directory / program
        is_file = os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises for a name too long to be one
        if "/" in program and is_file:
            if not os.access(path, os.X_OK):
                advice = f"chmod +x {shlex.quote(program)}, or write: {_starting(path, program)}"
                problems.append(f"bot {name}: {program!r} is not executable; {advice}")
        elif "/" in program or not shutil.which(program):
            advice = "give a path or a name found on PATH"
            if "/" not in program and is_file:
                advice = f"for the file {program} write: {_starting(path, program)}"
            problems.append(f"bot {name}: there is no program {program!r}; {advice}")
    return problems


def _starting(path: Path, program: str) -> str:
    name = shlex.quote(program)
    return f"./{name}" if os.access(path, os.X_OK) else f"{INTERPRETERS.get(path.suffix, 'INTERPRETER')} {name}"


def last_lines(said: str, most: int) -> tuple[str, ...]:
    """At most so many of the last lines of standard error (2 or more), the one that says what went wrong last.

    Before it come lines that say where: of a traceback of Python those from the last file on, of a stack of Node,
    Java, Go or Rust its first lines. Control characters are shown as codes.
    """
    lines = [
        "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in line.expandtabs(4))
        for line in map(str.rstrip, said.splitlines())
        if line
    ]
    for number in range(len(lines) - 1, -1, -1):
        stack = lines[number + 1 : number + most]
        if stack and _SAYS.match(lines[number]):
            return (*stack, lines[number])
        if number and _PANICKED.match(lines[number - 1]):
            return (*stack, f"{lines[number - 1]} {lines[number].strip()}")
        if not _STACK.match(lines[number]):
            break
    places = [number for number, line in enumerate(lines) if line.startswith('  File "')]
    place, end = places[-1] if places else 0, len(lines) - most
    far = (lines[place],) if places and place < end else ()
    return (*far, *lines[max(place, end + len(far)) :])


def advice(said: str, directory: Path) -> str:
    """Return what to do after these last words of a program that ran in `directory`; empty if nothing is known."""
    if "main() missing 1 required positional argument: 'self'" in said:
        return "write `.main()` behind the bot, not behind its class: Mine().main()"
    if known := module_advice(said):
        return known
    for name in reversed(_REFUSED.findall(said)):
        if (directory / name).exists():
            return (
                f"{name} is there, but the sandbox shows a bot little beside its own folder: put the file there, "
                f'or give reads = ["{name}"] beside the command in a tournament file'
            )
    return ""
