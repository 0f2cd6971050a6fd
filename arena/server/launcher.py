"""Launched bots: the arena starts their programs, keeps what they print, and ends them with all their children."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio

from arena.server.bot import Bot
from arena.server.hall import Hall

OUTPUT_BYTES: Final = 1_048_576
"""What is kept of each of a program's two output streams."""
TERM_SECONDS: Final = 1.0
"""How long a program may take to end by itself, after goodbye and again after SIGTERM."""


class Launched:
    """The program of one bot, started when it is created and again when the bot is wanted and gone."""

    def __init__(
        self, hall: Hall, bot: Bot, command: Sequence[str], *, address: str, directory: Path, output: Path
    ) -> None:
        self._hall = hall
        self._bot = bot
        self._command = command
        self._directory = directory
        self._output = output
        self._address = address
        self._current = trio.CancelScope()
        self._has_logged_in = False
        self._is_running = True
        self._wanted = trio.Event()
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
                status = await self._run_once()
                if not self._wanted.is_set():
                    self._is_running = False
                    self._bot.program_ended(f"its program ended with {status}", self._hall.clock.now_ms())
                    self._hall.end_batch()
            await self._wanted.wait()
            self._wanted = trio.Event()

    async def _run_once(self) -> str:
        """Run the program to its end; gives its exit status in words. Ends it and its children when cancelled."""
        given = {"ARENA_ADDRESS": self._address, "ARENA_NAME": self._bot.name, "ARENA_TOKEN": self._bot.token}
        try:
            process = await trio.lowlevel.open_process(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self._directory,
                env=os.environ | given,
                start_new_session=True,
            )
        except OSError as error:
            return f"an error before it began: {error.strerror or error}"
        assert process.stdout is not None, "asked for above"
        assert process.stderr is not None, "asked for above"
        kept = [
            _Keeper(process.stdout, self._output.with_name(f"{self._output.name}.stdout")),
            _Keeper(process.stderr, self._output.with_name(f"{self._output.name}.stderr")),
        ]
        async with trio.open_nursery() as nursery:
            for keeper in kept:
                nursery.start_soon(keeper.run)
            try:
                await process.wait()
            finally:
                with trio.CancelScope(shield=True):
                    await _end(process)
                for keeper in kept:
                    keeper.hurry()
        return _status(process.returncode)


async def _end(process: trio.Process) -> None:
    """End a program and everything it started: a moment to end by itself, then SIGTERM, then SIGKILL."""
    with trio.move_on_after(TERM_SECONDS):
        await process.wait()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        with trio.move_on_after(TERM_SECONDS):
            await process.wait()
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


class _Keeper:
    """Appends what a program prints to a file, up to a limit; the rest is read and dropped.

    It reads to the end even when the match is over and everything else is cancelled: the last words of a program
    that failed are the ones its author needs.
    """

    def __init__(self, stream: trio.abc.ReceiveStream, path: Path) -> None:
        self._stream = stream
        self._path = path
        self._scope = trio.CancelScope(shield=True)

    async def run(self) -> None:
        """Read until the program and its children have closed the stream."""
        kept = self._path.stat().st_size if self._path.exists() else 0
        with self._scope:
            async for data in self._stream:
                room = OUTPUT_BYTES - kept
                if room < 0:
                    continue  # the note has been written
                note = f"\n[only the first {OUTPUT_BYTES} bytes are kept]\n".encode() if len(data) > room else b""
                with self._path.open("ab") as file:
                    file.write(data[:room] + note)
                kept += len(data)

    def hurry(self) -> None:
        """The program is over; a child that left its group may not hold the stream open for ever."""
        self._scope.deadline = trio.current_time() + TERM_SECONDS


def _status(returncode: int | None) -> str:
    if returncode is None:
        return "an unknown status"
    if returncode < 0:
        return f"signal {signal.Signals(-returncode).name}"
    return f"exit status {returncode}"


def program_problems(commands: Mapping[str, Sequence[str]], directory: Path) -> list[str]:
    """Which bots' programs cannot be started at all; an operator's mistake, told before anything begins."""
    problems = []
    for name, command in commands.items():
        program = command[0]
        path = directory / program
        found = (path.is_file() and os.access(path, os.X_OK)) if "/" in program else shutil.which(program)
        if not found:
            problems.append(f"bot {name}: there is no program {program!r}; give a path or a name found on PATH")
    return problems
