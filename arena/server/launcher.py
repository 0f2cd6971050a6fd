"""Launched bots: when the arena starts their programs, and when it ends them."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import trio

from arena.server.bot import Bot
from arena.server.containment import Containment
from arena.server.hall import Hall
from arena.server.news import News
from arena.server.program import Ended, LaunchedProgram, Program

LAST_WORDS_BYTES: Final = 200
"""What the operator is shown at once of what a program that failed printed last."""


class Launched:
    """The program of one bot: `run` starts it, and again when the bot is wanted and gone."""

    def __init__(
        self,
        hall: Hall,
        bot: Bot,
        command: Sequence[str],
        *,
        containment: Containment,
        address: str,
        reads: Sequence[str],
        output: Path,
        news: News,
    ) -> None:
        """`reads` are files it may read beside its own.

        `output` is where what it prints is kept, without the ending `.stdout` or `.stderr`.
        """
        self._hall = hall
        self._containment = containment
        self.bot = bot
        self._command = command
        self._reads = reads
        self._output = output
        self._address = address
        self._current = trio.CancelScope()
        self._news = news
        self._has_logged_in = False
        self._came = False
        """Whether the program that runs now, or ran last, has logged in."""
        self._lost_by: str | None = None
        """Why it lost its connection while it was wanted at a table."""
        self._is_running = True
        self._wanted = trio.Event()
        bot.program = self._program = LaunchedProgram(command, output.with_name(f"{output.name}.stderr"))
        bot.on_login = self._logged_in
        bot.on_call = self._call
        bot.on_loss = self._lost

    def _logged_in(self) -> None:
        self._has_logged_in = self._came = True

    def _lost(self, reason: str) -> None:
        if self.bot.is_seated:
            self._lost_by = reason

    def _call(self) -> None:
        """Start the program again, unless it is just starting."""
        if self._has_logged_in or not self._is_running:
            self._has_logged_in = False
            self._is_running = True
            self._wanted.set()
            self._current.cancel()

    async def run(self) -> None:
        """Keep the program going while it is wanted; cancel to end it."""
        while True:
            with trio.CancelScope() as self._current:
                ended = await self._run_once()
                if not self._wanted.is_set():
                    self._is_running = False
                    self.bot.program_ended(f"its program {ended.reason}", self._hall.clock.now_ms())
                    self._hall.end_batch()
            await self._wanted.wait()
            self._wanted = trio.Event()

    async def _run_once(self) -> Ended:
        """Run the program to its end. When cancelled it is ended, with everything it has started."""
        program = Program(
            self._containment,
            self._command,
            environment={"ARENA_ADDRESS": self._address, "ARENA_NAME": self.bot.name, "ARENA_TOKEN": self.bot.token},
            reads=self._reads,
            shared=[Path(self._address.removeprefix("unix:"))],
            output=self._output,
            on_breach=self._condemn,
            on_end=self._ended,
        )
        self._came, self._lost_by = False, None
        self._program.started(self.bot.token)
        return await program.run()

    def _ended(self, how: Ended) -> None:
        """Its program is over: that is told where the bot should have played on."""
        self._program.ended(how)
        name, end = self.bot.name, f"its program {how.reason}"
        if not self._came:
            if self.bot.is_seated and not how.is_by_itself:
                return  # the whole run is being stopped
            happened = f"{name} did not log in: {end}" if self.bot.is_seated else f"{name} did not log in in time"
        elif self._lost_by is not None:
            more = [end] if how.is_by_itself and end != self._lost_by else []
            happened = "; ".join([f"{name} was lost: {self._lost_by}", *more])
        else:
            return
        self._news.tell(name, f"{happened}; {self._last_words()}")

    def _last_words(self) -> str:
        """The last line it printed, and where all of it is."""
        lines = self._program.last_words(LAST_WORDS_BYTES).decode(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        if not last:
            return "it said nothing on standard error"
        return f"last words: {last} (all in {self._program.stderr})"

    def _condemn(self, reason: str) -> None:
        """It will be ended for passing a limit; that is why it loses its connection, if it has one."""
        if self.bot.session is not None:
            self.bot.session.cut(reason)


def program_problems(commands: Mapping[str, Sequence[str]], directory: Path) -> list[str]:
    """Which bots' programs cannot be started at all; an operator's mistake, told before anything begins."""
    problems = []
    for name, command in commands.items():
        program = command[0]
        path = directory / program
        if "/" in program and path.is_file():
            if not os.access(path, os.X_OK):
                advice = f"chmod +x {shlex.quote(program)}, or name its interpreter first"
                problems.append(f"bot {name}: {program!r} is not executable; {advice}")
        elif "/" in program or not shutil.which(program):
            problems.append(f"bot {name}: there is no program {program!r}; give a path or a name found on PATH")
    return problems
