"""Neighbours without a token, on 200 connections from the address of the honest bots, who must come in all the same."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec
import trio

from arena.torture.case import Case, Found, Stranger
from arena.torture.line import Line, LineBrokenError, NoArenaError
from arena.torture.own_arena import PLAN, OwnArena, own_arena, remote
from arena.torture.player import Moments, Player
from arena.torture.stages import HONEST, OTHER, bounded, outcome_of, play_out
from arena.torture.strangers import drips, says_nothing, wrong_token

CONNECTIONS: Final = 200
PAUSE_SECONDS: Final = 0.05
"""Between two tries on one of them: together they come to some thousand a second."""
SETTLE_SECONDS: Final = 2.0
"""How long the siege has been going on when the honest bots come."""
LIMIT_SECONDS: Final = 1.0


async def wait_for_the_end(line: Line) -> None:
    """Say nothing until the arena hangs up."""
    while await line.hear():
        pass


async def says_nothing_for_long(line: Line) -> None:
    """Connect and wait."""
    await says_nothing(line)
    await wait_for_the_end(line)


async def guesses(line: Line) -> None:
    """Log in with another token, and hear that it is the wrong one."""
    await line.hear()
    await wrong_token(line)
    await wait_for_the_end(line)


async def leaves(_line: Line) -> None:
    """Connect and hang up."""


async def _besiege(arena: OwnArena, deed: Stranger) -> None:
    """One neighbour: does the same again and again."""
    while True:
        line = None
        try:
            line = await arena.connect()
            await deed(line)
        except (OSError, LineBrokenError, NoArenaError):
            pass
        finally:
            if line is not None:
                with trio.CancelScope(shield=True):
                    await line.hang_up()
        await trio.sleep(PAUSE_SECONDS)


async def _time_logins(players: list[Player], late: list[str]) -> None:
    await trio.sleep(LIMIT_SECONDS)
    late += [f"{player.name} was not let in within a second" for player in players if player.welcome is None]


def _under_siege(name: str, deed: Stranger) -> Case:
    async def play(folder: Path) -> Found:
        late: list[str] = []
        plan = msgspec.structs.replace(PLAN, bot=remote(HONEST, OTHER))
        async with own_arena(folder, plan) as arena, trio.open_nursery() as nursery:
            for _ in range(CONNECTIONS):
                nursery.start_soon(_besiege, arena, deed)
            await trio.sleep(SETTLE_SECONDS)
            players = [Player(await arena.connect(), name, arena.tokens[name], Moments()) for name in (HONEST, OTHER)]
            nursery.start_soon(_time_logins, players, late)
            problems = await play_out(arena, players)
            nursery.cancel_scope.cancel()
        return Found(verdict="; ".join([*late, *problems, outcome_of(arena, None)]))

    what = (deed.__doc__ or "").rstrip(".")
    return Case(
        name=f"siege-{name}",
        what=f"on {CONNECTIONS} connections: {what[0].lower()}{what[1:]}",
        expected="played on",
        play=bounded(play),
    )


CASES = (
    _under_siege("silent", says_nothing_for_long),
    _under_siege("drip", drips),
    _under_siege("guesses", guesses),
    _under_siege("comes-and-goes", leaves),
)
