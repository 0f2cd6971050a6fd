"""Launched bots: when the arena starts and ends their programs, and what those that failed say of it."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import trio

from arena.records.facts import NOT_STARTED
from arena.server.io.event_loop import EventLoop
from arena.server.io.operator_log import Log
from arena.server.programs.bot_command import BotCommand
from arena.server.programs.containment import Containment
from arena.server.programs.cpu_share import AwaitedTime
from arena.server.programs.last_lines import last_lines
from arena.server.programs.program import Ended, Program
from arena.server.setup.account import Account
from arena.words import Said

LAST_WORDS_BYTES: Final = 4096
"""How much of what a program that failed printed last is searched for the line that says why."""
LONGEST_WORDS: Final = 200
"""Characters of that line that the operator is shown."""


class SupervisorError(Exception):
    """The arena's part of a launched program has failed; the message says all that is known."""


@dataclass(kw_only=True, eq=False, repr=False)
class Launched:
    """The program of one bot: `run` starts it, and again when the bot is wanted and gone."""

    loop: EventLoop
    account: Account
    command: BotCommand
    containment: Containment
    address: str
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
        """The token the program was, or is first, started with; another is wanted once it cannot
        play any more."""
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

        `ended` is called with the reason and the time (ms) when it has ended. The reason has the
        code `NOT_STARTED` if the arena could not start it. There is none if the arena itself has
        failed over it, by an unexpected exception.
        """
        while True:
            try:
                with trio.CancelScope() as self._current:
                    how = await self._run_once()
                    if not self._wanted.is_set():
                        self._is_running = False
                        reason = Said("lost.program", {"how": how.reason})
                        if how.fault and not self._came:
                            reason = Said(NOT_STARTED, {"name": self.account.name})
                        ended(reason, self.loop.clock.now_ms())
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

    def _fail(
        self,
        error: Exception,
        ended: Callable[[Said | None, int], object],
    ) -> None:
        """The arena itself has failed over this program.

        Raises the exception again if the run must end.
        """
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
                address=self.address,
                name=account.name,
                token=account.token,
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
        if how.fault:
            self.loop.failed(SupervisorError(how.fault))
        if not self._came:
            if how.fault:
                return  # nobody is to blame, and the operator has been told
            if not self._was_needed or (self.account.matches and not how.is_by_itself):
                return  # it is started again when it is needed; or the whole run is being stopped
            self._failed(
                "program_did_not_log_in", end if self.account.matches else Said("lost.too_slow")
            )
        elif self._lost_by is not None:
            is_more = how.is_by_itself and end != self._lost_by
            reason = (
                Said("lost.twice", {"first": self._lost_by, "then": end})
                if is_more
                else self._lost_by
            )
            self._failed("program_lost", reason)

    def _failed(self, event: str, reason: Said) -> None:
        """Log it with the line of the program's last words that says why, and where all of it is."""
        lines = last_lines(self.last_words(LAST_WORDS_BYTES).decode(errors="replace"), 2)
        last = lines[-1].strip()[:LONGEST_WORDS] if lines else ""
        output = str(self._stderr)
        self.log.warning(
            event, name=self.account.name, reason=reason, last_words=last, output=output
        )

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
        with self._stderr.open(
            "rb"
        ) as file:  # read on by its length, so that it is not cut where the end begins
            file.seek(max(0, self._stderr.stat().st_size - most_bytes - len(token)))
            return file.read().replace(token, b"*" * len(token))[-most_bytes:]

    def _condemn(self, reason: Said) -> None:
        if self.account.connection is not None:
            self.account.connection.cut(reason)
