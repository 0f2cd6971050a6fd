"""Launched bots: when the arena starts their programs, and when it ends them."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import trio

from arena.server.bot import Bot
from arena.server.containment import Containment
from arena.server.hall import Hall
from arena.server.program import Ended, LaunchedProgram, Program


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
        directory: Path,
        output: Path,
    ) -> None:
        """`output` is where what it prints is kept, without the ending `.stdout` or `.stderr`."""
        self._hall = hall
        self._containment = containment
        self.bot = bot
        self._command = command
        self._directory = directory
        self._output = output
        self._address = address
        self._current = trio.CancelScope()
        self._has_logged_in = False
        self._is_running = True
        self._wanted = trio.Event()
        bot.program = self._program = LaunchedProgram(command, output.with_name(f"{output.name}.stderr"))
        bot.on_login = self._logged_in
        bot.on_call = self._call

    def _logged_in(self) -> None:
        self._has_logged_in = True

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
            directory=self._directory,
            shared=[Path(self._address.removeprefix("unix:"))],
            output=self._output,
            on_breach=self._condemn,
            on_end=self._program.ended,
        )
        self._program.started(self.bot.token)
        return await program.run()

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
