"""An arena that is stopped while bots think, as by Ctrl-Z or on a paused machine: nobody may pay for it."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from typing import Final

import msgspec
import trio

from arena.server.setup.tournament_file import ClockSection
from arena.torture.case import Case, Found
from arena.torture.own_arena import PLAN, OwnArena, own_arena, remote
from arena.torture.player import Moments, Player
from arena.torture.stages import HONEST, OTHER, bounded, play_out, verdict_of
from protocol.messages import FromArena, Turn

THINK_SECONDS: Final = 0.03
STOPS: Final = ((0.31, 0.5), (0.22, 1.4), (0.53, 0.8), (0.27, 1.1), (0.66, 0.6))
"""For how many seconds the arena runs, and is stopped then."""
CLOCK: Final = ClockSection(delay_ms=500, bank_ms=300)
"""Far too little for any of them."""


class Thinker(Player):
    """Thinks about every turn for a moment."""

    async def _react(self, message: FromArena) -> None:
        if isinstance(message, Turn):
            await trio.sleep(THINK_SECONDS)
        await super()._react(message)


async def stop_often(arena: OwnArena) -> None:
    """Stop it again and again, in turns and between them."""
    for run_seconds, stop_seconds in cycle(STOPS):
        await trio.sleep(run_seconds)
        arena.signal(SIGSTOP)
        try:
            await trio.sleep(stop_seconds)
        finally:
            arena.signal(SIGCONT)


async def play_stopped(folder: Path) -> Found:
    """A match between honest bots in an arena that is stopped often."""
    plan = msgspec.structs.replace(PLAN, bot=remote(HONEST, OTHER), clock=CLOCK)
    async with own_arena(folder, plan) as arena, trio.open_nursery() as nursery:
        players = [Thinker(await arena.connect(), name, arena.tokens[name], Moments()) for name in (HONEST, OTHER)]
        nursery.start_soon(stop_often, arena)
        problems = await play_out(arena, players)
        nursery.cancel_scope.cancel()
    return Found(verdict="; ".join([*problems, verdict_of(arena, None)]))


CASES = (
    Case(
        name="host-stopped",
        what="the arena is stopped again and again for 0.5 to 1.4 s",
        expected="played on",
        play=bounded(play_stopped),
    ),
)
