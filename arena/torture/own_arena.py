"""An arena for the zoo: a real process on loopback, with a run folder in a temporary place."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import trio

from arena.server.io.secret_values import new_token
from arena.server.setup.plan_text import format_plan
from arena.server.setup.tournament_file import (
    BotSection,
    ClockSection,
    LimitsSection,
    ListenSection,
    Plan,
    TournamentSection,
)
from arena.torture.raw_connection import RawConnection

PLAN = Plan(
    tournament=TournamentSection(games=3),
    clock=ClockSection(delay_ms=3000, bank_ms=60_000),
    limits=LimitsSection(turns=40, violations=1000, startup_ms=3000, grace_ms=300, join_ms=30_000, check_bots="off"),
    listen=ListenSection(address="tcp:127.0.0.1:0"),
)
"""Games of 40 turns at most, nobody withdrawn; no verdict depends on how busy the machine is."""
LAUNCHING_PLAN = msgspec.structs.replace(PLAN, limits=msgspec.structs.replace(PLAN.limits, startup_ms=20_000))
"""The same, with time for programs to start."""
SHORT_CLOCK = ClockSection(delay_ms=1000, bank_ms=1000)
"""For faults whose verdict is that the flag falls; the honest opponent is at home in the delay alone."""
TIGHT_CLOCK = ClockSection(delay_ms=300, bank_ms=6000)
"""For an honest opponent that computes for 50 ms a turn, and has to get them."""
KEPT_LINES = 20


class ArenaEndedError(Exception):
    """The arena ended before anything could begin; says what it printed."""


class OwnArena:
    """A running arena, with the tokens for logging in."""

    def __init__(self, process: trio.Process, folder: Path, tokens: dict[str, str]) -> None:
        self.run = folder / "run"
        self.tokens = tokens
        self.address = ""
        self._process = process
        self._printed: list[str] = []
        self._waits = trio.Event()

    async def connect(self) -> RawConnection:
        """A new connection."""
        return await RawConnection.open(self.address)

    def signal(self, number: int) -> None:
        """Send it a signal, if it has not ended."""
        self._process.send_signal(number)

    async def ended(self) -> int:
        """Wait for its exit status."""
        return await self._process.wait()

    @property
    def last_words(self) -> str:
        """The last lines it printed to standard error."""
        return "\n".join(self._printed[-KEPT_LINES:])

    async def wait_until_open(self) -> None:
        """Wait until bots can connect. Raises `ArenaEndedError`."""
        await self._waits.wait()
        if not self.address:
            raise ArenaEndedError(self.last_words)

    async def listen_to_it(self) -> None:
        """Read what it prints to standard error, to the end."""
        assert self._process.stderr is not None, "opened with a pipe"
        rest = b""
        async for data in self._process.stderr:
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self._printed.append(line.decode(errors="replace"))
                if line.startswith(b"waiting at "):
                    self.address = self._printed[-1].split()[2]
                    self._waits.set()
        self._waits.set()


@asynccontextmanager
async def own_arena(folder: Path, plan: Plan) -> AsyncIterator[OwnArena]:
    """Start an arena with this plan in a folder; every remote bot gets a token. It is killed if it is still running."""
    tokens, bots = {}, []
    for bot in plan.bot:
        if bot.remote:
            tokens[bot.entrant] = new_token()
            file = folder / f"{bot.entrant}.token"
            file.touch(mode=0o600)
            file.write_text(tokens[bot.entrant])
            bot = msgspec.structs.replace(bot, token_file=str(file))
        bots.append(bot)
    file = folder / "plan.toml"
    file.write_text(format_plan(msgspec.structs.replace(plan, bot=tuple(bots))))
    process = await trio.lowlevel.open_process(
        [sys.executable, "-m", "arena", "run", str(file), "--out", str(folder / "run")],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=ROOT,  # the one folder that launched programs can read in every kind of containment
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))},
    )
    arena = OwnArena(process, folder, tokens)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(arena.listen_to_it)
            if tokens:  # else all are launched, and it waits for nobody
                await arena.wait_until_open()
            yield arena
            nursery.cancel_scope.cancel()
    finally:
        with trio.CancelScope(shield=True):
            if process.returncode is None:
                process.kill()
            await process.wait()


ROOT = Path(__file__).parents[2]
"""The folder of the packages `arena` and `protocol`, for the new process."""


def remote(*names: str, at_once: int = 1) -> tuple[BotSection, ...]:
    """Entrants that connect by themselves."""
    return tuple(BotSection(name=name, remote=True, matches_at_once=at_once) for name in names)
