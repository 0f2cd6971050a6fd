"""Launched bots: the starts and ends of their programs, and the last words of those that failed."""

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
"""Bytes of the last words of a program that are searched for the line with the reason."""
LONGEST_WORDS: Final = 200
"""Characters of that line in the operator's log."""


class SupervisorError(Exception):
    """A failure of the arena's part of a launched program; the message has all details."""


@dataclass(kw_only=True, eq=False, repr=False)
class Launched:
    """The program of one bot: `run` starts it, and starts it again when a match needs it."""

    loop: EventLoop
    account: Account
    command: BotCommand
    containment: Containment
    address: str
    output: Path
    """The path of its output files, without the ending `.stdout` or `.stderr`."""
    log: Log
    _came: bool = False
    """True if the program that runs now, or ran last, has logged in."""
    _lost_by: Said | None = None
    """Why it lost its connection while a match needed it."""
    _is_running: bool = True
    _was_needed: bool = False
    """True once it was called to a match, but for one that the arena itself has ended.

    Before that it was only made ready.
    """
    _awaited: AwaitedTime | None = None
    """The awaited time of the program that runs now."""
    _end: Ended | None = None
    """How it ended; None while it runs, and before its first start."""

    def __post_init__(self) -> None:
        self._current = trio.CancelScope()
        self._wanted = trio.Event()
        self._token = self.account.token
        """The token of the last start, or of the first one to come.

        The account gets another one once the program cannot play any more.
        """
        self._waiting: list[Callable[[Ended], None]] = []
        self._stderr = self.output.with_name(f"{self.output.name}.stderr")
        """Its standard error, through all its starts."""

    def seen(self, lost: Said | None) -> None:
        """Note that its bot has logged in, or lost its connection for this reason."""
        if lost is None:
            self._came = True
        elif self.account.matches:
            self._lost_by = lost

    def tell_awaited(self, *, is_awaited: bool) -> None:
        """Tell the supervisor whether the bot is awaited from now on."""
        if self._awaited is not None:
            self._awaited.tell(is_awaited)

    def figures(self) -> list[int] | None:
        """Return the figures of `AwaitedTime`; None before its start."""
        if self._awaited is None:
            return None
        return self._awaited.figures()

    def call(self) -> None:
        """Start the program again for a match, unless it has just been started."""
        self._was_needed = True
        if self._token != self.account.token or not self._is_running:
            self._is_running = True
            self._wanted.set()
            self._current.cancel()

    def excuse(self) -> None:
        """Note that the arena has ended a match of its bot: only others may still need it."""
        self._was_needed = self.account.matches > 0

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
            except Exception as error:  # noqa: BLE001 - it is reported, and harms no other bot
                self._fail(error, ended)
            await self._wanted.wait()
            self._wanted = trio.Event()

    def _fail(
        self,
        error: Exception,
        ended: Callable[[Said | None, int], object],
    ) -> None:
        """Report that the arena itself has failed over this program.

        Raises the exception again if the run must end.
        """
        self._is_running = False
        self.loop.failed(error)
        ended(None, self.loop.clock.now_ms())
        self.loop.end_batch()

    async def _run_once(self) -> Ended:
        """Run the program to its end. If cancelled, end it with everything it has started."""
        if not self.command.words:
            return Ended(reason=Said(NOT_STARTED), fault="there is no program")
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
            self._came = False
            self._lost_by = None
            self._end = None
            return await program.run()

    def _ended(self, how: Ended) -> None:
        """Report the end of the program where the bot should have played on."""
        self._end = how
        waiting, self._waiting = self._waiting, []
        for tell in waiting:
            tell(how)
        if how.fault:
            self.loop.failed(SupervisorError(how.fault))
        if not self._came:
            self._report_no_login(how)
        elif self._lost_by is not None:
            self._report_loss(self._lost_by, how)

    def _report_no_login(self, how: Ended) -> None:
        """Report that a program ended before its login, if the bot was needed and is to blame."""
        if how.fault:
            return  # the arena has failed, not the bot; the operator knows it already
        is_needed = self.account.matches > 0
        if not self._was_needed or (is_needed and not how.is_by_itself):
            return  # it is started again when it is needed; or the whole run ends
        reason = Said("lost.too_slow")
        if is_needed:
            reason = Said("lost.program", {"how": how.reason})
        self._failed("program_did_not_log_in", reason)

    def _report_loss(self, loss: Said, how: Ended) -> None:
        end = Said("lost.program", {"how": how.reason})
        reason = loss
        if how.is_by_itself and end != loss:
            reason = Said("lost.twice", {"first": loss, "then": end})
        self._failed("program_lost", reason)

    def _failed(self, event: str, reason: Said) -> None:
        """Log the event with the reason in its last words, and with the file of all of them."""
        last_words = self.last_words(LAST_WORDS_BYTES).decode(errors="replace")
        lines = last_lines(last_words, 2)
        last_line = ""
        if lines:
            last_line = lines[-1].strip()[:LONGEST_WORDS]
        self.log.warning(
            event,
            name=self.account.name,
            reason=reason,
            last_words=last_line,
            output=str(self._stderr),
        )

    def when_ended(self, tell: Callable[[Ended], None]) -> None:
        """Call this at the next end of the program, or at once if it has ended already."""
        if self._end is None:
            self._waiting.append(tell)
        else:
            tell(self._end)

    def last_words(self, most_bytes: int) -> bytes:
        """Return the end of its standard error, if it has one, with stars for its token."""
        if not self._stderr.exists():
            return b""
        token = self._token.encode()
        size = self._stderr.stat().st_size
        with self._stderr.open("rb") as file:
            # One token more is read: else a token could be cut at the beginning.
            file.seek(max(0, size - most_bytes - len(token)))
            text = file.read().replace(token, b"*" * len(token))
        return text[-most_bytes:]

    def _condemn(self, reason: Said) -> None:
        if self.account.connection is not None:
            self.account.connection.cut(reason)
