"""Neighbours without a token, on 200 connections from the address of the honest bots, who must come in all the same."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec
import trio

from arena.torture.case import Case, Found, Stranger
from arena.torture.own_arena import PLAN, OwnArena, own_arena, remote
from arena.torture.player import Moments, Player
from arena.torture.raw_connection import ConnectionLostError, NoArenaError, RawConnection
from arena.torture.stages import HONEST, OTHER, bounded, play_out, verdict_of
from arena.torture.strangers import drips, says_nothing, wrong_token

CONNECTIONS: Final = 200
PAUSE_SECONDS: Final = 0.05
"""Between two tries on one of them: together they come to some thousand a second."""
SETTLE_SECONDS: Final = 2.0
"""How long the siege has been going on when the honest bots come."""
LIMIT_SECONDS: Final = 1.0


async def wait_for_the_end(connection: RawConnection) -> None:
    """Say nothing until the arena hangs up."""
    while await connection.hear():
        pass


async def says_nothing_for_long(connection: RawConnection) -> None:
    """Connect and wait."""
    await says_nothing(connection)
    await wait_for_the_end(connection)


async def guesses(connection: RawConnection) -> None:
    """Log in with another token, and hear that it is the wrong one."""
    await connection.hear()
    await wrong_token(connection)
    await wait_for_the_end(connection)


async def leaves(_connection: RawConnection) -> None:
    """Connect and hang up."""


async def _besiege(arena: OwnArena, deed: Stranger) -> None:
    """One neighbour: does the same again and again."""
    while True:
        connection = None
        try:
            connection = await arena.connect()
            await deed(connection)
        except (OSError, ConnectionLostError, NoArenaError):
            pass
        finally:
            if connection is not None:
                with trio.CancelScope(shield=True):
                    await connection.hang_up()
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
        return Found(verdict="; ".join([*late, *problems, verdict_of(arena, None)]))

    what = (deed.__doc__ or "").rstrip(".")
    return Case(
        name=f"siege-{name}",
        what=f"on {CONNECTIONS} connections: {what[0].lower()}{what[1:]}",
        expected="played on",
        is_alone=True,
        play=bounded(play),
    )


CASES = (
    _under_siege("silent", says_nothing_for_long),
    _under_siege("drip", drips),
    _under_siege("guesses", guesses),
    _under_siege("comes-and-goes", leaves),
)
